/**
 * A time range split into parts that meet without sharing a moment.
 */
import * as Result from "effect/Result"
import * as Timestamp from "../../Timestamp.ts"

/** A time range. An absent flag means that the bound is included. */
export interface TimeRange {
  readonly start: string
  readonly end: string
  readonly startInclusive: boolean | undefined
  readonly endInclusive: boolean | undefined
}

/** The names of the parameters that hold the bounds of a range. */
export type ParameterNames = { readonly [Bound in keyof TimeRange]: string }

/** The bounds of a part, as parameters. */
export type RangeParams = Readonly<Record<string, string | boolean>>

/** Why a request cannot be split. */
export interface CannotSplit {
  readonly parameter: string | undefined
  /** The wildcard in the list, where that is why. */
  readonly wildcard?: string | undefined
  readonly reason: string
}

/** A range after splitting. */
export interface SplitRange {
  readonly count: number
  /** The bounds of a part, counted from 0. */
  readonly at: (index: number) => RangeParams
}

/**
 * Splits a range into parts of `every` nanoseconds. The last part may be shorter.
 *
 * **Details**
 *
 * The boundary between two parts belongs to the later part. At the two outer ends the flags stay as they were given.
 * Fails when the range is empty. That it does not end before it starts has been checked: see `call/Range.ts`.
 */
export const split = (
  range: TimeRange,
  every: bigint,
  names: ParameterNames
): Result.Result<SplitRange, CannotSplit> => {
  const start = Timestamp.toEpochNanos(range.start)
  const end = Timestamp.toEpochNanos(range.end)
  if (Result.isFailure(start)) return Result.fail({ parameter: names.start, reason: start.failure.message })
  if (Result.isFailure(end)) return Result.fail({ parameter: names.end, reason: end.failure.message })
  const [from, to] = [start.success, end.success]
  if (from === to && (range.startInclusive === false || range.endInclusive === false)) {
    const reason = `is the excluded ${names.start} itself: the range is empty`
    return Result.fail({ parameter: names.end, reason })
  }
  const count = from === to ? 1n : (to - from + every - 1n) / every
  return Result.succeed({
    count: Number(count),
    at: (index) => {
      const isLast = BigInt(index) === count - 1n
      const first = from + BigInt(index) * every
      const startFlag = index === 0 ? range.startInclusive : true
      const endFlag = isLast ? range.endInclusive : false
      return {
        [names.start]: Timestamp.fromEpochNanos(first),
        [names.end]: Timestamp.fromEpochNanos(isLast ? to : first + every),
        ...(startFlag === undefined ? {} : { [names.startInclusive]: startFlag }),
        ...(endFlag === undefined ? {} : { [names.endInclusive]: endFlag })
      }
    }
  })
}
