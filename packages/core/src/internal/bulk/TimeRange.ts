/** A time range split into parts that meet without sharing a moment. */
import * as Result from "effect/Result"
import * as Timestamp from "../../Timestamp.ts"
import * as Period from "./Period.ts"

/** A time range. An absent flag means that the bound is included. */
export interface TimeRange {
  /** Nanoseconds since 1970. */
  readonly start: bigint
  readonly end: Timestamp.RangeEnd
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

/** How long a part is: so many nanoseconds, or so many months of the calendar. */
export type Length = { readonly nanos: bigint } | { readonly months: number }

/** The moments at which parts begin. */
interface Cuts {
  readonly count: number
  readonly at: (index: number) => bigint
}

/**
 * Splits a range into parts of one length. The last part may be shorter, and of the calendar the first one too.
 *
 * **Details**
 *
 * The boundary between two parts belongs to the later part. At the two outer ends the flags stay as they were given, unless the
 * range ends with a whole day. A range that ends with the first moment of a month has a part of that moment, so that no part has
 * records of two periods.
 * Fails when the range is empty. That it does not end before it starts has been checked: see `call/Range.ts`.
 */
export const split = (
  range: TimeRange,
  length: Length,
  names: ParameterNames
): Result.Result<SplitRange, CannotSplit> => {
  const { end, start: from } = range
  const to = end.nanos
  if (from === to && (range.startInclusive === false || !end.isIncluded)) {
    const reason = `is the excluded ${names.start} itself: the range is empty`
    return Result.fail({ parameter: names.end, reason })
  }
  const { at, count } =
    "nanos" in length ? evenCuts(from, to, length.nanos) : calendarCuts(from, to, length.months, end.isIncluded)
  return Result.succeed({
    count,
    at: (index) => {
      const isLast = index === count - 1
      const startFlag = index === 0 ? range.startInclusive : true
      const endFlag = isLast && end.isIncluded ? range.endInclusive : false
      return {
        [names.start]: Timestamp.fromEpochNanos(at(index)),
        [names.end]: Timestamp.fromEpochNanos(isLast ? to : at(index + 1)),
        ...(startFlag === undefined ? {} : { [names.startInclusive]: startFlag }),
        ...(endFlag === undefined ? {} : { [names.endInclusive]: endFlag })
      }
    }
  })
}

const evenCuts = (from: bigint, to: bigint, every: bigint): Cuts => ({
  count: from === to ? 1 : Number((to - from + every - 1n) / every),
  at: (index) => from + BigInt(index) * every
})

const calendarCuts = (from: bigint, to: bigint, months: number, endInclusive: boolean): Cuts => {
  const first = Period.firstMonth(from, months)
  const last = Period.firstMonth(to, months)
  const periods = (last - first) / months + 1
  const endsBefore = !endInclusive && periods > 1 && Period.startOf(last) === to
  return {
    count: endsBefore ? periods - 1 : periods,
    // Every index is below the count, so the month is not after that of the end.
    at: (index) => (index === 0 ? from : (Period.startOf(first + index * months) ?? to))
  }
}
