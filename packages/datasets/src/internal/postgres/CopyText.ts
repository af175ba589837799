/**
 * Records as rows of a COPY in the text format: a line each, a tab between values, `\N` for null.
 */
import * as Decimal from "@sluice/core/Decimal"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Table, TableColumn } from "../database/Table.ts"
import * as Moment from "../model/Moment.ts"
import { valueOf } from "@sluice/core/internal/columns/Column"
import { type Unwritable, unwritable } from "@sluice/core/internal/columns/FormatError"
import * as JsonText from "@sluice/core/internal/columns/JsonText"
import * as EpochNanos from "@sluice/core/internal/columns/EpochNanos"
import * as NumberText from "@sluice/core/internal/columns/NumberText"
import { nanosColumn } from "./Statements.ts"

/** Writes the lines of some records, or fails with the first value that its column cannot hold without loss. */
export type Writer = (records: ReadonlyArray<unknown>) => Result.Result<string, Unwritable>

/** Writes a value other than null; gives nothing where the column cannot hold it. */
type Write = (value: unknown) => string | undefined

/** A column, the key of the record that it is from, and how its values are written. */
interface Place {
  readonly name: string
  readonly key: string
  readonly nullable: boolean
  readonly write: Write
  readonly expected: string
}

/** Builds a writer for a table. It counts the records, for its errors. */
export const make = (table: Table): Writer => {
  const places = placesOf(table)
  let count = 0
  return (records) => {
    let lines = ""
    for (const record of records) {
      count++
      let separator = ""
      for (const place of places) {
        const value = valueOf(record, place.key)
        const isNull = Predicate.isNullish(value)
        const text = isNull ? (place.nullable ? "\\N" : undefined) : place.write(value)
        if (text === undefined) return Result.fail(unwritable("PostgreSQL", count, place, value))
        lines += separator + text
        separator = "\t"
      }
      lines += "\n"
    }
    return Result.succeed(lines)
  }
}

const placesOf = ({ columns, isGrid, time }: Table): ReadonlyArray<Place> => {
  const places = columns.map((column): Place => {
    const isKey = column.name === time
    const how = isKey && isGrid ? gridTimes() : kindOf(column)
    return { name: column.name, key: column.name, nullable: column.nullable, ...how }
  })
  return isGrid ? places : [...places, { name: nanosColumn, key: time, nullable: false, ...nanos() }]
}

const kindOf = ({ type }: TableColumn): Pick<Place, "write" | "expected"> => {
  switch (type._tag) {
    case "Text":
      return { write: (value) => textOf(Predicate.isString(value) ? value : JsonText.write(value)), expected: anyText }
    case "Json":
      return { write: (value) => jsonOf(JsonText.write(value)), expected: anyText }
    case "Boolean":
      return { write: (value) => (Predicate.isBoolean(value) ? String(value) : undefined), expected: "true or false" }
    case "Int64":
      return { write: (value) => NumberText.toInt64(value)?.toString(), expected: "a whole number of 64 bits" }
    case "Double":
      return { write: doubleOf, expected: "a number that a double can hold" }
    case "Decimal":
      return { write: decimalOf, expected: "a decimal number" }
    case "Time":
      return times()
  }
}

const anyText = "text in Unicode without the character NUL"

const textOf = (text: string) => (text.isWellFormed() && !text.includes("\0") ? escaped(text) : undefined)

/** JSON has escapes for what PostgreSQL keeps in no text. */
const jsonOf = (text: string) => (/\\u(?:0000|d[89a-f])/.test(text) ? undefined : textOf(text))

const escaped = (text: string) =>
  needsEscape.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (one) => escapes.get(one) ?? one) : text

const needsEscape = /[\\\t\n\r]/

const escapes: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\r", "\\r"]
])

/** Text that both PostgreSQL and JavaScript read as the same double. */
const plainNumber = /^-?\d{1,30}(?:\.\d{1,30})?$/

/** PostgreSQL refuses a number that is too small for a double, which is zero elsewhere, so such a text is read here. */
const doubleOf: Write = (value) =>
  Predicate.isString(value) && plainNumber.test(value) ? value : NumberText.toDouble(value)?.toString()

const decimalOf: Write = (value) => {
  const text = Predicate.isNumber(value) ? String(value) : value
  if (!Predicate.isString(text)) return undefined
  return plainNumber.test(text) || Result.isSuccess(Decimal.toBigDecimal(text)) ? text : undefined
}

/** As the service writes times: nine digits after the point. */
const nineDigits = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{9}Z$/

const otherTime = /^\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?Z?)?$/

/** A time that exists: of another the whole COPY would fail, without a word of which. */
const makeTime = (): Write => {
  const hasDay = Moment.makeDayCheck()
  return (value) => {
    // PostgreSQL has no year 0.
    if (!Predicate.isString(value) || value < "0001" || !hasDay(value)) return undefined
    // PostgreSQL would round to microseconds, and a rounded time may be of the next day.
    return nineDigits.test(value) ? `${value.slice(0, 26)}Z` : otherTime.test(value) ? value : undefined
  }
}

const times = () => ({ write: makeTime(), expected: "a time that exists" })

const gridTimes = () => {
  const write = makeTime()
  return {
    write: (value: unknown) =>
      Predicate.isString(value) && nineDigits.test(value) && !value.endsWith("000Z") ? undefined : write(value),
    expected: "a time that exists, of whole microseconds"
  }
}

const nanos = () => {
  const read = EpochNanos.makeReader()
  return {
    write: (value: unknown) => (Predicate.isString(value) ? read(value)?.toString() : undefined),
    expected: "a time from 1678 to 2261, in nanoseconds at most"
  }
}
