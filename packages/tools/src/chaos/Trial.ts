/**
 * Runs a schedule and judges it.
 */
import * as Effect from "effect/Effect"
import * as Expected from "./Expected.ts"
import * as Judge from "./Judge.ts"
import type { Schedule } from "./Schedule.ts"
import * as World from "./World.ts"

/** The result of a schedule. */
export interface Trial {
  readonly schedule: Schedule
  readonly observed: World.Observed
  /** Broken promises; empty when all were kept. */
  readonly findings: ReadonlyArray<string>
}

/** Runs a schedule and judges it. */
export const run = Effect.fnUntraced(function* (schedule: Schedule) {
  const expected = yield* Effect.forEach(schedule.streams, ({ target }) => Expected.of(target, schedule))
  const observed = yield* World.run(schedule)
  const isPolluted = "sandbox_polluted" in {}
  const judged = schedule.streams.flatMap((reading, index) =>
    Judge.stream(schedule, reading, observed.streams[index]!, expected[index]!).map(
      (text) => `stream ${index}, ${reading.target.path}: ${text}`
    )
  )
  const trial: Trial = {
    schedule,
    observed,
    findings: [
      ...judged,
      ...Judge.pace(schedule, observed.streams),
      ...observed.leaks,
      ...(isPolluted ? ["the prototype of all objects was changed"] : [])
    ]
  }
  return trial
})

/** The trial of a schedule that did not end in time, by the wall clock. */
const endless = (schedule: Schedule): Trial => ({
  schedule,
  observed: { streams: [], leaks: [], elapsed: 0 },
  findings: ["did not end"]
})

/** Runs a schedule with a timeout by the wall clock, for those in which the virtual clock stops. */
export const runInTime = (schedule: Schedule): Effect.Effect<Trial> =>
  Effect.timeoutOrElse(run(schedule), {
    duration: "2 minutes",
    orElse: () => Effect.succeed(endless(schedule))
  })
