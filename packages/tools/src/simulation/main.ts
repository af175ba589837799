/**
 * `pnpm simulate`: programs over this library under many orders of their fibers, faults and delays.
 *
 *   pnpm simulate                          1,000 seeds of every target from a random seed on
 *   pnpm simulate --target requests        of one
 *   pnpm simulate --seeds 100000 --from 1  as many as you like
 *   pnpm simulate --target … --from … --choices '…'   the run that a failure has printed
 */
import { Console, Effect, Option, Random } from "effect"
import { Command, Flag } from "effect/cli"
import * as Tool from "../Tool.ts"
import * as Targets from "./Targets.ts"

const flags = {
  from: Flag.optional(Flag.Int("from")).pipe(Flag.withDescription("The first seed; a random one when absent")),
  target: Flag.optional(Flag.Literals("target", Targets.names)).pipe(Flag.withDescription("This one alone")),
  choices: Flag.optional(Flag.String("choices")).pipe(Flag.withDescription("The choices that a failure has printed")),
  shrink: Flag.Int("shrink").pipe(Flag.withDefault(200), Flag.withDescription("Runs to find the choices of a failure")),
  seeds: Flag.Int("seeds").pipe(Flag.withDefault(1_000), Flag.withDescription("How many of each target"))
}

const command = Command.make(
  "simulate",
  flags,
  Effect.fnUntraced(function* ({ choices, from, seeds, shrink, target }) {
    const first = Option.getOrUndefined(from) ?? (yield* Random.nextIntBetween(0, 2 ** 31))
    let failed = 0
    for (const name of Option.match(target, { onNone: () => Targets.names, onSome: (one) => [one] })) {
      const options = { from: first, seeds, shrink, choices: Option.getOrUndefined(choices) }
      const result = yield* Effect.result(Targets.check(name, options))
      if (result._tag === "Failure") failed++
      yield* Console.log(
        result._tag === "Success"
          ? `${name}: seeds ${first} to ${first + seeds - 1}: ${Tool.shown({ ...result.success })}`
          : `${name}: ${result.failure.message}`
      )
    }
    if (failed > 0) return yield* new Tool.Found()
  })
).pipe(Command.withDescription("Programs over this library, under many orders of their fibers"))

Tool.main(command)
