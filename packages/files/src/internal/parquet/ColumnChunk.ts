/**
 * One column of a row group: compressed pages, each made as soon as its values are there.
 *
 * Compressed at the end of the row group, ten files take up to 8 MB more, and other streams wait for the compression.
 */
import type * as Batch from "@sluice/core/Batch"
import type { ParquetWriter, SchemaElement } from "hyparquet-writer"
import type { Column } from "@sluice/core/internal/columns/Column"
import type { BlockPool } from "./BlockPool.ts"
import { PooledBytes } from "./PooledBytes.ts"
import type * as ColumnBatch from "@sluice/core/internal/columns/ColumnBatch"
import type { ColumnValues } from "./ColumnValues.ts"
import * as PageEncoder from "./PageEncoder.ts"

/** A column of the row group that is being filled. */
export interface ColumnChunk {
  /** Adds a value; gives what {@link ColumnValues.add} gives. */
  readonly add: (value: unknown) => number | undefined
  /** Adds a value of a batch; gives what {@link ColumnValues.addToken} gives. */
  readonly addToken: (bytes: Uint8Array, from: number, to: number) => number | undefined
  /**
   * Adds the values of a run of a batch that `batch` has loaded. Gives how many records were added, all of them unless the
   * column cannot hold the next value, and the bytes of their values.
   */
  readonly addRun: (batch: ColumnBatch.ColumnBatch, run: Batch.Run, bytes: Uint8Array) => Added
  /** Adds as many nulls to a column that is nullable. They take no bytes, so they end no page. */
  readonly addNulls: (count: number) => void
  /** Appends the column to the file, and begins the next row group. */
  readonly end: (output: PooledBytes) => WrittenChunk
  /** Forgets all values and pages and releases their memory. */
  readonly clear: () => void
}

/** What of a run was added. */
export interface Added {
  readonly records: number
  readonly size: number
}

/** A column of a row group that is in the file. */
export interface WrittenChunk {
  /** Its entry in the file's metadata. */
  readonly entry: ParquetWriter["row_groups"][number]["columns"][number]
  /** Bytes it would have without compression. */
  readonly size: number
}

/** Bytes of values that make a page. */
const pageSize = 131_072

/** With which only `null` begins. */
const letterN = 110

/** Begins a column whose values and pages are in blocks of this pool. */
export const make = (
  { name, nullable }: Column,
  element: SchemaElement,
  values: ColumnValues,
  encoder: PageEncoder.PageEncoder,
  pool: BlockPool
): ColumnChunk => {
  const pages = new PooledBytes(pool)
  let totals = empty

  const endPage = () => {
    const { range, size } = PageEncoder.write(encoder, element, values, pages)
    totals = {
      values: totals.values + values.count(),
      nulls: totals.nulls + values.nulls(),
      size: totals.size + size,
      range: widest(totals.range, range)
    }
    values.clear()
  }

  return {
    add: (value) => {
      const size = values.add(value)
      if (values.values.length >= pageSize) endPage()
      return size
    },
    addToken: (bytes, from, to) => {
      const size = values.addToken(bytes, from, to)
      if (values.values.length >= pageSize) endPage()
      return size
    },
    addRun: (batch, run, bytes) => {
      const { count, first, keys, offsets } = run
      const key = keys.indexOf(name)
      const stride = 2 * keys.length + 2
      const places = first + 1 + 2 * key
      const kind = values.batchKind
      const column = { key, nullable }
      let records = 0
      let size = 0
      while (records < count) {
        const before = values.values.length
        const written = kind && batch.write(kind, column, records, pageSize - before)
        if (written !== undefined && written.records > 0) {
          const place = places + records * stride
          values.addWritten(written, (index) => bytes[offsets[place + index * stride]!] !== letterN)
          records += written.records
        } else {
          const place = places + records * stride
          if (values.addToken(bytes, offsets[place]!, offsets[place + 1]!) === undefined) break
          records++
        }
        size += values.values.length - before
        if (values.values.length >= pageSize) endPage()
      }
      return { records, size }
    },
    addNulls: values.addNulls,
    end: (output) => {
      if (values.count() > 0) endPage()
      const { size } = totals
      const entry = entryOf(element, encoder, values, totals, { start: output.length, length: pages.length })
      pages.moveTo(output)
      totals = empty
      return { entry, size }
    },
    clear: () => {
      values.clear()
      pages.clear()
    }
  }
}

/** What the pages of a column have together. */
interface Totals {
  readonly values: number
  readonly nulls: number
  /** Bytes without compression. */
  readonly size: number
  /** By which a reader skips row groups of other times. */
  readonly range: PageEncoder.Range | undefined
}

const empty: Totals = { values: 0, nulls: 0, size: 0, range: undefined }

const widest = (a: PageEncoder.Range | undefined, b: PageEncoder.Range | undefined) =>
  a === undefined || b === undefined
    ? (a ?? b)
    : {
        min_value: a.min_value < b.min_value ? a.min_value : b.min_value,
        max_value: a.max_value > b.max_value ? a.max_value : b.max_value
      }

const entryOf = (
  element: SchemaElement,
  { codec }: PageEncoder.PageEncoder,
  column: ColumnValues,
  { nulls, range, size, values }: Totals,
  place: { readonly start: number; readonly length: number }
): WrittenChunk["entry"] => ({
  file_offset: BigInt(place.start),
  meta_data: {
    type: element.type ?? "BYTE_ARRAY",
    encodings: [column.encoding, "RLE"],
    path_in_schema: [element.name],
    codec,
    num_values: BigInt(values),
    total_uncompressed_size: BigInt(size),
    total_compressed_size: BigInt(place.length),
    data_page_offset: BigInt(place.start),
    statistics: { null_count: BigInt(nulls), ...range }
  }
})
