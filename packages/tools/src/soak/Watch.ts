/**
 * Looks at a run while it goes on, and prints a line now and then.
 */
import { Client } from "@sluice/core"
import { Clock, Console, type Duration, Effect, Schedule, Stream } from "effect"
import * as Report from "./Report.ts"
import type * as Tally from "./Tally.ts"
import type { Point } from "./Verdict.ts"
import * as Vitals from "./Vitals.ts"

/** What a line told, in counts since the beginning. */
interface Told {
  readonly records: number
  readonly requests: number
}

/** What was seen of memory, and for how long. */
export interface Watched {
  readonly lasted: number
  /** The lines that were printed. */
  readonly told: ReadonlyArray<Told>
  readonly rss: ReadonlyArray<Point>
  readonly heap: ReadonlyArray<Point>
}

/** Watches the client in force until the scope closes; the effect within tells what was seen so far. */
export const start = Effect.fnUntraced(function* (tally: Tally.Tally, every: Duration.Input) {
  const begun = yield* Clock.currentTimeMillis
  const elapsed = Effect.map(Clock.currentTimeMillis, (now) => now - begun)
  const waited = yield* watchWaiting
  const rss: Array<Point> = []
  const heap: Array<Point> = []
  const told: Array<Told> = []

  const sample = Effect.gen(function* () {
    rss.push({ at: yield* elapsed, value: yield* Vitals.rss })
  })
  const report = Effect.gen(function* () {
    const at = yield* elapsed
    const vitals = yield* Vitals.look
    const [counts, quota] = [tally.read(), yield* Client.quota]
    heap.push({ at, value: vitals.heap })
    yield* Console.log(Report.line({ at, vitals, counts, quota, faults: yield* Vitals.faults, waited: yield* waited }))
    told.push({ records: counts.records, requests: quota.sent })
  })
  yield* Console.log(Report.head)
  yield* Effect.forkScoped(Effect.repeat(sample, Schedule.spaced("1 second")))
  yield* Effect.forkScoped(Effect.repeat(Effect.delay(report, every), Schedule.forever))
  return Effect.map(elapsed, (lasted): Watched => ({ lasted, told, rss, heap }))
})

/** Adds up the time in which requests waited for a permit or for the window. */
const watchWaiting = Effect.gen(function* () {
  const seen = { at: yield* Clock.currentTimeMillis, waiting: 0, total: 0 }
  const note = (waiting: number) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (seen.waiting > 0) seen.total += now - seen.at
      seen.at = now
      seen.waiting = waiting
    })
  const changes = Stream.runForEach(Client.quotaChanges, ({ waiting }) => note(waiting))
  yield* Effect.forkScoped(changes)
  return Effect.map(
    Effect.flatMap(Client.quota, ({ waiting }) => note(waiting)),
    () => seen.total
  )
})
