/**
 * Reads the files that this library writes back, a page at a time, so that a file of any length takes the memory of a row group as it
 * is stored.
 *
 * Values are read as they are stored: a time keeps its nanoseconds, a decimal its digits, a double its bits. As records they are
 * the text or number that the writer would store in the same way. The pages of all columns have the same rows, as the writer makes them.
 */
import type { AnyColumn } from "@sluice/core/Columns"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { type FileMetaData, parquetMetadata, type SchemaElement } from "hyparquet"
import { parquetHeader } from "hyparquet/src/column.js"
import { Unreadable } from "@sluice/core/internal/columns/FormatError"
import * as ColumnRecords from "../format/ColumnRecords.ts"
import * as Delta from "./Delta.ts"
import * as PageColumn from "./PageColumn.ts"

/** Texts keep a byte order mark that they begin with. */
const text = new TextDecoder("utf-8", { ignoreBOM: true })

/** A file of which any part can be read. */
export interface Bytes<E> {
  readonly size: number
  readonly read: (from: number, to: number) => Effect.Effect<Uint8Array, E>
}

/** Rows that were written together. */
export interface Page {
  readonly length: number
  /** The columns that have a value. */
  readonly names: ReadonlyArray<string>
  /** Reads a column, once; nothing where the file has none of that name, or no value of it in these rows. */
  readonly column: (name: string) => Result.Result<AnyColumn | undefined, Unreadable>
}

/**
 * The least and the greatest value of a column in a row group, as far as is known: texts, and times as a `Date`, of which the part of a
 * millisecond is cut off.
 */
export type BoundsOf = (name: string) => readonly [least: unknown, greatest: unknown]

/** Whether a row group may have what is asked for. */
export type MayHave = (boundsOf: BoundsOf) => boolean

/** Bytes at the end of a file: the length of its metadata, and four letters. */
const tail = 8

let shared: Delta.Delta | undefined

/** The memory of all files, each of which is done with a column before another has one. V8 reserves gigabytes of addresses for it. */
const deltaOf = () => (shared ??= Delta.make())

/** Rows of which objects are made at a time. */
const rowsAtOnce = 1_024

/**
 * Reads the pages of a file. `json` names the columns that hold JSON. Of the others only those named are read, where some are. A row
 * group is left out where `mayHave` refuses its bounds.
 */
export const pages = <E>(
  bytes: Bytes<E>,
  json: ReadonlySet<string>,
  mayHave: MayHave = () => true,
  names?: ReadonlySet<string>
): Stream.Stream<Page, E | Unreadable> =>
  Stream.unwrap(
    Effect.map(readMetadata(bytes), (metadata) => {
      const readColumn = PageColumn.make(deltaOf(), json)
      const isWanted = (index: number) => mayHave(boundsIn(metadata, index))
      return Stream.fromIterable([...metadata.row_groups.keys()].filter(isWanted)).pipe(
        Stream.rechunk(1),
        Stream.flatMap((index) =>
          Stream.unwrap(
            Effect.map(readGroup(bytes, metadata, index, names), (chunks) =>
              Stream.fromIterableEffect(Effect.fromResult(pagesOf(chunks, readColumn)))
            )
          )
        )
      )
    })
  )

/** Reads the records of a file in arrays. A key that is null is absent. */
export const records = <E>(
  bytes: Bytes<E>,
  json: ReadonlySet<string>,
  mayHave?: MayHave
): Stream.Stream<Readonly<Record<string, unknown>>, E | Unreadable> =>
  Stream.flatMap(Stream.rechunk(pages(bytes, json, mayHave), 1), (page) =>
    Stream.unwrap(
      Effect.map(Effect.fromResult(rowsOf(page)), ({ rowOf }) =>
        Stream.range(0, Math.ceil(page.length / rowsAtOnce) - 1).pipe(
          Stream.rechunk(1),
          Stream.flatMap((block) => {
            const from = block * rowsAtOnce
            const length = Math.min(rowsAtOnce, page.length - from)
            return Stream.fromArray(Array.from({ length }, (_, index) => rowOf(from + index)))
          })
        )
      )
    )
  )

const readMetadata = Effect.fnUntraced(function* <E>({ read, size }: Bytes<E>) {
  const end = yield* read(Math.max(0, size - tail), size)
  if (end.length < tail || String.fromCharCode(...end.subarray(4)) !== "PAR1") {
    return yield* new Unreadable({ reason: "it does not end as a Parquet file does" })
  }
  const length = new DataView(end.buffer, end.byteOffset).getUint32(0, true)
  const footer = yield* read(Math.max(0, size - tail - length), size)
  return yield* Effect.try({
    try: () => parquetMetadata(footer.slice().buffer, { parsers: { stringFromBytes: (bytes) => text.decode(bytes) } }),
    catch: () => new Unreadable({ reason: "its metadata cannot be read" })
  })
})

/** The bounds of a column of a row group, as far as its statistics tell. */
const boundsIn =
  ({ row_groups: groups }: FileMetaData, index: number): BoundsOf =>
  (name) => {
    const column = groups[index]?.columns.find(({ meta_data: data }) => data?.path_in_schema.join(".") === name)
    const { max_value: greatest, min_value: least } = column?.meta_data?.statistics ?? {}
    return [least, greatest]
  }

interface Chunk {
  readonly element: SchemaElement
  readonly codec: string
  readonly bytes: Uint8Array
}

/** Reads the columns of a row group. They lie side by side in the file, so they are read at once. */
const readGroup = Effect.fnUntraced(function* <E>(
  bytes: Bytes<E>,
  { row_groups: groups, schema }: FileMetaData,
  index: number,
  names: ReadonlySet<string> | undefined
) {
  const columns = groups[index]!.columns.flatMap(({ meta_data: column }) => {
    const element = schema.find(({ name }, index) => index > 0 && name === column?.path_in_schema[0])
    if (column === undefined || element === undefined || names?.has(element.name) === false) return []
    const from = Number(column.data_page_offset)
    return [{ element, codec: column.codec, from, to: from + Number(column.total_compressed_size) }]
  })
  const start = Math.min(...columns.map(({ from }) => from))
  const held = yield* bytes.read(start, Math.max(...columns.map(({ to }) => to)))
  return columns.map(({ from, to, ...column }): Chunk => ({
    ...column,
    bytes: held.subarray(from - start, to - start)
  }))
})

const unreadable = () => new Unreadable({ reason: "a row group cannot be read" })

/** Finds the pages of columns that are read together. */
const pagesOf = (chunks: ReadonlyArray<Chunk>, readColumn: ReturnType<typeof PageColumn.make>) =>
  Result.try({
    try: () => {
      const all = chunks.map((chunk) => ({ ...chunk, pages: pagesIn(chunk) }))
      const [first] = all
      return (first?.pages ?? []).map(({ header: { num_rows: length } }, index): Page => {
        const isSame = all.every(({ pages }) => pages[index]?.header.num_rows === length)
        if (!isSame) throw new Error("the pages of its columns have other rows")
        // Most columns that may be null are so in all rows.
        const present = all.filter(({ pages }) => pages[index]!.header.num_nulls < length)
        return pageOf(
          length,
          present.map(({ element, pages }) => [element.name, () => readColumn(element, pages[index]!)])
        )
      })
    },
    catch: unreadable
  })

const pagesIn = ({ bytes, codec }: Chunk): ReadonlyArray<PageColumn.Page> => {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
  const pages: Array<PageColumn.Page> = []
  while (reader.offset < bytes.length) {
    const {
      compressed_page_size: length,
      data_page_header_v2: header,
      uncompressed_page_size: size
    } = parquetHeader(reader)
    if (header === undefined) throw new Error("it has pages of another kind")
    const from = reader.offset
    reader.offset += length
    pages.push({ header, codec, size, bytes: bytes.subarray(from, reader.offset) })
  }
  return pages
}

const pageOf = (length: number, columns: ReadonlyArray<readonly [name: string, read: () => AnyColumn]>): Page => {
  const readers = new Map(columns)
  const known = new Map<string, Result.Result<AnyColumn | undefined, Unreadable>>()
  return {
    length,
    names: [...readers.keys()],
    column: (name) => {
      const read = readers.get(name)
      const found = known.get(name) ?? Result.try({ try: () => read?.(), catch: unreadable })
      known.set(name, found)
      return found
    }
  }
}

/** Reads all columns of a page. There is no column whose values are all null. */
export const rowsOf = ({ column, length, names }: Page): Result.Result<ColumnRecords.ColumnRecords, Unreadable> =>
  Result.map(Result.all(names.map(column)), (found) =>
    ColumnRecords.make(
      length,
      found.filter((column) => column !== undefined),
      names
    )
  )
