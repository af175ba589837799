/**
 * Times of a series as nanoseconds since 1970, many at a time: most have the day of the one before.
 */
import * as Timestamp from "@sluice/core/Timestamp"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** Converts text to nanoseconds that fit 64 bits, which the years 1678 to 2261 do; nothing where it does not. */
export type Reader = (text: string) => bigint | undefined

/** Builds a reader, which remembers the last day it met. */
export const makeReader = (): Reader => {
  let day = ""
  let start = 0n
  return (text) => {
    const moment = clock.exec(text)
    if (moment === null) return fits(nanosOf(text))
    const [, date = "", hours = "", minutes = "", seconds = "", fraction = ""] = moment
    if (date !== day) {
      const nanos = nanosOf(date)
      if (nanos === undefined) return undefined
      day = date
      start = nanos
    }
    const second = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
    return fits(start + BigInt(second * 1_000_000_000 + Number(fraction)))
  }
}

/** The form of every time of a series; times in another one are read the long way. */
const clock = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)\.(\d{9})Z$/

const nanosOf = (text: string) => Option.getOrUndefined(Result.getSuccess(Timestamp.toEpochNanos(text)))

const fits = (nanos: bigint | undefined) =>
  nanos === undefined || BigInt.asIntN(64, nanos) !== nanos ? undefined : nanos
