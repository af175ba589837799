/** The text forms in which callers give an instant (docs/interface.md 14.2), read in the caller's time zone. */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type { Dialect } from "../../Dialect.ts"
import { civil, DAY, dayOf, HOUR, MINUTE, SECOND } from "./Calendar.ts"

export interface Instant {
  /** Whole milliseconds since 1970. */
  readonly ms: number
  /** Nanoseconds beyond them, 0 to 999,999. */
  readonly nanos: number
}

export const next = ({ ms, nanos }: Instant): Instant =>
  nanos === 999_999 ? { ms: ms + 1, nanos: 0 } : { ms, nanos: nanos + 1 }

const previous = ({ ms, nanos }: Instant): Instant =>
  nanos === 0 ? { ms: ms - 1, nanos: 999_999 } : { ms, nanos: nanos - 1 }

export const wholeMs = ({ ms, nanos }: Instant): number => (nanos > 0 ? ms + 1 : ms)

const form = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?(\d\d)(?:\.(\d{3}|\d{6}|\d{9}))?)?Z?$/

const isDate = (year: number, month: number, day: number): boolean => {
  const [y, m, d] = civil(dayOf(year, month, day))
  return y === year && m === month && d === day
}

export const zone = (name: string): Option.Option<DateTime.TimeZone> =>
  name === "UTC" ? Option.some(DateTime.zoneMakeOffset(0)) : DateTime.zoneMakeNamed(name)

/** How an instant is read: in which zone, and to how many digits of a second. */
export interface Reading {
  readonly zone: DateTime.TimeZone
  readonly dialect: Pick<Dialect, "requestDigits">
}

/** Reads an instant, some days later; a trailing `Z` gives way to the time zone, as the service documents. */
export const parse = (text: string, { dialect, zone }: Reading, days = 0): Option.Option<Instant> => {
  const match = form.exec(text)
  // `2006-0120` and `200601-20` are no date: the dashes come in pairs.
  if (match === null || text.includes("-") !== /^\d{4}-\d\d-/.test(text)) return Option.none()
  const part = (n: number) => Number(match[n] ?? "0")
  if (!isDate(part(1), part(2), part(3)) || part(4) > 23 || part(5) > 59 || part(6) > 59) return Option.none()
  const fraction = (match[7] ?? "").slice(0, Number(dialect.requestDigits)).padEnd(9, "0")
  const local =
    (dayOf(part(1), part(2), part(3)) + days) * DAY +
    part(4) * HOUR +
    part(5) * MINUTE +
    part(6) * SECOND +
    Number(fraction.slice(0, 3))
  return Option.map(DateTime.makeZoned(local, { timeZone: zone, adjustForTimeZone: true }), (instant) => ({
    ms: DateTime.toEpochMillis(instant),
    nanos: Number(fraction.slice(3))
  }))
}

export interface EndReading extends Reading {
  readonly isInclusive: boolean
  /** What a date without a time means. */
  readonly dialect: Pick<Dialect, "endDate" | "excludedDate" | "requestDigits">
}

/** Reads the end of a range, as the first instant behind the range. */
export const parseEnd = (text: string, reading: EndReading): Option.Option<Instant> => {
  const { dialect, isInclusive } = reading
  if (text.includes("T") || dialect.endDate === "midnight") {
    return Option.map(parse(text, reading), (end) => (isInclusive ? next(end) : end))
  }
  if (!isInclusive && dialect.excludedDate === "day") return parse(text, reading)
  return Option.map(parse(text, reading, 1), (end) => (isInclusive ? end : previous(end)))
}

/** The documented list of forms, quoted by the refusal of any other. */
export const forms =
  "Supported formats are 'yyyy-MM-dd', 'yyyyMMdd', 'yyyy-MM-ddTHH:mm:ss', 'yyyy-MM-ddTHHmmss', " +
  "'yyyy-MM-ddTHH:mm:ss.SSS', 'yyyy-MM-ddTHHmmss.SSS', 'yyyy-MM-ddTHH:mm:ss.SSSSSS', 'yyyy-MM-ddTHHmmss.SSSSSS', " +
  "'yyyy-MM-ddTHH:mm:ss.SSSSSSSSS', 'yyyy-MM-ddTHHmmss.SSSSSSSSS'."
