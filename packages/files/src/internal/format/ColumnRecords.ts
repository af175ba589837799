/** Rows of columns, such as those of a page of Parquet, and the records that they are. */
import type { AnyColumn } from "@sluice/core/Columns"
import * as TypedColumn from "@sluice/core/internal/columns/TypedColumn"
import * as Timestamp from "@sluice/core/Timestamp"

/** Columns, and what makes records of them. */
export interface ColumnRecords extends TypedColumn.ColumnRows {
  readonly _tag: "Columns"
  /** Keys of the records as they were sent, so that one without a column can be reported. */
  readonly keys: ReadonlyArray<string>
  /** Makes the record of a row. A key that is null is absent. */
  readonly rowOf: (index: number) => Readonly<Record<string, unknown>>
}

export const make = (length: number, columns: ReadonlyArray<AnyColumn>, keys: ReadonlyArray<string>): ColumnRecords => {
  const readers = columns.map((column) => ({ ...column, valueOf: readerOf(column) }))
  const byName = new Map(columns.map((column) => [column.name, column]))
  return {
    _tag: "Columns",
    length,
    keys,
    column: (name) => byName.get(name),
    rowOf: (index) => {
      const row: Record<string, unknown> = {}
      for (const { isNull, name, valueOf } of readers) if (!isNull(index)) row[name] = valueOf(index)
      return row
    }
  }
}

/** Makes of a value other than null what a record has. */
const readerOf = (column: AnyColumn): ((index: number) => unknown) => {
  if (column.type === "time") return timeReader(column.values)
  if (column.type === "double") return (index) => column.values[index]
  if (column.type !== "text" && column.type !== "json") return (index) => TypedColumn.recordValue(column, index)
  // A `Buffer` decodes a short text in a third of the time of a `TextDecoder`.
  const { bytes, offsets } = column
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const textOf = (index: number) => buffer.toString("utf8", offsets[index], offsets[index + 1])
  return column.type === "text" ? textOf : (index) => JSON.parse(textOf(index))
}

/** Nanoseconds of a day. */
const dayNumber = 86_400_000_000_000
const dayBigint = BigInt(dayNumber)

const padded = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, "0"))

/**
 * Makes text of times. Remembers the last day: to work out the calendar for each took most of the time of a record. The nanoseconds since it
 * began are a number below 2^53, worked out from the two halves of a time: reading a whole one would make a `bigint`.
 */
const timeReader = (values: BigInt64Array): ((index: number) => string) => {
  const low = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
  const high = new Int32Array(values.buffer, values.byteOffset, 2 * values.length)
  let [beginLow, beginHigh] = [0, 0]
  let prefix = ""
  const withinDay = (index: number) => (high[2 * index + 1]! - beginHigh) * 2 ** 32 + low[2 * index]! - beginLow
  return (index) => {
    let within = withinDay(index)
    if (prefix === "" || within < 0 || within >= dayNumber) {
      const nanos = values[index]!
      const begin = nanos - (((nanos % dayBigint) + dayBigint) % dayBigint)
      prefix = Timestamp.fromEpochNanos(begin).slice(0, -"00:00:00.000000000Z".length)
      beginLow = Number(BigInt.asUintN(32, begin))
      beginHigh = Number(begin >> 32n)
      within = withinDay(index)
    }
    const seconds = Math.floor(within / 1e9)
    const minutes = Math.floor(seconds / 60)
    const time = `${padded[Math.floor(minutes / 60)]}:${padded[minutes % 60]}:${padded[seconds % 60]}`
    return `${prefix}${time}.${String(within % 1e9).padStart(9, "0")}Z`
  }
}
