/**
 * Times of a series as nanoseconds since 1970.
 */
import * as Timestamp from "../../Timestamp.ts"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** What a reader takes, in the words of an error. */
export const expected = "a time from 1678 to 2261, in nanoseconds at most"

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

/** Reads times of a batch, one after the other, into two halves of 64 bits. */
export interface BytesReader {
  /** Reads the text from one offset to another; false where it has another form, or is out of range. */
  readonly read: (bytes: Uint8Array, from: number, to: number) => boolean
  /** The lower 32 bits of the last time, unsigned. */
  readonly low: number
  /** The higher 32 bits, signed. */
  readonly high: number
}

/** Builds a reader. It makes no object for a time, and remembers the last day as {@link makeReader} does. */
export const makeBytesReader = (): BytesReader => {
  const day = new Uint8Array(10)
  let isKnown = false
  let [startLow, startHigh] = [0, 0]

  const isDay = (bytes: Uint8Array, from: number) => {
    for (let at = 0; at < 10; at++) if (bytes[from + at] !== day[at]) return false
    return isKnown
  }
  const setDay = (bytes: Uint8Array, from: number): boolean => {
    isKnown = false
    day.set(bytes.subarray(from, from + 10))
    const start = fits(nanosOf(String.fromCharCode(...day)))
    if (start === undefined || fits(start + lastNano) === undefined) return false
    startLow = Number(BigInt.asUintN(32, start))
    startHigh = Number(start >> 32n)
    isKnown = true
    return true
  }

  const reader = {
    low: 0,
    high: 0,
    read: (bytes: Uint8Array, from: number, to: number) => {
      const within = to - from === 30 ? withinDayOf(bytes, from) : undefined
      if (within === undefined || (!isDay(bytes, from) && !setDay(bytes, from))) return false
      const high = Math.floor(within / 4_294_967_296)
      const low = startLow + within - high * 4_294_967_296
      const carry = low >= 4_294_967_296 ? 1 : 0
      reader.low = low - carry * 4_294_967_296
      reader.high = startHigh + high + carry
      return true
    }
  }
  return reader
}

const lastNano = 86_399_999_999_999n

/** The same as {@link withinDay}, of 30 bytes. */
const withinDayOf = (bytes: Uint8Array, from: number) => {
  const isForm =
    bytes[from + 10] === 84 &&
    bytes[from + 13] === 58 &&
    bytes[from + 16] === 58 &&
    bytes[from + 19] === 46 &&
    bytes[from + 29] === 90
  if (!isForm) return undefined
  const hours = digitsOf(bytes, from + 11, from + 13)
  const minutes = digitsOf(bytes, from + 14, from + 16)
  const seconds = digitsOf(bytes, from + 17, from + 19)
  const nanos = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + digitsOf(bytes, from + 20, from + 29)
  return hours < 24 && minutes < 60 && seconds < 60 && !Number.isNaN(nanos) ? nanos : undefined
}

const digitsOf = (bytes: Uint8Array, from: number, to: number) => {
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = bytes[at]! - 48
    value = digit >= 0 && digit <= 9 ? value * 10 + digit : Number.NaN
  }
  return value
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
