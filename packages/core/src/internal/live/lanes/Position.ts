/** Where a record stands in its series: its time, or the height of its block, as text. */
import * as Result from "effect/Result"
import * as Timestamp from "../../../Timestamp.ts"

/** What positions are. */
export type Unit = "time" | "height"

export const compare = (unit: Unit, a: string, b: string): number => {
  if (unit === "height") return Number(a) - Number(b)
  // Texts of one length usually have one format, which sorts by time.
  return a.length === b.length ? (a < b ? -1 : a === b ? 0 : 1) : Timestamp.Order(a, b)
}

/** The nanoseconds of a time that was checked. */
export const nanosOf = (time: string): bigint => Result.getOrElse(Timestamp.toEpochNanos(time), () => 0n)

/** The last nanosecond of the years of four digits, which the service reads. */
const end = nanosOf("9999-12-31T23:59:59.999999999Z")

/** A time moved by nanoseconds. */
export const moved = (time: string, nanos: bigint): string => {
  const at = nanosOf(time) + nanos
  return Timestamp.fromEpochNanos(at < end ? at : end)
}

/** Blocks below a height that others may have replaced meanwhile. */
const replaceable = 12

/** A position before which nothing comes late, and no block is replaced. */
export const before = (unit: Unit, position: string, late: bigint): string =>
  unit === "time" ? moved(position, -late) : String(Math.max(0, Number(position) - replaceable))

/**
 * Whether a text comes after another one of the same length. V8 compares parts of texts, as all values of records are,
 * in a slow way.
 */
export const isGreater = (text: string, other: string): boolean => {
  const { length } = text
  if (length !== other.length) return false
  for (let at = 0; at < length; at++) {
    const difference = text.charCodeAt(at) - other.charCodeAt(at)
    if (difference !== 0) return difference > 0
  }
  return false
}

export const isAfter = (unit: Unit, position: string, other: string): boolean =>
  unit === "time" && position.length === other.length ? isGreater(position, other) : compare(unit, position, other) > 0

/** Where the fraction of a second begins in a time of the usual form, and the length of that with its Z. */
const [fraction, whole] = [20, 30]

/** Whether a time is in the second of another one that exists, so that it exists too. */
const isInSecondOf = (time: string, other: string): boolean => {
  if (time.length !== whole || other.length !== whole || time.charCodeAt(whole - 1) !== 90) return false
  for (let at = 0; at < fraction; at++) if (time.charCodeAt(at) !== other.charCodeAt(at)) return false
  for (let at = fraction; at < whole - 1; at++) {
    const digit = time.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return false
  }
  return true
}

const height = /^\d{1,15}$/

/** Builds what tells positions that exist from others, such as 31 November. */
export const makeCheck = (unit: Unit): ((position: string) => boolean) => {
  if (unit === "height") return (position) => height.test(position)
  // Most times are in the second of the one before.
  let last = ""
  return (time) => {
    if (isInSecondOf(time, last)) return true
    if (!Timestamp.isTimestamp(time)) return false
    last = time
    return true
  }
}
