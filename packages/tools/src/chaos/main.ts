/**
 * `pnpm chaos`: random schedules of faults, any number of them.
 *
 *   pnpm chaos                      2,000 schedules from a random seed on
 *   pnpm chaos --schedules 100000   as many as you like
 *   pnpm chaos --from 1             from this seed on
 *   pnpm chaos --seed 123           one alone
 *   pnpm chaos --schedule '{…}'     the one that a failure has printed
 *   … --wire                        over real sockets
 */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Tool from "../Tool.ts"
import * as Run from "./Run.ts"
import * as Schedule from "./Schedule.ts"

const flags = {
  ...Tool.seeds,
  schedule: Flag.optional(Flag.String("schedule")).pipe(Flag.withDescription("Run this schedule, as it was printed")),
  schedules: Flag.Int("schedules").pipe(Flag.withDefault(2_000), Flag.withDescription("How many to run")),
  wire: Flag.Boolean("wire").pipe(Flag.withDefault(false), Flag.withDescription("Over real sockets"))
}

const draw = function* (seeds: ReadonlyArray<number>, world: Schedule.World) {
  for (const seed of seeds) yield Schedule.draw(seed, world)
}

const command = Command.make(
  "chaos",
  flags,
  Effect.fnUntraced(function* ({ schedule, schedules, wire, ...seeds }) {
    // Type boundary: a schedule that this program has printed.
    const all = Option.isSome(schedule)
      ? [JSON.parse(schedule.value) as Schedule.Schedule]
      : draw(yield* Tool.chosen(seeds, schedules), wire ? "wire" : "memory")
    const { failed, text } = yield* Run.run(all)
    yield* Console.log(text)
    if (failed.length > 0) return yield* new Tool.Found()
  })
).pipe(Command.withDescription("Random schedules of faults against the sandbox"))

Tool.main(command)
