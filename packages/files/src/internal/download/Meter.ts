/** Counts the records and bytes of a run, and estimates its speed and end. */
import type * as Quota from "@sluice/core/Quota"
import { plain } from "../progress/QuotaState.ts"
import type * as Event from "./Event.ts"

export interface Count {
  readonly records: number
  readonly bytes: number
}

export interface PartMeter {
  readonly records: (count: number) => void
  readonly bytes: (count: number) => void
  readonly done: () => void
  /** Drops the counts: the part failed. */
  readonly dropped: () => void
}

/** Speed is measured over this many milliseconds. */
const window = 10_000

/** Begins to count at this time, with the counts of earlier runs. */
export const make = (parts: number, earlier: Count & { readonly done: number }, start: number) => {
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

  /** The progress of the run. Called at regular intervals, since speed is measured between calls. */
  const progress = (now: number, quota: Quota.State): Event.Progress => {
    const total = [...running].reduce(
      (sum, { records, bytes }) => ({ records: sum.records + records, bytes: sum.bytes + bytes }),
      { records: finished.records, bytes: finished.bytes }
    )
    samples = [...samples.filter(({ at }) => now - at <= window), { ...total, at: now }]
    const [first] = samples
    const seconds = first === undefined || now === first.at ? 0 : (now - first.at) / 1_000
    // The counts of a failed part are dropped, which must not give a negative speed.
    const rate = (name: keyof Count) =>
      first === undefined || seconds === 0 ? 0 : Math.max(0, (total[name] - first[name]) / seconds)
    const recordsPerSecond = rate("records")
    const expected = finished.done === 0 ? undefined : (finished.records / finished.done) * (parts - failed)
    const left =
      expected === undefined || recordsPerSecond === 0
        ? null
        : (Math.max(0, expected - total.records) / recordsPerSecond) * 1_000
    return {
      _tag: "Progress",
      parts,
      done: finished.done,
      failed,
      running: running.size,
      ...total,
      recordsPerSecond,
      bytesPerSecond: rate("bytes"),
      elapsed: now - start,
      left,
      quota: plain(quota)
    }
  }

  return {
    begin,
    /** Finished files, including those of earlier runs. */
    finished: (): Count & { readonly done: number } => finished,
    progress
  }
}

export type Meter = ReturnType<typeof make>
