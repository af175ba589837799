/** Times of a series as nanoseconds since 1970. */
import * as Timestamp from "../../Timestamp.ts"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** What a reader takes, in the words of an error. */
export const expected = "a time from 1678 to 2261, in nanoseconds at most"

/** The same where only whole microseconds are taken. */
export const expectedMicros = "a time in whole microseconds; times: nanos keeps all digits"

/** Converts text to nanoseconds; gives nothing where they need more than 64 bits, before 1678 or after 2261. */
export type Reader = (text: string) => bigint | undefined

/**
 * Builds a reader, which remembers the last day: most times have the day of the one before. Without, a file of five
 * columns takes twice the time.
 */
export const makeReader = (): Reader => {
  let day = "none"
  let start = 0n
  return (text) => {
    const within = withinDay(text)
    if (within === undefined) return fits(nanosOf(text))
    if (!text.startsWith(day)) {
      const date = text.slice(0, 10)
      const nanos = nanosOf(date)
      if (nanos === undefined) return undefined
      day = date
      start = nanos
    }
    return fits(start + BigInt(within))
  }
}

/** Nanoseconds since midnight, of text as series have it; nothing where the text has another form. */
const withinDay = (text: string) => {
  const isForm =
    text.length === 30 &&
    text[10] === "T" &&
    text[13] === ":" &&
    text[16] === ":" &&
    text[19] === "." &&
    text[29] === "Z"
  if (!isForm) return undefined
  const [hours, minutes, seconds] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)]
  const nanos = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + digits(text, 20, 29)
  return hours < 24 && minutes < 60 && seconds < 60 && !Number.isNaN(nanos) ? nanos : undefined
}

/** The number that a part of a text says in digits, `NaN` where there is another character. */
const digits = (text: string, from: number, to: number) => {
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 48
    value = digit >= 0 && digit <= 9 ? value * 10 + digit : Number.NaN
  }
  return value
}

const nanosOf = (text: string) => Option.getOrUndefined(Result.getSuccess(Timestamp.toEpochNanos(text)))

const fits = (nanos: bigint | undefined) =>
  nanos === undefined || BigInt.asIntN(64, nanos) !== nanos ? undefined : nanos
