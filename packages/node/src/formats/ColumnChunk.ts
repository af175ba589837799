/**
 * One column of a row group: pages that are made while its values come.
 *
 * They wait compressed, which takes less than half the memory; and compressing a row group at once would keep ten other
 * streams waiting, with all they hold.
 */
import { ByteWriter, type ParquetWriter, type SchemaElement } from "hyparquet-writer"
import { writePageHeader } from "hyparquet-writer/src/datapage.js"
import { deltaBinaryPack } from "hyparquet-writer/src/delta.js"
import type { Blocks } from "./Blocks.ts"
import type { Cells } from "./Cells.ts"
import * as Levels from "./Levels.ts"
import { Output } from "./Output.ts"
import * as Room from "./Room.ts"

/** What pages are made with: one is enough for all files of a job, since a page is made at once. */
export interface Press {
  readonly codec: "SNAPPY" | "GZIP" | "ZSTD"
  /** What it gives need not outlive its next use. */
  readonly compress: (bytes: Uint8Array) => Uint8Array
  /** Where the values of a page come together. */
  readonly room: Room.Room
  /** Where times become the differences between them. */
  readonly packed: ByteWriter
  /** Where the library writes; see {@link move}. */
  readonly writer: ByteWriter
}

/** Builds what pages are made with. */
export const makePress = (codec: Press["codec"], compress: Press["compress"]): Press => ({
  codec,
  compress,
  room: Room.make(),
  packed: new ByteWriter(),
  writer: new ByteWriter()
})

/** Moves what the library has written to the file. */
export const move = ({ writer }: Press, output: Output): void => {
  output.append(writer.getBytes())
  writer.index = 0
}

/** A column of the row group that is being filled. */
export interface ColumnChunk {
  /** Takes the next value; gives what {@link Cells.take} gives. */
  readonly take: (value: unknown) => number | undefined
  /** Appends the column to the file, gives its entry in the file's metadata, and begins anew. */
  readonly end: (output: Output) => Ended
  /** Lets go of what it holds. */
  readonly clear: () => void
}

/** A column that is in the file. */
export interface Ended {
  readonly entry: ParquetWriter["row_groups"][number]["columns"][number]
  /** Its bytes without compression. */
  readonly size: number
}

/** Bytes of values that make a page. */
const pageSize = 131_072

/** Begins a column, whose values and pages stand in these blocks. */
export const make = (element: SchemaElement, cells: Cells, press: Press, blocks: Blocks): ColumnChunk => {
  const pages = new Output(blocks)
  let totals = nothing

  const page = () => {
    const values = press.room(cells.values.length)
    cells.values.copyTo(values)
    const size = writePage(pages, press, element, cells, values)
    totals = {
      values: totals.values + cells.count(),
      nulls: totals.nulls + cells.nulls(),
      size: totals.size + size,
      range: cells.areSteps ? widened(totals.range, values) : undefined
    }
    cells.clear()
  }

  const clear = () => {
    cells.clear()
    pages.clear()
  }

  return {
    take: (value) => {
      const size = cells.take(value)
      if (cells.values.length >= pageSize) page()
      return size
    },
    end: (output) => {
      if (cells.count() > 0) page()
      const { size } = totals
      const entry = entryOf(element, press, cells, totals, { start: output.length, length: pages.length })
      pages.moveTo(output)
      totals = nothing
      return { entry, size }
    },
    clear
  }
}

/** What the pages of a column are, taken together. */
interface Totals {
  readonly values: number
  readonly nulls: number
  /** Bytes without compression. */
  readonly size: number
  /** The least and the greatest value, by which a reader passes over row groups of other times. */
  readonly range: Range | undefined
}

interface Range {
  readonly min_value: bigint
  readonly max_value: bigint
}

const nothing: Totals = { values: 0, nulls: 0, size: 0, range: undefined }

type Encoding = "PLAIN" | "DELTA_BINARY_PACKED" | "RLE"

const entryOf = (
  element: SchemaElement,
  { codec }: Press,
  cells: Cells,
  { nulls, range, size, values }: Totals,
  place: { readonly start: number; readonly length: number }
): Ended["entry"] => ({
  file_offset: BigInt(place.start),
  meta_data: {
    type: element.type ?? "BYTE_ARRAY",
    encodings: [encodingOf(cells), "RLE"] satisfies Array<Encoding>,
    path_in_schema: [element.name],
    codec,
    num_values: BigInt(values),
    total_uncompressed_size: BigInt(size),
    total_compressed_size: BigInt(place.length),
    data_page_offset: BigInt(place.start),
    statistics: { null_count: BigInt(nulls), ...range }
  }
})

const encodingOf = ({ areSteps }: Cells) => (areSteps ? "DELTA_BINARY_PACKED" : "PLAIN")

const wholeNumbers = ({ buffer, byteOffset, length }: Uint8Array) => new BigInt64Array(buffer, byteOffset, length / 8)

/** Whole numbers as the differences between them. */
const pack = (values: Uint8Array, writer: ByteWriter): Uint8Array => {
  writer.index = 0
  deltaBinaryPack(writer, wholeNumbers(values), "INT64")
  return writer.getBytes()
}

const widened = (range: Range | undefined, values: Uint8Array): Range | undefined => {
  const numbers = wholeNumbers(values)
  const [first] = numbers
  if (first === undefined) return range
  let { min_value, max_value } = range ?? { min_value: first, max_value: first }
  for (const number of numbers) {
    if (number < min_value) min_value = number
    if (number > max_value) max_value = number
  }
  return { min_value, max_value }
}

/** Gives the size the page would have without compression. */
const writePage = (
  output: Output,
  press: Press,
  { repetition_type }: SchemaElement,
  cells: Cells,
  plain: Uint8Array
): number => {
  const count = cells.count()
  const nulls = cells.nulls()
  const levels = repetition_type === "REQUIRED" ? new Uint8Array() : Levels.encode(cells.presence, count, nulls)
  const values = cells.areSteps ? pack(plain, press.packed) : plain
  const compressed = press.compress(values)
  const start = output.length
  writePageHeader(press.writer, {
    type: "DATA_PAGE_V2",
    uncompressed_page_size: levels.length + values.length,
    compressed_page_size: levels.length + compressed.length,
    data_page_header_v2: {
      num_values: count,
      num_nulls: nulls,
      num_rows: count,
      encoding: encodingOf(cells),
      definition_levels_byte_length: levels.length,
      repetition_levels_byte_length: 0,
      is_compressed: true
    }
  })
  move(press, output)
  const header = output.length - start
  output.append(levels)
  output.append(compressed)
  return header + levels.length + values.length
}
