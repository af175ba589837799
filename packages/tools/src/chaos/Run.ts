/**
 * Many schedules, one after another.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Schedule from "./Schedule.ts"
import * as Shrink from "./Shrink.ts"
import * as Summary from "./Summary.ts"
import * as Trial from "./Trial.ts"

/** Draws `count` schedules, of the seeds from `first` on. */
export const draw = (first: number, count: number, world: Schedule.World): Stream.Stream<Schedule.Schedule> =>
  Stream.mapEffect(Stream.range(first, first + count - 1), (seed) => Schedule.draw(seed, world))

/** Collects unhandled rejections. */
const rejections = Effect.acquireRelease(
  Effect.sync(() => {
    const reasons: Array<string> = []
    const listener = (reason: unknown) => void reasons.push(`an unhandled rejection: ${String(reason)}`)
    process.on("unhandledRejection", listener)
    return { listener, taken: () => reasons.splice(0) }
  }),
  ({ listener }) => Effect.sync(() => process.off("unhandledRejection", listener))
)

/** Node reports an unhandled rejection after all other work of a turn. */
const nextTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Runs schedules. */
export const run = (
  schedules: Stream.Stream<Schedule.Schedule>,
  after: (summary: Summary.Summary) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<Summary.Summary> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { taken } = yield* rejections
      const summary = Summary.empty()
      const add = Effect.fnUntraced(function* (schedule: Schedule.Schedule) {
        const trial = yield* Trial.runInTime(schedule)
        yield* nextTurn
        Summary.add(summary, { ...trial, findings: [...trial.findings, ...taken()] })
        yield* after(summary)
      })
      yield* Stream.runForEach(schedules, add)
      return summary
    })
  )

const listed = (wrong: ReadonlyArray<string>) => wrong.map((text) => `  - ${text}`).join("\n")

/** Explains a failure: what went wrong, how to repeat it, and a smaller schedule that fails as well. */
export const explain = Effect.fnUntraced(function* (failed: Trial.Trial) {
  const { seed, world } = failed.schedule
  const smallest = yield* Shrink.run(failed)
  const again = `pnpm chaos --seed ${seed}${world === "wire" ? " --wire" : ""}`
  return [
    `seed ${seed}, again with: ${again}`,
    listed(failed.findings),
    `the schedule: ${JSON.stringify(failed.schedule)}`,
    `a smaller one fails as well:`,
    listed(smallest.findings),
    `again with: pnpm chaos --schedule '${JSON.stringify(smallest.schedule)}'`,
    ...smallest.observed.streams.map(
      ({ end, requests, rows }) => `  ${rows.length} records, ${JSON.stringify(requests)}, ${JSON.stringify(end)}`
    )
  ].join("\n")
})

/** Explains the first failures, and lists the seeds of the others. */
export const explainAll = Effect.fnUntraced(function* (failed: ReadonlyArray<Trial.Trial>) {
  const told = yield* Effect.forEach(failed.slice(0, 3), explain)
  const others = failed.slice(3).map(({ schedule, findings }) => `seed ${schedule.seed}: ${findings[0]}`)
  return [...told, ...others].join("\n\n")
})
