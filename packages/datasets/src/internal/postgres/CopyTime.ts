/**
 * Times of records as PostgreSQL has them: 64 bits of microseconds since 2000, and of nanoseconds since 1970.
 */
import * as Timestamp from "@sluice/core/Timestamp"
import * as Result from "effect/Result"

/** A time that exists. */
export interface DayTime {
  /** Days since 1970. */
  days: number
  /** Nanoseconds of the day. */
  nanos: number
}

/** Reads a time, given as bytes and, where it is not written as the service writes times, as text. Nothing where there is none. */
export type Reader = (bytes: Uint8Array, from: number, to: number, text: () => string) => DayTime | undefined

const encoder = new TextEncoder()

/** A time as the service writes it, of the highest digit at each place. */
const pattern = encoder.encode("9999-19-39T29:59:59.999999999Z")
const [zero, nine] = encoder.encode("09")

/** Where the hour begins in it, and the parts behind it. */
const [hoursAt, minutesAt, secondsAt, nanosAt] = [11, 14, 17, 20] as const
const dayLength = hoursAt - 1

/** Other texts that PostgreSQL reads as times, cut anywhere behind the day. */
const other = /^\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?Z?)?$/

const perDay = 86_400_000_000_000n

/** Builds a reader, which remembers the last day: most times have the day of the one before. A moment is valid until the next. */
export const makeReader = (): Reader => {
  const day = new Uint8Array(dayLength)
  const moment: DayTime = { days: 0, nanos: 0 }
  let isDay = false

  const hasDay = (bytes: Uint8Array, from: number) => {
    let at = 0
    while (at < dayLength && bytes[from + at] === day[at]) at++
    if (at === dayLength) return isDay
    day.set(bytes.subarray(from, from + dayLength))
    const text = String.fromCharCode(...day)
    const nanos = Result.getOrUndefined(Timestamp.toEpochNanos(text))
    // PostgreSQL has no year 0.
    isDay = nanos !== undefined && text >= "0001"
    moment.days = Number((nanos ?? 0n) / perDay)
    return isDay
  }

  const read = (bytes: Uint8Array, from: number): DayTime | undefined => {
    if (!hasDay(bytes, from)) return undefined
    const hours = two(bytes, from + hoursAt)
    if (hours > 23) return undefined
    let fraction = 0
    for (let at = nanosAt; at < pattern.length - 1; at++) fraction = fraction * 10 + bytes[from + at]! - zero!
    const seconds = (hours * 60 + two(bytes, from + minutesAt)) * 60 + two(bytes, from + secondsAt)
    moment.nanos = seconds * 1_000_000_000 + fraction
    return moment
  }

  return (bytes, from, to, text) => {
    if (to - from === pattern.length && hasClock(bytes, from)) return read(bytes, from)
    const short = text()
    if (!other.test(short)) return undefined
    const begun = short.replace("Z", "")
    return read(encoder.encode(`${begun}${"0000-00-00T00:00:00.000000000Z".slice(begun.length)}`), 0)
  }
}

const two = (bytes: Uint8Array, at: number) => (bytes[at]! - zero!) * 10 + bytes[at + 1]! - zero!

/** Whether all behind the day is as in the pattern. */
const hasClock = (bytes: Uint8Array, from: number) => {
  for (let at = dayLength; at < pattern.length; at++) {
    const [byte, highest] = [bytes[from + at]!, pattern[at]!]
    if (highest >= zero! && highest <= nine! ? byte < zero! || byte > highest : byte !== highest) return false
  }
  return true
}

/** Writes a moment as microseconds since 2000, without the digits of nanoseconds: a rounded time may be of the next day. */
export const putMicros = (view: DataView, at: number, { days, nanos }: DayTime): boolean =>
  put(view, at, days - 10_957, 86_400_000_000, Math.floor(nanos / 1_000))

/** Writes a moment as nanoseconds since 1970; false where they need more than 64 bits. */
export const putNanos = (view: DataView, at: number, { days, nanos }: DayTime): boolean =>
  put(view, at, days, 86_400_000_000_000, nanos)

const word = 2 ** 32

/** Writes so many days, of so many units each, and a rest. In two words, since a number holds 53 bits. */
const put = (view: DataView, at: number, days: number, unitsPerDay: number, rest: number) => {
  const low = days * (unitsPerDay % word) + rest
  const high = days * Math.floor(unitsPerDay / word) + Math.floor(low / word)
  view.setInt32(at, high)
  view.setUint32(at + 4, low)
  return high === (high | 0)
}
