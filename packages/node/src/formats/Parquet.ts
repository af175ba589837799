/**
 * Apache Parquet, written by hyparquet-writer a row group at a time.
 *
 * Text and JSON are `STRING`, times of series `TIMESTAMP(NANOS)` in UTC, decimals `STRING` or, on request, `DECIMAL`; null
 * and absent are both null. Row groups are cut by rows and bytes, so the same records give the same bytes.
 */
import * as Result from "effect/Result"
import { ParquetWriter, type SchemaElement } from "hyparquet-writer"
import * as Zlib from "node:zlib"
import type { Blocks } from "./Blocks.ts"
import * as Cells from "./Cells.ts"
import * as ColumnChunk from "./ColumnChunk.ts"
import type { Column } from "./Columns.ts"
import { quote, Unwritable } from "./FormatError.ts"
import { Output } from "./Output.ts"
import { snappyCompress } from "hyparquet-writer/src/snappy.js"
import { isWide, type Shape } from "./Unscaled.ts"
import { valueOf, type Writing } from "./Writing.ts"

/** Settings of a file. */
export interface Options {
  /** Compression of its pages; Snappy, which every reader knows, when absent. */
  readonly compression?: "gzip" | "zstd" | undefined
  /** Writes decimals as `DECIMAL` of this shape. */
  readonly decimal?: Shape | undefined
}

/** Rows of a row group, at most. */
const mostRows = 100_000

/**
 * Bytes of values in a row group, about: it ends with the row that reaches them. Many columns get more, for every one
 * has an entry of its own in the file's metadata, which stays in memory until the end.
 */
const mostBytes = (columns: number) => Math.min(Math.max(columns * 16, 2_048), 16_384) * 1_024

/** Builds what begins files with these columns. Their memory is these blocks; a file gives its own back when closed. */
export const make = (
  columns: ReadonlyArray<Column>,
  { compression, decimal }: Options,
  blocks: Blocks
): (() => Writing) => {
  const press = pressOf(compression)
  const schema = [
    { name: "root", num_children: columns.length },
    ...columns.map((column) => elementOf(column, decimal))
  ]
  const most = mostBytes(columns.length)
  return () => {
    const held = columns.map((column) => {
      const cells = Cells.make(column, decimal, blocks)
      return { column, cells, chunk: ColumnChunk.make(elementOf(column, decimal), cells, press, blocks) }
    })
    const output = new Output(blocks)
    const file = new ParquetWriter({
      writer: press.writer,
      schema,
      createdBy: "sluice",
      kvMetadata: [{ key: "timezone", value: "UTC" }]
    })
    ColumnChunk.move(press, output)
    let written = 0
    let count = 0
    let bytes = 0
    let isWhole = false

    const group = () => {
      const start = output.length
      const ended = held.map(({ chunk }) => chunk.end(output))
      file.num_rows += BigInt(count)
      file.row_groups.push({
        columns: ended.map(({ entry }) => entry),
        num_rows: BigInt(count),
        total_byte_size: BigInt(ended.reduce((total, { size }) => total + size, 0)),
        total_compressed_size: BigInt(output.length - start)
      })
      written += count
      count = 0
      bytes = 0
    }

    return {
      write: (records) => {
        for (const record of records) {
          for (const { column, cells, chunk } of held) {
            const size = chunk.take(valueOf(record, column.name))
            if (size === undefined) return Result.fail(unwritable(record, column, cells, written + count + 1))
            bytes += size
          }
          count++
          if (count === mostRows || bytes >= most) group()
        }
        return Result.void
      },
      end: () => {
        if (count > 0) group()
        file.finish()
        ColumnChunk.move(press, output)
        isWhole = true
      },
      next: () => output.next() ?? (isWhole ? output.rest() : undefined),
      close: () => {
        for (const { chunk } of held) chunk.clear()
        output.clear()
      }
    }
  }
}

const pressOf = (compression: Options["compression"]) => {
  if (compression === "gzip") return ColumnChunk.makePress("GZIP", (page) => Zlib.gzipSync(page))
  if (compression === "zstd") return ColumnChunk.makePress("ZSTD", (page) => Zlib.zstdCompressSync(page))
  return ColumnChunk.makePress("SNAPPY", snappyCompress)
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
    return isWide(decimal) ? { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16, ...type } : { type: "INT64", ...type }
  }
  return { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } }
}
