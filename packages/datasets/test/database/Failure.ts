import { Cause, Effect, Exit, Option } from "effect"

/** The error that an effect failed with; dies where it has not. */
export const errorOf = <A, E>(exit: Exit.Exit<A, E>): Effect.Effect<E> =>
  Exit.isFailure(exit)
    ? Option.match(Cause.findErrorOption(exit.cause), {
        onNone: () => Effect.die(exit.cause),
        onSome: (error) => Effect.succeed(error)
      })
    : Effect.die(exit.value)
