/**
 * Reads the files that this library writes back, a row group at a time, so that a file of any length takes the memory of one.
 *
 * Values are read as they are stored, without what the file says about their meaning, and become the text or number that the
 * writer would store in the same way: a time keeps its nanoseconds, a decimal its digits, a double its bits.
 */
import * as Timestamp from "@sluice/core/Timestamp"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { type DecodedArray, type FileMetaData, parquetMetadata, parquetRead, type SchemaElement } from "hyparquet"
// As a namespace: Zstandard came with Node.js 22.15, and an older one would reject an import of its name.
import * as Zlib from "node:zlib"
import { Unreadable } from "@sluice/core/internal/columns/FormatError"

/** Texts keep a byte order mark that they begin with. */
const text = new TextDecoder("utf-8", { ignoreBOM: true })

/** A file of which any part can be read. */
export interface Bytes<E> {
  readonly size: number
  readonly read: (from: number, to: number) => Effect.Effect<Uint8Array, E>
}

/** Bytes at the end of a file: the length of its metadata, and four letters. */
const tail = 8

/** Rows of which objects are made at a time. */
const rowsAtOnce = 1_024

/**
 * Reads the records of a file in arrays. A key that is null is absent. `json` names the columns that hold JSON. A row group is left out
 * where `mayHave` refuses the times of its first and last record, in milliseconds.
 */
export const records = <E>(
  bytes: Bytes<E>,
  json: ReadonlySet<string>,
  mayHave: (first: number, last: number) => boolean = () => true
): Stream.Stream<Readonly<Record<string, unknown>>, E | Unreadable> =>
  Stream.unwrap(
    Effect.map(readMetadata(bytes), (metadata) => {
      const columns = metadata.schema.slice(1).map((element) => ({ element, valueOf: readerOf(element, json) }))
      const plain = { ...metadata, schema: metadata.schema.map(withoutMeaning) }
      const isWanted = (index: number) => {
        const [first, last] = timesOf(metadata, index)
        return first === undefined || last === undefined || mayHave(first, last)
      }
      return Stream.fromIterable([...metadata.row_groups.keys()].filter(isWanted)).pipe(
        Stream.rechunk(1),
        Stream.flatMap((index) =>
          Stream.unwrap(Effect.map(readGroup(bytes, plain, index), ({ rows, values }) => rowsOf(columns, values, rows)))
        )
      )
    })
  )

const readMetadata = Effect.fnUntraced(function* <E>({ read, size }: Bytes<E>) {
  const end = yield* read(Math.max(0, size - tail), size)
  if (end.length < tail || String.fromCharCode(...end.subarray(4)) !== "PAR1") {
    return yield* new Unreadable({ reason: "it does not end as a Parquet file does" })
  }
  const length = new DataView(end.buffer, end.byteOffset).getUint32(0, true)
  const footer = yield* read(Math.max(0, size - tail - length), size)
  return yield* Effect.try({
    try: () => parquetMetadata(footer.slice().buffer),
    catch: () => new Unreadable({ reason: "its metadata cannot be read" })
  })
})

/** The times of a row group, in milliseconds, as far as its statistics tell. */
const timesOf = ({ row_groups: groups }: FileMetaData, index: number) => {
  const column = groups[index]?.columns.find(({ meta_data: data }) => data?.path_in_schema.join(".") === "time")
  const { max_value: last, min_value: first } = column?.meta_data?.statistics ?? {}
  return [first, last].map((bound) => (bound instanceof Date ? bound.getTime() : undefined))
}

const withoutMeaning = (element: SchemaElement): SchemaElement =>
  Struct.omit(element, ["converted_type", "logical_type"])

const compressors = {
  ZSTD: (input: Uint8Array) => Zlib.zstdDecompressSync(input),
  GZIP: (input: Uint8Array) => Zlib.gunzipSync(input)
}

/** Reads the columns of a row group. Its pages lie side by side in the file, so they are read at once. */
const readGroup = Effect.fnUntraced(function* <E>(bytes: Bytes<E>, metadata: FileMetaData, index: number) {
  const group = metadata.row_groups[index]!
  const ranges = group.columns.flatMap(({ meta_data: column }) => {
    if (column === undefined) return []
    const from = Number(column.dictionary_page_offset ?? column.data_page_offset)
    return [[from, from + Number(column.total_compressed_size)] as const]
  })
  const from = Math.min(...ranges.map(([start]) => start))
  const to = Math.max(...ranges.map(([, end]) => end))
  const held = yield* bytes.read(from, to)
  const rows = Number(group.num_rows)
  const values = new Map<string, Array<DecodedArray>>()
  yield* Effect.tryPromise({
    try: () =>
      parquetRead({
        file: {
          byteLength: bytes.size,
          slice: (start, end = to) => held.slice(start - from, end - from).buffer
        },
        metadata: { ...metadata, row_groups: [group], num_rows: group.num_rows },
        compressors,
        parsers: { stringFromBytes: (bytes) => text.decode(bytes) },
        onChunk: ({ columnData, columnName }) => {
          const chunks = values.get(columnName)
          if (chunks === undefined) values.set(columnName, [columnData])
          else chunks.push(columnData)
        }
      }),
    catch: () => new Unreadable({ reason: "a row group cannot be read" })
  })
  return { rows, values }
})

interface ReadColumn {
  readonly element: SchemaElement
  readonly valueOf: (value: unknown) => unknown
}

/** The rows of columns, made as they are pulled. */
const rowsOf = (columns: ReadonlyArray<ReadColumn>, values: ReadonlyMap<string, Array<DecodedArray>>, rows: number) => {
  const readers = columns.map(({ element: { name }, valueOf }) => {
    const chunks = values.get(name) ?? []
    let [chunk, at] = [0, 0]
    const next = (): unknown => {
      while (chunk < chunks.length && at >= chunks[chunk]!.length) [chunk, at] = [chunk + 1, 0]
      const value: unknown = chunks[chunk]?.[at++]
      return Predicate.isNullish(value) ? undefined : valueOf(value)
    }
    return { name, next }
  })
  const rowOf = () => {
    const row: Record<string, unknown> = {}
    for (const { name, next } of readers) {
      const value = next()
      if (value !== undefined) row[name] = value
    }
    return row
  }
  return Stream.range(0, Math.ceil(rows / rowsAtOnce) - 1).pipe(
    Stream.rechunk(1),
    Stream.flatMap((block) =>
      Stream.fromArray(Array.from({ length: Math.min(rowsAtOnce, rows - block * rowsAtOnce) }, rowOf))
    )
  )
}

/** Makes of a stored value what a record has. */
const readerOf = (element: SchemaElement, json: ReadonlySet<string>): ((value: unknown) => unknown) => {
  const { logical_type: meaning, name, scale = 0, type } = element
  if (meaning?.type === "TIMESTAMP") {
    return timeReader(meaning.unit === "MICROS" ? 1_000n : 1n)
  }
  if (element.converted_type === "DECIMAL" || meaning?.type === "DECIMAL") {
    return (value) => decimal(value instanceof Uint8Array ? bigEndian(value) : BigInt(String(value)), scale)
  }
  if (json.has(name)) return (value) => JSON.parse(String(value))
  if (type === "INT64") return String
  return (value) => value
}

const perSecond = 1_000_000_000n

/** Makes text of times. Remembers the last second: of trades many have that of the one before. */
const timeReader = (unit: bigint) => {
  let begin = -1n
  let prefix = ""
  return (value: unknown) => {
    const nanos = (typeof value === "bigint" ? value : BigInt(String(value))) * unit
    const within = nanos - begin
    if (prefix === "" || within < 0n || within >= perSecond) {
      begin = nanos - (((nanos % perSecond) + perSecond) % perSecond)
      prefix = Timestamp.fromEpochNanos(begin).slice(0, -"000000000Z".length)
    }
    return `${prefix}${String(nanos - begin).padStart(9, "0")}Z`
  }
}

const bigEndian = (bytes: Uint8Array): bigint => {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return BigInt.asIntN(bytes.length * 8, value)
}

/** An integer as the decimal text that it stands for. */
const decimal = (unscaled: bigint, scale: number): string => {
  const isNegative = unscaled < 0n
  const digits = String(isNegative ? -unscaled : unscaled).padStart(scale + 1, "0")
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return isNegative ? `-${text}` : text
}
