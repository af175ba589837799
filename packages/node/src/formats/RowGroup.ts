/**
 * One row group of a Parquet file: a page for each column, from bytes that are there already.
 *
 * The file around it is the library's. Its own way to write columns wants an array of objects for each and copies it
 * several times: ten files at once took more memory than a whole download may.
 */
import { ByteWriter, type ParquetWriter, type SchemaElement } from "hyparquet-writer"
import { writePageHeader } from "hyparquet-writer/src/datapage.js"
import { deltaBinaryPack } from "hyparquet-writer/src/delta.js"
import type { Cells } from "./Cells.ts"
import * as Levels from "./Levels.ts"
import type { Output } from "./Output.ts"
import * as Room from "./Room.ts"

type Encoding = "PLAIN" | "DELTA_BINARY_PACKED" | "RLE"

/** What pages are made with: one is enough for all files of a job, since a row group is written at once. */
export interface Press {
  readonly codec: "SNAPPY" | "GZIP" | "ZSTD"
  /** What it gives need not outlive its next use. */
  readonly compress: (bytes: Uint8Array) => Uint8Array
  /** Where the values of a column come together. */
  readonly room: Room.Room
  /** Where times become the differences between them. */
  readonly packed: ByteWriter
  /** Where the library writes; see {@link move}. */
  readonly writer: ByteWriter
}

/** Builds what pages are made with. */
export const press = (codec: Press["codec"], compress: Press["compress"]): Press => ({
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

/** The file that a group goes to. */
export interface Target {
  readonly file: ParquetWriter
  readonly output: Output
}

/** A column with its values. */
export interface Source {
  readonly element: SchemaElement
  readonly cells: Cells
}

/** Appends the values of the columns, lets go of them, and enters them into the file's metadata. */
export const write = ({ file, output }: Target, press: Press, sources: ReadonlyArray<Source>, rows: number): void => {
  const start = output.length
  const columns = sources.map(({ element, cells }) => {
    const offset = output.length
    const values = press.room(cells.values.length)
    cells.values.copyTo(values)
    const uncompressed = writePage(output, press, element, cells, values)
    const statistics = { null_count: BigInt(cells.nulls()), ...(cells.areSteps ? range(values) : {}) }
    cells.clear()
    return {
      file_offset: BigInt(offset),
      meta_data: {
        type: element.type ?? "BYTE_ARRAY",
        encodings: [encodingOf(cells), "RLE"] satisfies Array<Encoding>,
        path_in_schema: [element.name],
        codec: press.codec,
        num_values: BigInt(rows),
        total_uncompressed_size: BigInt(uncompressed),
        total_compressed_size: BigInt(output.length - offset),
        data_page_offset: BigInt(offset),
        statistics
      }
    }
  })
  file.num_rows += BigInt(rows)
  file.row_groups.push({
    columns,
    num_rows: BigInt(rows),
    total_byte_size: columns.reduce((total, { meta_data }) => total + meta_data.total_uncompressed_size, 0n),
    total_compressed_size: BigInt(output.length - start)
  })
}

const encodingOf = ({ areSteps }: Cells) => (areSteps ? "DELTA_BINARY_PACKED" : "PLAIN")

const wholeNumbers = ({ buffer, byteOffset, length }: Uint8Array) => new BigInt64Array(buffer, byteOffset, length / 8)

/** Whole numbers as the differences between them. */
const pack = (values: Uint8Array, writer: ByteWriter): Uint8Array => {
  writer.index = 0
  deltaBinaryPack(writer, wholeNumbers(values), "INT64")
  return writer.getBytes()
}

/** The least and the greatest, by which a reader passes over row groups of other times. */
const range = (values: Uint8Array) => {
  const numbers = wholeNumbers(values)
  let [min_value] = numbers
  let max_value = min_value
  if (min_value === undefined || max_value === undefined) return {}
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
