/**
 * Records that are built when they are read, of lines of JSON or of columns. They are compared, and written to another file, by their bytes
 * or columns alone.
 */
import * as JsonText from "@sluice/core/internal/columns/JsonText"
import * as Arr from "effect/Array"
import * as Stream from "effect/Stream"
import type { ColumnRecords } from "./ColumnRecords.ts"

/** Lines of JSON: their bytes, and where each begins; one more beginning is behind the line feed of the last. */
export interface OfLines {
  readonly _tag: "Lines"
  readonly bytes: Buffer
  readonly starts: Int32Array
}

/** What is behind records, and the number there of the first of them. */
export interface Behind {
  readonly source: OfLines | ColumnRecords
  readonly from: number
}

const behind = Symbol("rows")

/** What is behind these records; nothing for other ones. */
export const of = (records: ReadonlyArray<unknown>): Behind | undefined =>
  // Type boundary: only arrays made here have this property.
  (records as { readonly [behind]?: Behind })[behind]

/** A record as JSON. */
export const jsonOf = (records: ReadonlyArray<unknown>, index: number): string => {
  const { from = 0, source } = of(records) ?? {}
  if (source === undefined) return JsonText.write(records[index])
  if (source._tag === "Columns") return JsonText.write(source.rowOf(from + index))
  const { bytes, starts } = source
  return bytes.toString("utf8", starts[from + index], starts[from + index + 1]! - 1)
}

/** Reads the lines of a file from pieces of its bytes, which are copied: the memory of a piece may be that of the next. */
export const ofLines = <E>(pieces: Stream.Stream<Uint8Array, E>): Stream.Stream<unknown, E> =>
  Stream.suspend(() => {
    let rest: Uint8Array = new Uint8Array(0)
    const whole = Stream.mapArray(pieces, (some) => {
      const bytes = Buffer.concat([rest, ...some])
      const end = bytes.lastIndexOf(lineFeed) + 1
      rest = bytes.subarray(end)
      return Arr.of(bytes.subarray(0, end))
    })
    // A file that does not end with a line feed has a last line all the same.
    const last = Stream.suspend(() =>
      rest.length === 0 ? Stream.empty : Stream.succeed(Buffer.concat([rest, ending]))
    )
    return Stream.concat(whole, last).pipe(Stream.flatMap((bytes) => Stream.fromArray(linesIn(bytes))))
  })

const lineFeed = 10
const ending = Uint8Array.of(lineFeed)

const linesIn = (bytes: Buffer): ReadonlyArray<unknown> => {
  const starts: Array<number> = [0]
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) starts.push(at + 1)
  const source: OfLines = { _tag: "Lines", bytes, starts: Int32Array.from(starts) }
  const build = (index: number): unknown => JSON.parse(bytes.toString("utf8", starts[index], starts[index + 1]))
  return part(source, build, new Map(), 0, starts.length - 1)
}

/** The records of columns. */
export const ofColumns = (columns: ColumnRecords): ReadonlyArray<unknown> =>
  part(columns, columns.rowOf, new Map(), 0, columns.length)

/** Those of columns that follow each other, such as pages of a file. */
export const ofPages = <E>(pages: Stream.Stream<ColumnRecords, E>): Stream.Stream<unknown, E> =>
  Stream.flatMap(pages, (columns) => Stream.fromArray(ofColumns(columns)))

/** Some of the records. `built` has those that were read. */
const part = (
  source: Behind["source"],
  build: (index: number) => unknown,
  built: Map<number, unknown>,
  from: number,
  to: number
): ReadonlyArray<unknown> => {
  const length = Math.max(0, to - from)
  const at = (index: number): unknown => {
    const place = from + index
    if (!built.has(place)) built.set(place, build(place))
    return built.get(place)
  }
  const slice = (first = 0, end = length) => part(source, build, built, from + first, from + Math.min(length, end))
  const own: Behind = { source, from }
  const indexOf = (key: string | symbol) => {
    const index = typeof key === "string" ? Number(key) : Number.NaN
    return Number.isInteger(index) && index >= 0 && index < length ? index : undefined
  }
  const target: Array<unknown> = []
  return new Proxy(target, {
    get: (_, key) => {
      if (key === "length") return length
      if (key === behind) return own
      if (key === "slice") return slice
      const index = indexOf(key)
      return index === undefined ? Reflect.get(target, key) : at(index)
    },
    has: (_, key) => indexOf(key) !== undefined || Reflect.has(target, key)
  })
}
