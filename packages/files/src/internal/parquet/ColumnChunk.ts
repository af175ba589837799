/**
 * One column of a row group: compressed pages, each made as soon as its values are there.
 *
 * Compressed at the end of the row group, ten files take up to 8 MB more, and other streams wait for the compression.
 */
import type { AnyColumn } from "@sluice/core/Columns"
import type { Column } from "@sluice/core/internal/columns/Column"
import type { ParquetWriter, SchemaElement } from "hyparquet-writer"
import type { BlockPool } from "./BlockPool.ts"
import * as PageEncoder from "./PageEncoder.ts"
import { encodingOf } from "./PageValues.ts"
import { PooledBytes } from "./PooledBytes.ts"
import { type Range, widest } from "./Range.ts"

export interface WrittenChunk {
  /** Its entry in the file's metadata. */
  readonly entry: ParquetWriter["row_groups"][number]["columns"][number]
  /** Bytes it would have without compression. */
  readonly size: number
}

interface Totals {
  readonly values: number
  readonly nulls: number
  /** Bytes without compression. */
  readonly size: number
  /** By which a reader skips row groups of other times. */
  readonly range: Range | undefined
}

const empty: Totals = { values: 0, nulls: 0, size: 0, range: undefined }

/** Begins a column whose pages are in blocks of this pool. */
export const make = (
  { name, nullable }: Column,
  { type = "BYTE_ARRAY" }: SchemaElement,
  encoder: PageEncoder.PageEncoder,
  pool: BlockPool
) => {
  const pages = new PooledBytes(pool)
  let totals = empty
  let encoding = encodingOf("double")

  return {
    /** Adds a page. Gives the bytes that it has without compression. */
    add: (column: AnyColumn): number => {
      const { range, size } = PageEncoder.write(encoder, nullable, column, pages)
      encoding = encodingOf(column.type)
      totals = {
        values: totals.values + column.length,
        nulls: totals.nulls + column.nulls,
        size: totals.size + size,
        range: widest(totals.range, range)
      }
      return size
    },
    /** Appends the column to the file, and begins the next row group. */
    end: (output: PooledBytes): WrittenChunk => {
      const { nulls, range, size, values } = totals
      const start = BigInt(output.length)
      const entry = {
        file_offset: start,
        meta_data: {
          type,
          encodings: [encoding, "RLE" as const],
          path_in_schema: [name],
          codec: encoder.codec,
          num_values: BigInt(values),
          total_uncompressed_size: BigInt(size),
          total_compressed_size: BigInt(pages.length),
          data_page_offset: start,
          statistics: { null_count: BigInt(nulls), ...range }
        }
      }
      pages.moveTo(output)
      totals = empty
      return { entry, size }
    },
    /** Forgets all pages and releases their memory. */
    clear: (): void => pages.clear()
  }
}

/** A column of the row group that is being filled. */
export type ColumnChunk = ReturnType<typeof make>
