/**
 * An interval of time cut into parts that meet without sharing a moment.
 */
import * as Result from "effect/Result"
import * as Timestamp from "../../Timestamp.ts"

/** The bounds of an interval; an absent flag means that the bound belongs to it. */
export interface Interval {
  readonly start: string
  readonly end: string
  readonly startInclusive: boolean | undefined
  readonly endInclusive: boolean | undefined
}

/** What the bounds are called as parameters. */
export type Names = { readonly [Bound in keyof Interval]: string }

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
export const cut = (interval: Interval, every: bigint, names: Names): Result.Result<Cut, Refused> => {
  const start = Timestamp.toEpochNanos(interval.start)
  const end = Timestamp.toEpochNanos(interval.end)
  if (Result.isFailure(start)) return Result.fail({ parameter: names.start, reason: start.failure.message })
  if (Result.isFailure(end)) return Result.fail({ parameter: names.end, reason: end.failure.message })
  const [from, to] = [start.success, end.success]
  if (from > to) return Result.fail({ parameter: names.end, reason: `is before ${names.start} ${interval.start}` })
  if (from === to && (interval.startInclusive === false || interval.endInclusive === false)) {
    const reason = `is the excluded ${names.start} itself: the range is empty`
    return Result.fail({ parameter: names.end, reason })
  }
  const count = from === to ? 1n : (to - from + every - 1n) / every
  return Result.succeed({
    count: Number(count),
    at: (index) => {
      const isLast = BigInt(index) === count - 1n
      const first = from + BigInt(index) * every
      const startFlag = index === 0 ? interval.startInclusive : true
      const endFlag = isLast ? interval.endInclusive : false
      return {
        [names.start]: Timestamp.fromEpochNanos(first),
        [names.end]: Timestamp.fromEpochNanos(isLast ? to : first + every),
        ...(startFlag === undefined ? {} : { [names.startInclusive]: startFlag }),
        ...(endFlag === undefined ? {} : { [names.endInclusive]: endFlag })
      }
    }
  })
}
