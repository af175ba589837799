/**
 * An interval of time cut into parts that meet without sharing a moment.
 */
import * as Result from "effect/Result"
import * as Timestamp from "../Timestamp.ts"

/** The bounds of an interval as a request has them; an absent flag means that the bound belongs to it. */
export interface Interval {
  readonly start_time: string
  readonly end_time: string
  readonly start_inclusive?: boolean | undefined
  readonly end_inclusive?: boolean | undefined
}

/** The bounds of a part, as parameters. */
export type Bounds = Readonly<Record<string, string | boolean>>

/** Why there is nothing to cut. */
export interface Refused {
  readonly parameter: string | undefined
  readonly reason: string
}

/** The borders of the parts: a first, then one every so many nanoseconds, then the last. */
export interface Cut {
  readonly count: number
  /** The bounds of a part, counted from 0. */
  readonly at: (index: number) => Bounds
}

/**
 * Cuts an interval into parts of `every` nanoseconds, the last of them shorter where it does not come out even.
 *
 * **Details**
 *
 * A border between two parts belongs to the later one. At the two outer ends the flags stand as they were given, absent
 * ones absent. Gives the reason where the interval holds no moment or is no interval.
 */
export const cut = (interval: Interval, every: bigint): Result.Result<Cut, Refused> => {
  const { start_time, end_time, start_inclusive, end_inclusive } = interval
  const start = Timestamp.toEpochNanos(start_time)
  const end = Timestamp.toEpochNanos(end_time)
  if (Result.isFailure(start)) return Result.fail({ parameter: "start_time", reason: start.failure.message })
  if (Result.isFailure(end)) return Result.fail({ parameter: "end_time", reason: end.failure.message })
  const [from, to] = [start.success, end.success]
  if (from > to) return Result.fail({ parameter: "end_time", reason: `is before start_time ${start_time}` })
  if (from === to && (start_inclusive === false || end_inclusive === false)) {
    return Result.fail({ parameter: "end_time", reason: "is the excluded start_time itself: the range is empty" })
  }
  const count = from === to ? 1n : (to - from + every - 1n) / every
  return Result.succeed({
    count: Number(count),
    at: (index) => {
      const isLast = BigInt(index) === count - 1n
      const first = from + BigInt(index) * every
      const startFlag = index === 0 ? start_inclusive : true
      const endFlag = isLast ? end_inclusive : false
      return {
        start_time: Timestamp.fromEpochNanos(first),
        end_time: Timestamp.fromEpochNanos(isLast ? to : first + every),
        ...(startFlag === undefined ? {} : { start_inclusive: startFlag }),
        ...(endFlag === undefined ? {} : { end_inclusive: endFlag })
      }
    }
  })
}
