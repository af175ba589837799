/** The values of a column as a page has them: those other than null, and which rows have one. */
import type { AnyColumn, Booleans, Decimals, Doubles, Integers, Texts, Times } from "@sluice/core/Columns"
import { isWide } from "@sluice/core/internal/columns/UnscaledDecimal"
import type { Encoding } from "hyparquet"
import * as Delta from "./Delta.ts"
import * as Range from "./Range.ts"

/** Values that were encoded. The bytes are valid until the next call. */
export interface Encoded {
  readonly bytes: Uint8Array
  /** Absent of lists, objects, truths and exact decimals. */
  readonly range?: Range.Range | undefined
}

/**
 * How a page has the values of a type: times and whole numbers as differences, since they mostly grow evenly; texts as all lengths,
 * then all bytes, with which Zstandard takes a half to a fifth of the time; others as they are.
 */
export const encodingOf = (type: AnyColumn["type"]): Encoding => {
  switch (type) {
    case "time":
    case "integer":
      return "DELTA_BINARY_PACKED"
    case "text":
    case "json":
    case "word":
      return "DELTA_LENGTH_BYTE_ARRAY"
    default:
      return "PLAIN"
  }
}

/** Encodes the values of a column. Its memory is used again: new memory for each page would be for the collector. */
export type Encode = (column: Exclude<AnyColumn, { readonly type: "word" }>) => Encoded

/** Copies the values other than null to a place, one behind the other. */
const dense = <A extends Float64Array | BigInt64Array>({ isNull, length, nulls }: AnyColumn, values: A, to: A): A => {
  if (nulls === 0) {
    // Type boundary: both are of the same kind.
    to.set(values as never)
    return to
  }
  for (let index = 0, at = 0; index < length; index++) if (!isNull(index)) to[at++] = values[index]!
  return to
}

/** Builds what encodes the pages of all files of a download. */
export const make = (): Encode => {
  const { pack, range, room: integers } = Delta.make()
  let memory = new ArrayBuffer(1_048_576)
  const room = (size: number): ArrayBuffer => {
    if (size > memory.byteLength) memory = new ArrayBuffer(2 * size)
    return memory
  }

  const doubles = (column: Doubles): Encoded => {
    const { length, nulls } = column
    const values =
      nulls === 0 ? column.values : dense(column, column.values, new Float64Array(room(8 * length), 0, length - nulls))
    return { bytes: bytesOf(values), range: Range.ofDoubles({ values }) }
  }

  const whole = (column: Times | Integers): Encoded => {
    const count = column.length - column.nulls
    dense(column, column.values, integers(count))
    return { bytes: pack(count), range: count === 0 ? undefined : range() }
  }

  const texts = ({ bytes, isNull, length, nulls, offsets }: Texts): Encoded => {
    const count = length - nulls
    const { buffer, byteOffset } = integers(count)
    // The lower half of each; lengths have no higher one.
    const lengths = new Int32Array(buffer, byteOffset, 2 * count).fill(0)
    for (let index = 0, at = 0; index < length; index++) {
      if (nulls > 0 && isNull(index)) continue
      lengths[at] = offsets[index + 1]! - offsets[index]!
      at += 2
    }
    const packed = pack(count)
    const all = new Uint8Array(room(packed.length + bytes.length), 0, packed.length + bytes.length)
    all.set(packed)
    all.set(bytes, packed.length)
    return { bytes: all }
  }

  const booleans = ({ isNull, length, nulls, values }: Booleans): Encoded => {
    if (nulls === 0) return { bytes: values }
    const bits = new Uint8Array(room(length), 0, (length - nulls + 7) >>> 3).fill(0)
    for (let index = 0, at = 0; index < length; index++) {
      if (isNull(index)) continue
      bits[at >>> 3]! |= ((values[index >>> 3]! >>> (index & 7)) & 1) << (at & 7)
      at++
    }
    return { bytes: bits }
  }

  /** Of more than 18 digits 128 bits, the highest byte first; of fewer 64 bits, the lowest first. */
  const decimals = (column: Decimals): Encoded => {
    const { isNull, length, nulls, values } = column
    const width = isWide(column) ? 16 : 8
    const view = new DataView(room(width * length), 0, width * (length - nulls))
    for (let index = 0, at = 0; index < length; index++) {
      if (isNull(index)) continue
      if (width === 16) {
        view.setBigInt64(at, values[2 * index + 1]!)
        view.setBigInt64(at + 8, values[2 * index]!)
      } else view.setBigInt64(at, values[2 * index]!, true)
      at += width
    }
    return { bytes: new Uint8Array(view.buffer, 0, view.byteLength) }
  }

  return (column) => {
    switch (column.type) {
      case "double":
        return doubles(column)
      case "time":
      case "integer":
        return whole(column)
      case "text":
        return { ...texts(column), range: Range.ofTexts(column) }
      case "json":
        return texts(column)
      case "boolean":
        return booleans(column)
      case "decimal":
        return decimals(column)
    }
  }
}

const bytesOf = ({ buffer, byteLength, byteOffset }: Float64Array) => new Uint8Array(buffer, byteOffset, byteLength)

/** Which rows have a value, as Parquet's mix of runs and bits. */
export const levelsOf = ({ length, nulls, validity }: AnyColumn): Uint8Array => {
  // All null or none: one run.
  if (validity === undefined || nulls === length) return Uint8Array.of(...varint(length * 2), nulls === 0 ? 1 : 0)
  return Uint8Array.of(...varint(validity.length * 2 + 1), ...validity)
}

/** An integer, seven bits a byte, the lowest first. */
const varint = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
