/**
 * Arithmetic on the times of records. What is no time stays as it is.
 */
import * as Timestamp from "@sluice/core/Timestamp"
import * as Result from "effect/Result"
import type { Time } from "./Store.ts"

/** A time before all records, from which a dataset grows to the beginning of its series. */
export const beginning = "1970-01-01T00:00:00.000000000Z"

const perMillisecond = 1_000_000n

/** Nanoseconds since 1970; nothing of what is no time. */
export const nanosOf = (time: Time): bigint | undefined => Result.getOrUndefined(Timestamp.toEpochNanos(time))

/** Whole milliseconds since 1970; 0 of what is no time. */
export const millisOf = (time: Time): number => Number((nanosOf(time) ?? 0n) / perMillisecond)

/** The time of so many milliseconds since 1970. */
export const ofMillis = (millis: number): Time => Timestamp.fromEpochNanos(BigInt(Math.floor(millis)) * perMillisecond)

/** The last nanosecond of the year 9999: times of later years do not compare as text. */
const latest = 253_402_300_799_999_999_999n

const moved = (time: Time, move: (nanos: bigint) => bigint): Time => {
  const nanos = nanosOf(time)
  if (nanos === undefined) return time
  const to = move(nanos)
  return Timestamp.fromEpochNanos(to > latest ? latest : to)
}

/** The next nanosecond: the first time after a record of this time. */
export const next = (time: Time): Time => moved(time, (nanos) => nanos + 1n)

/** The nanosecond before. */
export const previous = (time: Time): Time => moved(time, (nanos) => nanos - 1n)

/**
 * The whole millisecond that a time is in. The times of requests are whole milliseconds, as it is not known whether the service
 * reads more digits.
 */
export const floor = (time: Time): Time =>
  moved(time, (nanos) => nanos - (((nanos % perMillisecond) + perMillisecond) % perMillisecond))

/** The first whole millisecond after a record of this time. */
export const nextMilli = (time: Time): Time => later(floor(time), 1)

/** A time so many milliseconds later. */
export const later = (time: Time, millis: number): Time =>
  moved(time, (nanos) => nanos + BigInt(millis) * perMillisecond)

/** A time so many milliseconds earlier, and none before 1970: times of years before 0 do not compare as text. */
export const earlier = (time: Time, millis: number): Time =>
  moved(time, (nanos) => {
    const from = nanos - BigInt(Math.round(millis)) * perMillisecond
    return from < 0n ? 0n : from
  })

/** Of a year of four digits: others have no place among them. */
const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/

/** With an hour, a minute and a second that exist. */
const ofDay = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{9}Z$/

const noMoment = 'has a "time" that does not exist'

/** Tells whether the day of a time exists. Remembers the last: most times have the day of the one before. */
const makeDayCheck = () => {
  let day = "none"
  return (time: string): boolean => {
    if (time.startsWith(day)) return true
    const own = time.slice(0, 10)
    if (!Timestamp.isTimestamp(own)) return false
    day = own
    return true
  }
}

/** Tells what is wrong with the `time` of a record, if anything. */
export const makeCheck = () => {
  const hasDay = makeDayCheck()
  return (time: string): string | undefined => {
    if (!ofDay.test(time)) return form.test(time) ? noMoment : "has no time"
    return hasDay(time) ? undefined : noMoment
  }
}
