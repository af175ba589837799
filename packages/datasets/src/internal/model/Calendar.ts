/**
 * Days, months and years of the calendar in UTC, as the beginnings of times.
 */
import * as DateTime from "effect/DateTime"
import type { Period, Time } from "./Store.ts"

const lengths: Readonly<Record<Period, number>> = { year: 4, month: 7, day: 10 }

/** The day, month or year of a time, such as `2025-04`. */
export const periodOf = (period: Period, time: Time): string => time.slice(0, lengths[period])

/** The first time of a day, month or year. */
export const startOf = (name: string): Time => `${name}${"-01-01".slice(name.length - 4)}T00:00:00.000000000Z`

/** Comes after every time. */
const never = "\uffff"

/** The first time after a day, month or year; behind all times after the last year that has four digits. */
export const endOf = (name: string): Time => {
  const following = next(name)
  return following === never ? never : startOf(following)
}

/** The day, month or year after this one; a text behind all of them after the last. */
export const next = (name: string): string => {
  const unit = (["year", "month", "day"] as const)[(name.length - 4) / 3] ?? "day"
  const begin = DateTime.makeUnsafe(`${startOf(name).slice(0, 19)}Z`)
  const following = DateTime.formatIso(DateTime.add(begin, { [`${unit}s`]: 1 }))
  // A year of more digits has a sign before it.
  return following.startsWith("+") ? never : following.slice(0, name.length)
}
