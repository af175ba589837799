/**
 * Apache Parquet: the one module of this room that others import.
 *
 * Text and JSON are `STRING`, times of series `TIMESTAMP(NANOS)` in UTC, whole numbers `INT64`, and decimals `DOUBLE`
 * or, on request, `DECIMAL` or `STRING`; null and absent are both null. Row groups end by rows and bytes, so the same
 * records give the same file.
 */
import * as Batch from "@sluice/core/Batch"
import * as Result from "effect/Result"
import { ParquetWriter, type SchemaElement } from "hyparquet-writer"
import { type Column, valueOf } from "@sluice/core/internal/columns/Column"
import * as ColumnType from "@sluice/core/internal/columns/ColumnType"
import type { FileWriter } from "../format/FileWriter.ts"
import * as FormatError from "@sluice/core/internal/columns/FormatError"
import * as BlockPool from "./BlockPool.ts"
import { PooledBytes } from "./PooledBytes.ts"
import * as ColumnBatch from "@sluice/core/internal/columns/ColumnBatch"
import * as ColumnChunk from "./ColumnChunk.ts"
import * as ColumnValues from "./ColumnValues.ts"
import * as PageEncoder from "./PageEncoder.ts"
import { isWide } from "@sluice/core/internal/columns/UnscaledDecimal"

/** Settings of a file. */
export interface Options extends ColumnType.Options {
  /** Compression of its pages; Zstandard when absent. */
  readonly compression?: "gzip" | "zstd" | undefined
}

/** The most rows of a row group. */
const mostRows = 100_000

/**
 * Bytes of values after which a row group ends. Files with many columns have larger row groups, since each column of
 * each row group has an entry in the file's metadata, which stays in memory until the end.
 */
const mostBytes = (columns: number) => Math.min(Math.max(columns * 16, 2_048), 16_384) * 1_024

/** Runs with fewer records are added record by record: a call for each column costs more. */
const fewest = 8

/** Bytes that a value may take beyond those it has in a batch, with its key. Texts and times take none. */
const sizeBeyond = ({ _tag }: ColumnType.ColumnType) => (_tag === "Double" || _tag === "Decimal" ? 16 : 0)

/** A column of a file that is being written. */
interface OpenColumn {
  readonly column: Column
  readonly values: ColumnValues.ColumnValues
  readonly chunk: ColumnChunk.ColumnChunk
}

/** The columns that a run has, or has to have, and those that it lacks. */
interface Placed {
  readonly here: ReadonlyArray<OpenColumn>
  readonly absent: ReadonlyArray<OpenColumn>
}

/** Builds a function that begins a file with these columns. Its files share a pool of memory. */
export const make = (
  columns: ReadonlyArray<Column>,
  { compression, ...numbers }: Options,
  pool: BlockPool.BlockPool = BlockPool.make()
): (() => FileWriter) => {
  const encoder = PageEncoder.make(compression)
  const schema = [
    { name: "root", num_children: columns.length },
    ...columns.map((column) => elementOf(column, ColumnType.of(column, numbers)))
  ]
  const most = mostBytes(columns.length)
  const mostBeyond = columns.reduce(
    (total, column) => total + sizeBeyond(ColumnType.of(column, numbers)),
    columns.length / 8
  )
  let made: ColumnBatch.ColumnBatch | undefined
  /** Made for the first batch: most programs read none. */
  const batches = () => (made ??= ColumnBatch.make())
  return () => {
    const open = columns.map((column): OpenColumn => {
      const type = ColumnType.of(column, numbers)
      const values = ColumnValues.make(type, column.nullable, pool)
      return { column, values, chunk: ColumnChunk.make(column, elementOf(column, type), values, encoder, pool) }
    })
    const output = new PooledBytes(pool)
    const file = new ParquetWriter({
      writer: encoder.writer,
      schema,
      createdBy: "sluice",
      kvMetadata: [{ key: "timezone", value: "UTC" }]
    })
    PageEncoder.flush(encoder, output)
    let written = 0
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
      written += count
      count = 0
      bytes = 0
    }

    /** Adds a run column by column, which it can where no row group ends in it. Gives the first value that does not fit. */
    const addRun = (run: Batch.Run, { absent, here }: Placed, source: Uint8Array) => {
      let failed: { readonly record: number; readonly column: OpenColumn } | undefined
      for (const column of here) {
        const { records, size } = column.chunk.addRun(batches(), run, source)
        bytes += size
        if (records < Math.min(run.count, failed?.record ?? Infinity)) failed = { record: records, column }
      }
      for (const { chunk } of absent) chunk.addNulls(run.count)
      bytes += (run.count * open.length) / 8
      count += run.count
      return failed
    }

    /** Adds a run record by record. */
    const addRecords = (run: Batch.Run, { absent, here }: Placed, source: Uint8Array) => {
      const { count: length, first, keys, offsets } = run
      const places = here.map(({ column }) => 2 * keys.indexOf(column.name))
      // Added together: many columns, such as review statuses, are absent from most records.
      let pending = 0
      const addAbsent = () => {
        for (const { chunk } of absent) chunk.addNulls(pending)
        pending = 0
      }
      const stride = 2 * keys.length + 2
      const absentBytes = absent.length / 8
      // A local variable: V8 may make an object of each fraction that it stores in a variable of an outer function.
      let held = bytes
      for (let record = 0, values = first + 1; record < length; record++, values += stride) {
        for (let at = 0; at < here.length; at++) {
          const column = here[at]!
          const place = places[at]!
          const size =
            place < 0
              ? column.chunk.add(undefined)
              : column.chunk.addToken(source, offsets[values + place]!, offsets[values + place + 1]!)
          if (size === undefined) return { record, column }
          held += size
        }
        held += absentBytes
        pending++
        count++
        if (count === mostRows || held >= most) {
          addAbsent()
          endRowGroup()
          held = 0
        }
      }
      bytes = held
      addAbsent()
      return undefined
    }

    const place = ({ keys }: Batch.Run): Placed => {
      const here = open.filter(({ column }) => keys.includes(column.name) || !column.nullable)
      return { here, absent: open.filter((column) => !here.includes(column)) }
    }

    const isWithinRowGroup = ({ count: length, first, keys, offsets }: Batch.Run) => {
      const size = offsets[first + length * (2 * keys.length + 2) - 1]! - offsets[first]!
      return count + length < mostRows && bytes + size + length * mostBeyond < most
    }

    const writeBatch = (batch: Batch.Batch, records: ReadonlyArray<unknown>) => {
      let index = 0
      let isLoaded = false
      for (const run of batch.runs) {
        const placed = place(run)
        const isFast =
          run.count >= fewest &&
          isWithinRowGroup(run) &&
          placed.here.every(({ column }) => run.keys.includes(column.name))
        if (isFast) {
          if (!isLoaded) batches().load(batch)
          isLoaded = true
          batches().loadRun(run)
        }
        const before = written + count
        const failed = (isFast ? addRun : addRecords)(run, placed, batch.bytes)
        if (failed !== undefined) {
          const { column, record } = failed
          return Result.fail(unwritable(records[index + record], column.column, column.values, before + record + 1))
        }
        index += run.count
      }
      return Result.void
    }

    return {
      write: (records) => {
        const batch = Batch.of(records)
        if (batch !== undefined) return writeBatch(batch, records)
        for (const record of records) {
          for (const { chunk, column, values } of open) {
            const size = chunk.add(valueOf(record, column.name))
            if (size === undefined) return Result.fail(unwritable(record, column, values, written + count + 1))
            bytes += size
          }
          count++
          if (count === mostRows || bytes >= most) endRowGroup()
        }
        return Result.void
      },
      end: () => {
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

const unwritable = (record: unknown, { name }: Column, { expected }: ColumnValues.ColumnValues, number: number) =>
  FormatError.unwritable("parquet", number, { name, expected }, valueOf(record, name))

const elementOf = ({ name, nullable }: Column, type: ColumnType.ColumnType): SchemaElement => ({
  name,
  repetition_type: nullable ? "OPTIONAL" : "REQUIRED",
  ...typeOf(type)
})

const typeOf = (type: ColumnType.ColumnType): Omit<SchemaElement, "name"> => {
  switch (type._tag) {
    case "Time":
      // DuckDB reads times that are marked as UTC to the microsecond only; the file's metadata says that they are UTC.
      return { type: "INT64", logical_type: { type: "TIMESTAMP", isAdjustedToUTC: false, unit: "NANOS" } }
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
