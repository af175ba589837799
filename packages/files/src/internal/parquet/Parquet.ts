/**
 * Apache Parquet: the one module of this room that others import.
 *
 * Text and JSON are `STRING`, times of series `TIMESTAMP(NANOS)` or, on request, `TIMESTAMP(MICROS)`, in UTC, whole numbers `INT64`, and decimals `DOUBLE`
 * or, on request, `DECIMAL` or `STRING`; null and absent are both null. Row groups end by rows and bytes, so the same
 * records give the same file.
 */
import * as Collector from "@sluice/core/internal/columns/Collector"
import type { Column } from "@sluice/core/internal/columns/Column"
import * as ColumnType from "@sluice/core/internal/columns/ColumnType"
import { isWide } from "@sluice/core/internal/columns/UnscaledDecimal"
import { ParquetWriter, type SchemaElement } from "hyparquet-writer"
import type { FileWriter } from "../format/FileWriter.ts"
import * as LazyRows from "../format/LazyRows.ts"
import * as BlockPool from "./BlockPool.ts"
import * as ColumnChunk from "./ColumnChunk.ts"
import * as PageEncoder from "./PageEncoder.ts"
import { PooledBytes } from "./PooledBytes.ts"

export interface Options extends ColumnType.Options {
  /** Compression of its pages; Zstandard when absent. */
  readonly compression?: "gzip" | "zstd" | undefined
  /** Who alone reads the file, once: it is not compressed, and errors name the reader as the format. */
  readonly reader?: "DuckDB" | undefined
}

interface Sizes {
  readonly pageRows: number
  /** The bytes of each column of texts with which pages end. */
  readonly pageText: number
  readonly rows: number
  /** Bytes of values after which a row group ends. */
  readonly bytes: number
}

/** Row groups as tables of DuckDB have them: it joins those of fewer rows, which takes half as long as adding them. */
const duckdb: Sizes = { pageRows: 15_360, pageText: 1_048_576, rows: 122_880, bytes: 33_554_432 }

/**
 * A page of numbers has 128 KiB. Files with many columns have larger row groups, since each column of each row group has an entry
 * in the file's metadata, which stays in memory until the end.
 */
const usual = (columns: number): Sizes => ({
  pageRows: 16_384,
  pageText: 131_072,
  rows: 98_304,
  bytes: Math.min(Math.max(columns * 16, 2_048), 16_384) * 1_024
})

/** Columns that are filled for a file, and then for another. */
interface Columns extends Collector.Collector {
  emit: (batch: Collector.AnyBatch) => void
}

/** Builds a function that begins a file with these columns. Its files share a pool of memory. */
export const make = (
  columns: ReadonlyArray<Column>,
  { compression, reader, ...types }: Options,
  pool: BlockPool.BlockPool = BlockPool.make()
): (() => FileWriter) => {
  const sizes = reader === undefined ? usual(columns.length) : duckdb
  const encoder = PageEncoder.make(reader === undefined ? compression : "none")
  const elements = columns.map((column) => elementOf(column, ColumnType.of(column, types)))
  const schema = [{ name: "root", num_children: columns.length }, ...elements]
  const texts = elements.filter(({ type }) => type === "BYTE_ARRAY").length
  const making: Collector.Making = {
    columns,
    types,
    words: new Map(),
    // Each column of an open file has the values of a page in memory.
    rows: Math.min(sizes.pageRows, Math.ceil(sizes.bytes / (8 * columns.length))),
    textSize: sizes.pageText * Math.max(texts, 1),
    as: reader ?? "parquet"
  }
  /** What files have used that are complete. New memory for each would outlive V8's young generation, and fill the old one. */
  const free: Array<Columns> = []
  const makeColumns = (): Columns => {
    const made: Columns = { emit: () => undefined, ...Collector.make(making, (batch) => made.emit(batch), true) }
    return made
  }
  return () => {
    const open = columns.map((column, index) => ({
      name: column.name,
      chunk: ColumnChunk.make(column, elements[index]!, encoder, pool)
    }))
    const used = free.pop() ?? makeColumns()
    const output = new PooledBytes(pool)
    const file = new ParquetWriter({
      writer: encoder.writer,
      schema,
      createdBy: "sluice",
      kvMetadata: [{ key: "timezone", value: "UTC" }]
    })
    PageEncoder.flush(encoder, output)
    let count = 0
    let bytes = 0
    let isWhole = false

    const endRowGroup = () => {
      const start = output.length
      const chunks = open.map(({ chunk }) => chunk.end(output))
      file.num_rows += BigInt(count)
      file.row_groups.push({
        columns: chunks.map(({ entry }) => entry),
        num_rows: BigInt(count),
        total_byte_size: BigInt(chunks.reduce((total, { size }) => total + size, 0)),
        total_compressed_size: BigInt(output.length - start)
      })
      count = 0
      bytes = 0
    }

    used.emit = (batch) => {
      for (const { chunk, name } of open) bytes += chunk.add(batch.columns[name]!)
      count += batch.length
      if (count >= sizes.rows || bytes >= sizes.bytes) endRowGroup()
    }

    return {
      write: (records) => {
        const { from = 0, source } = LazyRows.of(records) ?? {}
        return source?._tag === "Columns" ? used.addColumns(source, from, from + records.length) : used.add(records)
      },
      end: () => {
        used.end(false)
        free.push(used)
        if (count > 0) endRowGroup()
        file.finish()
        PageEncoder.flush(encoder, output)
        isWhole = true
      },
      next: () => output.takeChunk() ?? (isWhole ? output.takeRest() : undefined),
      close: () => {
        for (const { chunk } of open) chunk.clear()
        output.clear()
      }
    }
  }
}

const elementOf = ({ name, nullable }: Column, type: ColumnType.ColumnType): SchemaElement => ({
  name,
  repetition_type: nullable ? "OPTIONAL" : "REQUIRED",
  ...typeOf(type)
})

const typeOf = (type: ColumnType.ColumnType): Omit<SchemaElement, "name"> => {
  switch (type._tag) {
    case "Time":
      // DuckDB reads times that are marked as UTC to the microsecond only; the file's metadata says that they are UTC.
      return type.unit === undefined
        ? { type: "INT64", logical_type: { type: "TIMESTAMP", isAdjustedToUTC: false, unit: "NANOS" } }
        : {
            type: "INT64",
            converted_type: "TIMESTAMP_MICROS",
            logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" }
          }
    case "Boolean":
      return { type: "BOOLEAN" }
    case "Double":
      return { type: "DOUBLE" }
    case "Int64":
      return { type: "INT64" }
    case "Decimal": {
      const { shape } = type
      const decimal = { converted_type: "DECIMAL", logical_type: { type: "DECIMAL", ...shape }, ...shape } as const
      return isWide(shape)
        ? { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16, ...decimal }
        : { type: "INT64", ...decimal }
    }
    case "Text":
    case "Json":
      return { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } }
  }
}
