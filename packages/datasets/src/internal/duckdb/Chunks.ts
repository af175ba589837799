/**
 * Records as the columns that an appender of DuckDB takes.
 */
import {
  DuckDBDataChunk,
  DuckDBDecimalValue,
  DuckDBTimestampNanosecondsValue,
  type DuckDBAppender,
  type DuckDBValue
} from "@duckdb/node-api"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Table, TableColumn } from "../database/Table.ts"
import { valueOf } from "@sluice/core/internal/columns/Column"
import { type Unwritable, unwritable } from "@sluice/core/internal/columns/FormatError"
import * as JsonText from "@sluice/core/internal/columns/JsonText"
import * as EpochNanos from "@sluice/core/internal/columns/EpochNanos"
import * as NumberText from "@sluice/core/internal/columns/NumberText"
import * as UnscaledDecimal from "@sluice/core/internal/columns/UnscaledDecimal"

/** The most rows of a chunk. */
const mostRows = 2048

/** Reads a value other than null; gives nothing where the column cannot hold it. */
type Read = (value: unknown) => DuckDBValue | undefined

/** A column, how its values are read, and those that wait for a chunk. */
interface Place {
  readonly name: string
  readonly nullable: boolean
  readonly read: Read
  readonly expected: string
  values: Array<DuckDBValue>
}

/** Appends records. */
export interface Writer {
  /** Adds records, or fails with the first value that its column cannot hold without loss. */
  readonly write: (records: ReadonlyArray<unknown>) => Result.Result<void, Unwritable>
  /** Appends what waits. */
  readonly end: () => void
}

/** Builds a writer to an appender of the table. */
export const make = (table: Table, appender: DuckDBAppender): Writer => {
  const places = table.columns.map((column): Place => ({
    name: column.name,
    nullable: column.nullable,
    values: [],
    ...kindOf(column)
  }))
  const types = places.map((_, index) => appender.columnType(index))
  let count = 0
  let waiting = 0

  const send = () => {
    const chunk = DuckDBDataChunk.create(types, waiting)
    chunk.setColumns(places.map(({ values }) => values))
    appender.appendDataChunk(chunk)
    for (const place of places) place.values = []
    waiting = 0
  }
  return {
    write: (records) => {
      for (const record of records) {
        count++
        for (const place of places) {
          const value = valueOf(record, place.name)
          const isNull = Predicate.isNullish(value)
          const read = isNull ? (place.nullable ? null : undefined) : place.read(value)
          if (read === undefined) return Result.fail(unwritable("DuckDB", count, place, value))
          place.values.push(read)
        }
        if (++waiting === mostRows) send()
      }
      return Result.void
    },
    end: () => {
      if (waiting > 0) send()
    }
  }
}

const kindOf = ({ type }: TableColumn): Pick<Place, "read" | "expected"> => {
  switch (type._tag) {
    case "Text":
      return { read: (value) => textOf(Predicate.isString(value) ? value : JsonText.write(value)), expected: anyText }
    case "Json":
      return { read: (value) => textOf(JsonText.write(value)), expected: anyText }
    case "Boolean":
      return { read: (value) => (Predicate.isBoolean(value) ? value : undefined), expected: "true or false" }
    case "Int64":
      return { read: (value) => NumberText.toInt64(value), expected: "a whole number of 64 bits" }
    case "Double":
      return { read: NumberText.toDouble, expected: "a number that a double can hold" }
    case "Decimal": {
      const { precision, scale } = type.shape
      const read = UnscaledDecimal.makeReader(type.shape)
      return {
        read: (value) => {
          const unscaled = Predicate.isString(value) ? read(value) : undefined
          return unscaled === undefined ? undefined : new DuckDBDecimalValue(unscaled, precision, scale)
        },
        expected: `a decimal of ${precision} digits, ${scale} of them after the point`
      }
    }
    case "Time": {
      const read = EpochNanos.makeReader()
      return {
        read: (value) => {
          const nanos = Predicate.isString(value) ? read(value) : undefined
          return nanos === undefined ? undefined : new DuckDBTimestampNanosecondsValue(nanos)
        },
        expected: "a time from 1678 to 2261, in nanoseconds at most"
      }
    }
  }
}

const anyText = "text in Unicode"

/** A lone surrogate has no bytes in UTF-8. */
const textOf = (text: string) => (text.isWellFormed() ? text : undefined)
