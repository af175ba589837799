/**
 * A moment as the service writes it: ISO 8601 text, and its converters.
 *
 * Times of the service have nine fractional digits; a JavaScript date keeps three. Sluice keeps the text and converts
 * when you ask.
 */
import type * as Brand from "effect/Brand"
import * as DateTime from "effect/DateTime"
import * as Ordering from "effect/Order"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Field from "./Field.ts"

/**
 * Text of a moment in UTC, for example `"2020-06-08T20:45:00.000000000Z"`.
 *
 * **Details**
 *
 * Time series write nine fractional digits, so their times sort as text. Profiles and taxonomies sometimes write a date
 * alone (`2015-07-30`) or `N/A`: the converters below accept the first and fail on the second.
 */
export type Timestamp = string & Brand.Brand<"Timestamp">

/** The schema of {@link Timestamp}. Its values are of that type by name, so that an editor shows `Timestamp` for a field. */
export interface TimestampSchema extends Schema.brand<Schema.String, "Timestamp"> {
  /** What it reads. */
  readonly Type: Timestamp
  /** What optics see. */
  readonly Iso: Timestamp
  readonly "~type.make": Timestamp
}

/** Schema of {@link Timestamp}: any JSON string. */
export const Timestamp: TimestampSchema = Schema.String.annotate(Field.holding("timestamp")).pipe(
  Schema.brand("Timestamp")
)

/** The text is not one of the service's time forms, or names a day or hour that does not exist. */
export class NotTimestamp extends Schema.TaggedError<NotTimestamp>()("NotTimestamp", { text: Schema.String }) {
  override get message() {
    const whole = this.text.replace(withoutSeconds, "$1:00$2")
    const hint = whole !== this.text && isTimestamp(whole) ? `; add the seconds: ${whole}` : ""
    return `"${this.text}" is not a time the service can read, such as 2006-01-20 or 2006-01-20T00:00:00Z${hint}`
  }
}

// docs/interface.md 14.2: a date (with or without dashes) or a date and time (with or without colons) with 0, 3, 6 or 9
// fractional digits and an optional Z.
const form = /^(\d{4})(-?)(\d{2})\2(\d{2})(?:T(\d{2})(:?)(\d{2})\6(\d{2})(?:\.(\d{3}|\d{6}|\d{9}))?Z?)?$/

const withoutSeconds = /^(\d{4}-?\d{2}-?\d{2}T\d{2}:\d{2})(Z?)$/

/** Marks text you trust as a moment. */
export const make = (text: string): Timestamp => Timestamp.make(text)

/** Tells whether text has one of the forms the service reads, and names a moment that exists. */
export const isTimestamp = (text: string): text is Timestamp => Result.isSuccess(toEpochNanos(text))

/** Converts without loss to nanoseconds since 1970-01-01T00:00:00Z. */
export const toEpochNanos = (self: string): Result.Result<bigint, NotTimestamp> => {
  const parts = form.exec(self)
  if (parts === null) return Result.fail(new NotTimestamp({ text: self }))
  const [, year, , month, day, hour = "00", , minute = "00", second = "00", fraction = ""] = parts
  const whole = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  // Half of the time of Effect's `DateTime`.
  const moment = new Date(whole)
  // A day that does not exist rolls over into the next month, and what is no moment gives NaN.
  return moment.getUTCDate() === Number(day)
    ? Result.succeed(BigInt(moment.getTime()) * 1_000_000n + BigInt(fraction.padEnd(9, "0")))
    : Result.fail(new NotTimestamp({ text: self }))
}

const day = 86_400_000_000_000n

/** The last nanosecond of the year 9999: the service reads years of four digits. */
const latest = 253_402_300_799_999_999_999n

/** The end of a range of time. */
export interface RangeEnd {
  /** Nanoseconds since 1970-01-01T00:00:00Z. */
  readonly nanos: bigint
  /** Whether that moment belongs to the range. */
  readonly isIncluded: boolean
}

/**
 * Reads the end of a range, which includes it unless told otherwise.
 *
 * **Details**
 *
 * A date without a time is its whole day: the range ends before the next day, or before that day where it is excluded.
 */
export const toRangeEnd = (self: string, isIncluded = true): Result.Result<RangeEnd, NotTimestamp> =>
  Result.map(toEpochNanos(self), (nanos) => {
    if (!isIncluded || self.includes("T")) return { nanos, isIncluded }
    const next = nanos + day
    return { nanos: next < latest ? next : latest, isIncluded: false }
  })

/**
 * Converts to Effect's `DateTime`.
 *
 * **Gotchas**
 *
 * A `DateTime` keeps milliseconds: the last six of nine fractional digits are cut off. {@link toEpochNanos} keeps all.
 */
export const toDateTime = (self: string): Result.Result<DateTime.Utc, NotTimestamp> =>
  Result.map(toEpochNanos(self), (nanos) => {
    const millis = nanos / 1_000_000n
    return DateTime.makeUnsafe(Number(nanos < 0n && nanos % 1_000_000n !== 0n ? millis - 1n : millis))
  })

/** Writes nanoseconds since 1970 the way the service does, with nine fractional digits. */
export const fromEpochNanos = (nanos: bigint): Timestamp => {
  const fraction = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  const whole = DateTime.makeUnsafe(Number((nanos - fraction) / 1_000_000n))
  return make(`${DateTime.formatIso(whole).slice(0, -5)}.${String(fraction).padStart(9, "0")}Z`)
}

/** Writes a `DateTime` the way the service does, with nine fractional digits. */
export const fromDateTime = (moment: DateTime.DateTime): Timestamp =>
  fromEpochNanos(BigInt(DateTime.toEpochMillis(moment)) * 1_000_000n)

/** Orders by moment. Text that is no moment comes first, ordered by its characters. */
export const Order: Ordering.Order<string> = /* @__PURE__ */ Ordering.make((a, b) => {
  const left = toEpochNanos(a)
  const right = toEpochNanos(b)
  if (Result.isSuccess(left)) return Result.isSuccess(right) ? Ordering.BigInt(left.success, right.success) : 1
  return Result.isSuccess(right) ? -1 : Ordering.String(a, b)
})
