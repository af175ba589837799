/** Flatbuffers, in which Arrow writes its metadata: tables of fields, with lists and texts behind them. */
import * as Predicate from "effect/Predicate"

/** A number of so many bytes. */
export interface Scalar {
  readonly size: 1 | 2 | 4 | 8
  readonly value: bigint
}

/** The fields of a table by their numbers; one that is undefined has its default. */
export type Table = ReadonlyArray<Value | undefined>

/** Numbers of 64 bits: structs, each of the same count of them. */
export interface Structs {
  readonly longs: ReadonlyArray<bigint>
  readonly each: number
}

export type Value = Scalar | string | Structs | { readonly table: Table } | { readonly list: ReadonlyArray<Table> }

const scalar =
  (size: Scalar["size"]) =>
  (value: number | bigint | boolean): Scalar => ({ size, value: BigInt(value) })

export const byte = scalar(1)
export const short = scalar(2)
export const int = scalar(4)
export const long = scalar(8)

const aligned = (at: number, boundary: number) => Math.ceil(at / boundary) * boundary

const isScalar = (value: Value): value is Scalar => Predicate.hasProperty(value, "size")

/** Writes a table, and behind it everything that it holds. */
export const encode = (root: Table): Uint8Array => {
  let bytes = new Uint8Array(1_024)
  let view = new DataView(bytes.buffer)
  let end = 4

  /** Takes room whose byte at `from` lies at a multiple of `boundary`. */
  const take = (size: number, boundary: number, from = 0) => {
    const at = aligned(end + from, boundary) - from
    end = at + size
    if (end > bytes.length) {
      const grown = new Uint8Array(2 * end)
      grown.set(bytes)
      bytes = grown
      view = new DataView(bytes.buffer)
    }
    return at
  }
  const set = (at: number, { size, value }: Scalar) => {
    for (let index = 0; index < size; index++) bytes[at + index] = Number((value >> BigInt(8 * index)) & 255n)
  }
  const pointFrom = (at: number, to: number) => view.setUint32(at, to - at, true)

  const writeTable = (fields: Table): number => {
    let size = 4
    const places = fields.map((field) => {
      if (field === undefined) return 0
      const width = isScalar(field) ? field.size : 4
      const place = aligned(size, width)
      size = place + width
      return place
    })
    const layout = take(4 + 2 * fields.length, 2)
    const at = take(size, 8)
    for (const [index, word] of [4 + 2 * fields.length, size, ...places].entries()) {
      view.setUint16(layout + 2 * index, word, true)
    }
    view.setInt32(at, at - layout, true)
    for (const [index, field] of fields.entries()) {
      if (field === undefined) continue
      const place = at + places[index]!
      if (isScalar(field)) set(place, field)
      else pointFrom(place, write(field))
    }
    return at
  }

  const write = (value: Exclude<Value, Scalar>): number => {
    if (Predicate.isString(value)) {
      const text = new TextEncoder().encode(value)
      const at = take(4 + text.length + 1, 4)
      view.setUint32(at, text.length, true)
      bytes.set(text, at + 4)
      return at
    }
    if ("table" in value) return writeTable(value.table)
    if ("list" in value) {
      const at = take(4 + 4 * value.list.length, 4)
      view.setUint32(at, value.list.length, true)
      for (const [index, table] of value.list.entries()) pointFrom(at + 4 + 4 * index, writeTable(table))
      return at
    }
    const at = take(4 + 8 * value.longs.length, 8, 4)
    view.setUint32(at, value.longs.length / value.each, true)
    for (const [index, number] of value.longs.entries()) view.setBigInt64(at + 4 + 8 * index, number, true)
    return at
  }

  pointFrom(0, writeTable(root))
  return bytes.subarray(0, aligned(end, 8))
}
