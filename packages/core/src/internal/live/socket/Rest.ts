/** What is left to be done, if anything: where nothing is, no effect is made, which would take as long as a record. */
import * as Effect from "effect/Effect"
import type { ApiError } from "../../../ApiError.ts"
import type { TooSlow } from "../../../LiveError.ts"

/** What is still to be done, if anything. */
export type Rest<E = ApiError | TooSlow> = Effect.Effect<void, E> | undefined

/** Does one thing after another: at once where the first leaves nothing to be done. */
export const andThen = <E>(first: Rest<E>, next: () => Rest<E>): Rest<E> =>
  first === undefined
    ? next()
    : Effect.andThen(
        first,
        Effect.suspend(() => next() ?? Effect.void)
      )
