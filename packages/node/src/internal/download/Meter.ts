/**
 * Counts what a run has read, and tells how fast it goes and when it will end.
 */
import type * as Quota from "@sluice/core/Quota"
import * as Duration from "effect/Duration"
import type * as Event from "./Event.ts"

/** Records and bytes. */
export interface Count {
  readonly records: number
  readonly bytes: number
}

/** What one part has read so far. */
export interface PartMeter {
  readonly records: (count: number) => void
  readonly bytes: (count: number) => void
  /** Takes what was counted as done. */
  readonly done: () => void
  /** Forgets what was counted: it is not kept. */
  readonly dropped: () => void
}

/** Counts for a whole run. */
export interface Meter {
  readonly begin: () => PartMeter
  /** Files that are finished, those of earlier runs among them. */
  readonly finished: () => Count & { readonly done: number }
  /** Where the run stands; called at regular intervals, for the pace is taken between calls. */
  readonly progress: (now: number, quota: Quota.State) => Event.Progress
}

/** How long the pace is looked back on, in milliseconds. */
const pace = 10_000

/** Begins to count at this time, with what earlier runs have finished. */
export const make = (parts: number, earlier: Count & { readonly done: number }, start: number): Meter => {
  const finished = { ...earlier }
  const running = new Set<{ records: number; bytes: number }>()
  let failed = 0
  let samples: ReadonlyArray<Count & { readonly at: number }> = [
    { at: start, records: earlier.records, bytes: earlier.bytes }
  ]

  const begin = (): PartMeter => {
    const own = { records: 0, bytes: 0 }
    running.add(own)
    return {
      records: (count) => {
        own.records += count
      },
      bytes: (count) => {
        own.bytes += count
      },
      done: () => {
        running.delete(own)
        finished.done += 1
        finished.records += own.records
        finished.bytes += own.bytes
      },
      dropped: () => {
        running.delete(own)
        failed += 1
      }
    }
  }

  const progress = (now: number, quota: Quota.State): Event.Progress => {
    const so = [...running].reduce(
      (sum, { records, bytes }) => ({ records: sum.records + records, bytes: sum.bytes + bytes }),
      { records: finished.records, bytes: finished.bytes }
    )
    samples = [...samples.filter(({ at }) => now - at <= pace), { ...so, at: now }]
    const [first] = samples
    const seconds = first === undefined || now === first.at ? 0 : (now - first.at) / 1_000
    // What a failed part had read is not counted any more, which is no pace backwards.
    const rate = (name: keyof Count) =>
      first === undefined || seconds === 0 ? 0 : Math.max(0, (so[name] - first[name]) / seconds)
    const recordsPerSecond = rate("records")
    const expected = finished.done === 0 ? undefined : (finished.records / finished.done) * (parts - failed)
    const left =
      expected === undefined || recordsPerSecond === 0
        ? null
        : (Math.max(0, expected - so.records) / recordsPerSecond) * 1_000
    return {
      _tag: "Progress",
      parts,
      done: finished.done,
      failed,
      running: running.size,
      ...so,
      recordsPerSecond,
      bytesPerSecond: rate("bytes"),
      elapsed: now - start,
      left,
      quota: plain(quota)
    }
  }

  return { begin, finished: () => finished, progress }
}

const plain = ({ limit, plan, remaining, reset, ...counts }: Quota.State): Event.Quota => ({
  inFlight: counts.inFlight,
  waiting: counts.waiting,
  sent: counts.sent,
  rejected: counts.rejected,
  plan: plan ?? null,
  limit: finite(limit),
  remaining: finite(remaining),
  reset: finite(Duration.toMillis(reset))
})

/** JSON has no infinity. */
const finite = (value: number) => (Number.isFinite(value) ? value : null)
