/**
 * Columns as the messages of Arrow's IPC formats, the stream and the file.
 *
 * A word column is a dictionary, whose words come before the first batch that has them. Where it grows, a stream repeats it whole,
 * and a file, which may not replace it, adds the new words.
 */
import type { AnyColumn, Words } from "@sluice/core/internal/columns/TypedColumn"
import * as Flatbuffer from "./Flatbuffer.ts"

const { byte, int, long, short } = Flatbuffer

const kinds = { schema: 1, dictionary: 2, records: 3 } as const

/** Version 5, which every reader knows since 2020. */
const version = short(4)

/** Buffers begin at multiples of this, as Arrow recommends. */
const boundary = 64

const aligned = (size: number) => Math.ceil(size / boundary) * boundary

const magic = new TextEncoder().encode("ARROW1")

type Kind = readonly [number, Flatbuffer.Table]

const utf8: Kind = [5, []]

const typeOf = (column: AnyColumn): Kind => {
  switch (column.type) {
    case "integer":
      return [2, [int(64), byte(true)]]
    case "double":
      return [3, [short(2)]]
    case "word":
    case "text":
    case "json":
      return utf8
    case "boolean":
      return [6, []]
    case "decimal":
      return [7, [int(column.precision), int(column.scale), int(128)]]
    case "time":
      return [10, [short(3), "UTC"]]
  }
}

const fieldOf = (column: AnyColumn, index: number): Flatbuffer.Table => {
  const [kind, type] = typeOf(column)
  const codes: Flatbuffer.Table = [long(index), { table: [int(32), byte(true)] }]
  const metadata = column.type === "json" ? { list: [["content-type", "application/json"]] } : undefined
  const dictionary = column.type === "word" ? { table: codes } : undefined
  return [column.name, byte(column.nullable), byte(kind), { table: type }, dictionary, { list: [] }, metadata]
}

type Buffers = ReadonlyArray<ArrayBufferView | undefined>

/** The buffers of a column, the bits of its nulls first. */
export const buffersOf = (column: AnyColumn): Buffers => {
  switch (column.type) {
    case "word":
      return [column.validity, column.codes]
    case "text":
    case "json":
      return [column.validity, column.offsets, column.bytes]
    default:
      return [column.validity, column.values]
  }
}

const textsOf = (words: ReadonlyArray<string>): Buffers => {
  const encoder = new TextEncoder()
  const texts = words.map((word) => encoder.encode(word))
  const offsets = new Int32Array(texts.length + 1)
  for (const [index, text] of texts.entries()) offsets[index + 1] = offsets[index]! + text.length
  const bytes = new Uint8Array(offsets[texts.length]!)
  for (const [index, text] of texts.entries()) bytes.set(text, offsets[index])
  return [undefined, offsets, bytes]
}

/** The description of some columns of the same length. */
const bodyOf = (length: number, columns: ReadonlyArray<{ readonly nulls: number; readonly buffers: Buffers }>) => {
  let at = 0
  const places = columns.flatMap(({ buffers }) =>
    buffers.flatMap((buffer) => {
      const size = buffer?.byteLength ?? 0
      const place = [BigInt(at), BigInt(size)]
      at += aligned(size)
      return place
    })
  )
  const nodes = columns.flatMap(({ nulls }) => [BigInt(length), BigInt(nulls)])
  return [long(length), { longs: nodes, each: 2 }, { longs: places, each: 2 }] satisfies Flatbuffer.Table
}

export const make = (format: "stream" | "file") => {
  const isFile = format === "file"
  let schema: Flatbuffer.Table | undefined
  let position = 0
  /** How many words of each column are written. */
  const written = new Map<string, number>()
  const blocks: Record<"dictionaries" | "records", Array<bigint>> = { dictionaries: [], records: [] }

  /** Joins the metadata of a message and its buffers. */
  const message = (kind: number, header: Flatbuffer.Table, buffers: Buffers = [], block?: Array<bigint>) => {
    const sizes = buffers.map((buffer) => aligned(buffer?.byteLength ?? 0))
    const size = sizes.reduce((sum, size) => sum + size, 0)
    const metadata = Flatbuffer.encode([version, byte(kind), { table: header }, long(size)])
    // The body begins at a multiple of the boundary, counted from the first byte of all.
    const before = aligned(position + 8 + metadata.length) - position
    const bytes = new Uint8Array(before + size)
    const view = new DataView(bytes.buffer)
    view.setInt32(0, -1, true)
    view.setInt32(4, before - 8, true)
    bytes.set(metadata, 8)
    let at = before
    for (const [index, buffer] of buffers.entries()) {
      if (buffer !== undefined) bytes.set(new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength), at)
      at += sizes[index]!
    }
    block?.push(BigInt(position), BigInt(before), BigInt(size))
    position += bytes.length
    return bytes
  }

  /** The bytes before the first batch, which say what the columns are. */
  const begin = (columns: ReadonlyArray<AnyColumn>): Array<Uint8Array> => {
    schema = [short(0), { list: columns.map(fieldOf) }]
    if (!isFile) return [message(kinds.schema, schema)]
    position = 8
    const first = message(kinds.schema, schema)
    const start = new Uint8Array(8)
    start.set(magic)
    return [start, first]
  }

  const dictionaryOf = ({ name, words }: Words, index: number) => {
    const before = written.get(name)
    if (before === words.length) return []
    written.set(name, words.length)
    const isDelta = isFile && before !== undefined
    const some = isDelta ? words.slice(before) : words
    const buffers = textsOf(some)
    const header = [long(index), { table: bodyOf(some.length, [{ nulls: 0, buffers }]) }, byte(isDelta)]
    return [message(kinds.dictionary, header, buffers, blocks.dictionaries)]
  }

  return {
    begin,
    /** The bytes of a batch, of the first with those of `begin` before. All have the same columns, and words the same codes. */
    batch: (all: ReadonlyArray<AnyColumn>, length: number): readonly [Uint8Array, ...ReadonlyArray<Uint8Array>] => {
      const parts = all.map((column) => ({ nulls: column.nulls, buffers: buffersOf(column) }))
      const before = [
        ...(schema === undefined ? begin(all) : []),
        ...all.flatMap((column, index) => (column.type === "word" ? dictionaryOf(column, index) : []))
      ]
      const buffers = parts.flatMap(({ buffers }) => buffers)
      const records = message(kinds.records, bodyOf(length, parts), buffers, blocks.records)
      const [first, ...others] = [...before, records]
      return [first ?? records, ...others]
    },
    end: (): Uint8Array => {
      const stop = [-1, 0]
      if (!isFile || schema === undefined) return new Uint8Array(Int32Array.from(stop).buffer)
      const { dictionaries, records } = blocks
      const footer = Flatbuffer.encode([
        version,
        { table: schema },
        { longs: dictionaries, each: 3 },
        { longs: records, each: 3 }
      ])
      const bytes = new Uint8Array(8 + footer.length + 4 + magic.length)
      const view = new DataView(bytes.buffer)
      view.setInt32(0, -1, true)
      bytes.set(footer, 8)
      view.setInt32(8 + footer.length, footer.length, true)
      bytes.set(magic, 12 + footer.length)
      return bytes
    }
  }
}

export type Ipc = ReturnType<typeof make>
