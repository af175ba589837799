/**
 * `pnpm chaos`: random schedules of faults, any number of them.
 *
 *   pnpm chaos                      2,000 schedules from a random seed on
 *   pnpm chaos --schedules 100000   as many as you like
 *   pnpm chaos --from 1             from this seed on
 *   pnpm chaos --seed 123           one alone, told in full
 *   pnpm chaos --schedule '{…}'     the one that a failure has printed
 *   … --wire                        over real sockets
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import * as Run from "./Run.ts"
import * as Schedule from "./Schedule.ts"
import * as Summary from "./Summary.ts"

/** A promise was broken; what was printed says which. */
class Broken extends Data.TaggedError("Broken") {
  override readonly [Runtime.errorReported] = false
}

/** How often it is told how far it has come. */
const often = 1_000

const one = Effect.fnUntraced(function* (schedule: Schedule.Schedule) {
  const summary = yield* Run.run(Stream.make(schedule))
  const [failed] = summary.failed
  yield* Console.log(failed === undefined ? Summary.show(summary) : yield* Run.explain(failed))
  if (failed !== undefined) return yield* new Broken()
})

const many = Effect.fnUntraced(function* (first: number, count: number, world: "memory" | "wire") {
  yield* Console.log(`seeds ${first} to ${first + count - 1}`)
  let told = 0
  const progress = Effect.fnUntraced(function* ({ failed, schedules }: Summary.Summary) {
    // At once: a long run may be ended before it ends.
    for (const { schedule, findings } of failed.slice(told)) yield* Console.log(`seed ${schedule.seed}: ${findings[0]}`)
    told = failed.length
    if (schedules % often === 0) yield* Console.log(`${schedules} of ${count}, ${told} failed`)
  })
  const summary = yield* Run.run(Run.draw(first, count, world), progress)
  if (summary.failed.length > 0) yield* Console.log(yield* Run.explainAll(summary.failed))
  yield* Console.log(Summary.show(summary))
  if (summary.failed.length > 0) return yield* new Broken()
})

const flags = {
  seed: Flag.optional(Flag.Int("seed")).pipe(Flag.withDescription("Run the schedule of this seed alone")),
  schedule: Flag.optional(Flag.String("schedule")).pipe(Flag.withDescription("Run this schedule, as it was printed")),
  from: Flag.optional(Flag.Int("from")).pipe(
    Flag.withDescription("Seed of the first schedule; a random one when absent")
  ),
  schedules: Flag.Int("schedules").pipe(Flag.withDefault(2_000), Flag.withDescription("How many to run")),
  wire: Flag.Boolean("wire").pipe(Flag.withDefault(false), Flag.withDescription("Over real sockets"))
}

const command = Command.make(
  "chaos",
  flags,
  Effect.fnUntraced(function* ({ from, schedule, schedules, seed, wire }) {
    const world = wire ? "wire" : "memory"
    if (Option.isSome(seed)) return yield* one(yield* Schedule.draw(seed.value, world))
    // Type boundary: a schedule that this program has printed.
    if (Option.isSome(schedule)) return yield* one(JSON.parse(schedule.value) as Schedule.Schedule)
    const first = Option.getOrUndefined(from) ?? (yield* Random.nextIntBetween(0, 2 ** 31))
    return yield* many(first, schedules, world)
  })
).pipe(Command.withDescription("Random schedules of faults against the sandbox"))

command.pipe(Command.run({ version: "0.0.0" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain())
