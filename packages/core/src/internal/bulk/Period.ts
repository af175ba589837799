/**
 * Months and years of the calendar in UTC, as lengths of parts. They differ in length, so their boundaries are not at
 * equal distances.
 */
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Timestamp from "../../Timestamp.ts"

/** Months or years of the calendar, such as `1 month`, `3 months` or `1 year`. */
export type Period = `${number} ${"month" | "months" | "year" | "years"}`

/** The months of a period; nothing for a length of time, or for another text. */
export const monthsOf = (every: Duration.Input | Period): number | undefined => {
  const [, count, unit] = (Predicate.isString(every) && /^([1-9]\d{0,3}) (month|year)s?$/.exec(every)) || []
  return count === undefined ? undefined : Number(count) * (unit === "year" ? 12 : 1)
}

/** A period as one text, whatever words it was given in. */
export const format = (months: number): Period => {
  if (months % 12 !== 0) return months === 1 ? "1 month" : `${months} months`
  return months === 12 ? "1 year" : `${months / 12} years`
}

/** The first month of the period that a moment is in, counted from year 0. Periods begin where year 0 does. */
export const firstMonth = (nanos: bigint, months: number): number => {
  const text = Timestamp.fromEpochNanos(nanos)
  const month = Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)) - 1
  return month - (month % months)
}

/** The beginning of a month, counted from year 0; nothing beyond the year 9999. */
export const startOf = (month: number): bigint | undefined =>
  Result.getOrUndefined(Timestamp.toEpochNanos(`${nameOf(month)}-01`))

/** A month as text, such as `2025-04`. */
export const nameOf = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}`
