/**
 * The columns of a batch of records that an audit looks at: times as milliseconds, values as doubles.
 */
import * as Predicate from "effect/Predicate"
import * as Keys from "../model/Keys.ts"
import * as Moment from "../model/Moment.ts"
import type { Time } from "../model/Store.ts"
import type { FieldCheck } from "./Rules.ts"

/** A batch as columns. */
export interface ReadColumns {
  readonly records: ReadonlyArray<unknown>
  readonly times: ReadonlyArray<Time>
  readonly millis: Float64Array
  /** By field and record; NaN where there is no number. */
  readonly values: ReadonlyArray<Float64Array>
}

const zero = 48

const two = (text: string, at: number) => (text.charCodeAt(at) - zero) * 10 + text.charCodeAt(at + 1) - zero

/** Reads milliseconds of times that exist. Remembers the last day, which most times share. */
export const makeMillis = () => {
  let day = ""
  let start = 0
  return (time: Time): number => {
    const own = time.slice(0, 10)
    if (own !== day) {
      day = own
      start = Moment.millisOf(`${own}T00:00:00.000000000Z`)
    }
    const seconds = (two(time, 11) * 60 + two(time, 14)) * 60 + two(time, 17)
    return start + seconds * 1000 + two(time, 20) * 10 + time.charCodeAt(22) - zero
  }
}

/** Whether a time is of a whole millisecond. */
export const isWhole = (time: Time): boolean => time.endsWith("000000Z")

const numberOf = (record: unknown, name: string): number => {
  const value: unknown = Reflect.get(Object(record), name)
  if (Predicate.isNumber(value)) return value
  return Predicate.isString(value) && value !== "" ? Number(value) : Number.NaN
}

const columnOf = (records: ReadonlyArray<unknown>, { name, rule }: FieldCheck): Float64Array => {
  const column = new Float64Array(records.length)
  for (let at = 0; at < column.length; at++) column[at] = numberOf(records[at], name)
  if (rule.isZeroAbsent !== true) return column
  for (let at = 0; at < column.length; at++) if (column[at] === 0) column[at] = Number.NaN
  return column
}

/** The columns of records whose times exist. */
export const of = (
  records: ReadonlyArray<unknown>,
  times: ReadonlyArray<Time>,
  fields: ReadonlyArray<FieldCheck>,
  millisOf: (time: Time) => number
): ReadColumns => {
  const millis = new Float64Array(records.length)
  for (let at = 0; at < millis.length; at++) millis[at] = millisOf(times[at]!)
  return { records, times, millis, values: fields.map((field) => columnOf(records, field)) }
}

/** The times of records. */
export const timesOf = (records: ReadonlyArray<unknown>): ReadonlyArray<Time> => records.map(Keys.timeOf)
