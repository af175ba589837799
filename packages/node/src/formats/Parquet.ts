/**
 * Apache Parquet, written by hyparquet-writer a row group at a time.
 *
 * Text and JSON are `STRING`, times of series `TIMESTAMP(NANOS)` in UTC, decimals `STRING` or, on request, `DECIMAL`; null
 * and absent are both null. Row groups are cut by rows and bytes, so the same records give the same bytes.
 */
import * as Result from "effect/Result"
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from "hyparquet-writer"
import * as Zlib from "node:zlib"
import * as Cells from "./Cells.ts"
import type { Column } from "./Columns.ts"
import { quote, Unwritable } from "./FormatError.ts"
import type { Shape } from "./Unscaled.ts"
import { valueOf, type Writing } from "./Writing.ts"

/** Settings of a file. */
export interface Options {
  /** Compression of its pages; Snappy, which every reader knows, when absent. */
  readonly compression?: "gzip" | "zstd" | undefined
  /** Writes decimals as `DECIMAL` of this shape. */
  readonly decimal?: Shape | undefined
}

/** Rows of a row group, at most: what is alive at once while it is encoded should die young. */
const mostRows = 10000

/** Cells of a row group, at most: with many columns it has fewer rows. */
const mostCells = 400_000

/** Bytes of values in a row group, about; it ends with the row that reaches them. */
const mostBytes = 4 * 1024 * 1024

/** Begins a file with these columns. */
export const make = (columns: ReadonlyArray<Column>, { compression, decimal }: Options): Writing => {
  const rows = Math.max(1, Math.min(mostRows, Math.floor(mostCells / columns.length)))
  const held = columns.map((column) => ({ column, cells: Cells.make(column, decimal) }))
  const writer = new ByteWriter()
  const file = new ParquetWriter({
    writer,
    schema: [{ name: "root", num_children: columns.length }, ...columns.map((column) => elementOf(column, decimal))],
    codec: compression === "gzip" ? "GZIP" : compression === "zstd" ? "ZSTD" : "SNAPPY",
    compressors: { GZIP: (page) => Zlib.gzipSync(page), ZSTD: (page) => Zlib.zstdCompressSync(page) },
    createdBy: "sluice",
    kvMetadata: [{ key: "timezone", value: "UTC" }]
  })
  let written = 0
  let count = 0
  let bytes = 0

  const take = () => {
    const taken = writer.getBytes().slice()
    writer.index = 0
    return taken
  }

  const group = () => {
    file.write({ columnData: held.map(({ column, cells }) => sourceOf(column, cells)), rowGroupSize: count })
    for (const { cells } of held) cells.clear()
    written += count
    count = 0
    bytes = 0
    return take()
  }

  return {
    write: (records) => {
      const groups: Array<Uint8Array> = []
      for (const record of records) {
        for (const { column, cells } of held) {
          const size = cells.take(valueOf(record, column.name))
          if (size === undefined) return Result.fail(unwritable(record, column, cells, written + count + 1))
          bytes += size
        }
        count++
        if (count === rows || bytes >= mostBytes) groups.push(group())
      }
      return Result.succeed(groups)
    },
    end: () => {
      const last = count === 0 ? [] : [group()]
      file.finish()
      return [...last, take()]
    }
  }
}

const unwritable = (record: unknown, { name }: Column, { expected }: Cells.Cells, number: number) =>
  new Unwritable({
    as: "parquet",
    column: name,
    record: number,
    value: quote(valueOf(record, name)),
    reason: `expected ${expected}`
  })

const elementOf = ({ name, kind, nullable }: Column, decimal: Shape | undefined): SchemaElement => ({
  name,
  repetition_type: nullable ? "OPTIONAL" : "REQUIRED",
  ...typeOf(kind, decimal)
})

const typeOf = (kind: Column["kind"], decimal: Shape | undefined): Omit<SchemaElement, "name"> => {
  if (kind === "timestamp") {
    // Marked as adjusted to UTC, DuckDB would read microseconds only; the file's metadata says it is UTC.
    return { type: "INT64", logical_type: { type: "TIMESTAMP", isAdjustedToUTC: false, unit: "NANOS" } }
  }
  if (kind === "boolean") return { type: "BOOLEAN" }
  if (kind === "number") return { type: "DOUBLE" }
  if (kind === "decimal" && decimal !== undefined) {
    const type = { converted_type: "DECIMAL", logical_type: { type: "DECIMAL", ...decimal }, ...decimal } as const
    // 18 digits fit 8 bytes, 38 fit 16.
    return decimal.precision > 18
      ? { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16, ...type }
      : { type: "INT64", ...type }
  }
  return { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } }
}

const sourceOf = ({ name, kind }: Column, cells: Cells.Cells): ColumnSource => ({
  name,
  // Asked for column by column: so the values of one are alive at a time.
  get data() {
    return cells.values()
  },
  // Numbers as text do not sort as numbers: their least and greatest would tell a reader nothing.
  statistics: kind === "text" || kind === "timestamp",
  ...(kind === "timestamp" ? { encoding: "DELTA_BINARY_PACKED" } : {})
})
