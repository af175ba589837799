/** Reads the column of a page as {@link PageEncoder} writes it, as typed arrays. */
import type { AnyColumn } from "@sluice/core/Columns"
import * as TypedColumn from "@sluice/core/internal/columns/TypedColumn"
import type { PageHeader, SchemaElement } from "hyparquet"
// As a namespace: Zstandard came with Node.js 22.15, and an older one would reject an import of its name.
import * as Zlib from "node:zlib"
import type { Delta } from "./Delta.ts"

/** A page that was not read yet. */
export interface Page {
  readonly header: NonNullable<PageHeader["data_page_header_v2"]>
  readonly codec: string
  /** Its levels, and then its values, compressed. */
  readonly bytes: Uint8Array
  /** Bytes of its values without compression, and of its levels. */
  readonly size: number
}

const fail = (reason: string): never => {
  throw new Error(reason)
}

const decompress = (codec: string, bytes: Uint8Array, size: number): Uint8Array => {
  // A column without any value.
  if (size === 0) return new Uint8Array(0)
  const options = { maxOutputLength: size, chunkSize: Math.max(64, size) }
  switch (codec) {
    case "ZSTD":
      return Zlib.zstdDecompressSync(bytes, options)
    case "GZIP":
      return Zlib.gunzipSync(bytes, options)
    case "UNCOMPRESSED":
      return bytes
    default:
      return fail(`it is compressed by ${codec}`)
  }
}

/** Which rows have a value, a bit for each, from Parquet's mix of runs and bits. */
const validityOf = (levels: Uint8Array, length: number): Uint8Array => {
  const bits = new Uint8Array((length + 7) >>> 3)
  let at = 0
  for (let row = 0; row < length;) {
    let header = 0
    for (let shift = 0; ; shift += 7) {
      const byte = levels[at++] ?? fail("its levels end too early")
      header |= (byte & 127) << shift
      if (byte < 128) break
    }
    if (row % 8 !== 0) fail("its levels are cut inside a byte")
    const count = header >>> 1
    if (header % 2 === 1) bits.set(levels.subarray(at, (at += count)).subarray(0, bits.length - (row >>> 3)), row >>> 3)
    else if (levels[at++] === 1) bits.fill(255, row >>> 3, Math.min(bits.length, (row + count + 7) >>> 3))
    row += header % 2 === 1 ? 8 * count : count
  }
  // No bits beyond the last row.
  if (length % 8 !== 0) bits[bits.length - 1]! &= (1 << (length & 7)) - 1
  return bits
}

/** Puts the values other than null to their rows. */
const spread = <A extends Float64Array | BigInt64Array>(
  dense: A,
  all: A,
  { isNull }: TypedColumn.Untyped,
  width = 1
): A => {
  for (let row = 0, at = 0; row < all.length / width; row++) {
    if (isNull(row)) continue
    for (let part = 0; part < width; part++) all[row * width + part] = dense[at++]!
  }
  return all
}

const doubles = (common: TypedColumn.Untyped, bytes: Uint8Array, count: number) => {
  if (bytes.length < 8 * count) fail("its values end too early")
  // Of memory of its own: the bytes may begin anywhere.
  const dense = new Float64Array(count)
  new Uint8Array(dense.buffer).set(bytes.subarray(0, 8 * count))
  const values = common.nulls === 0 ? dense : spread(dense, new Float64Array(common.length).fill(Number.NaN), common)
  return TypedColumn.doubles(common, values)
}

/** Of more than 18 digits 128 bits, the highest byte first; of fewer 64 bits, the lowest first. */
const decimals = (common: TypedColumn.Untyped, element: SchemaElement, bytes: Uint8Array, count: number) => {
  const { precision = 0, scale = 0, type } = element
  const dense = new BigInt64Array(2 * count)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < count; at++) {
    const low = type === "INT64" ? view.getBigInt64(8 * at, true) : view.getBigInt64(16 * at + 8)
    dense[2 * at] = low
    dense[2 * at + 1] = type === "INT64" ? low >> 63n : view.getBigInt64(16 * at)
  }
  const values = common.nulls === 0 ? dense : spread(dense, new BigInt64Array(2 * common.length), common, 2)
  return TypedColumn.decimals(common, { precision, scale }, values)
}

const booleans = (common: TypedColumn.Untyped, bytes: Uint8Array) => {
  if (common.nulls === 0) return TypedColumn.booleans(common, bytes)
  const values = new Uint8Array((common.length + 7) >>> 3)
  for (let row = 0, at = 0; row < common.length; row++) {
    if (common.isNull(row)) continue
    values[row >>> 3]! |= ((bytes[at >>> 3]! >>> (at & 7)) & 1) << (row & 7)
    at++
  }
  return TypedColumn.booleans(common, values)
}

export const make = (delta: Delta, json: ReadonlySet<string>) => {
  const unpack = (bytes: Uint8Array, count: number) =>
    delta.unpack(bytes, count) ?? fail("its integers are packed in another way")

  const whole = (common: TypedColumn.Untyped, element: SchemaElement, bytes: Uint8Array, count: number) => {
    const { values: dense } = unpack(bytes, count)
    const values = common.nulls === 0 ? dense.slice() : spread(dense, new BigInt64Array(common.length), common)
    const { logical_type: meaning } = element
    if (meaning?.type !== "TIMESTAMP") return TypedColumn.sixtyFour(common, "integer", values)
    if (meaning.unit === "MICROS") for (let row = 0; row < values.length; row++) values[row]! *= 1_000n
    return TypedColumn.sixtyFour(common, "time", values)
  }

  const texts = (common: TypedColumn.Untyped, bytes: Uint8Array, count: number) => {
    const { size, values } = unpack(bytes, count)
    // The lower half of each: lengths have no higher one.
    const lengths = new Int32Array(values.buffer, values.byteOffset, 2 * count)
    const offsets = new Int32Array(common.length + 1)
    for (let row = 0, at = 0, end = 0; row < common.length; row++) {
      if (common.nulls === 0 || !common.isNull(row)) end += lengths[2 * at++]!
      offsets[row + 1] = end
    }
    const all = bytes.subarray(size)
    if (offsets[common.length]! > all.length) fail("its texts end too early")
    return TypedColumn.texts(common, json.has(common.name) ? "json" : "text", all, offsets)
  }

  /** Reads a column, in memory of its own. Throws for bytes that this library does not write. */
  return (element: SchemaElement, { bytes, codec, header, size }: Page): AnyColumn => {
    const {
      definition_levels_byte_length: levels,
      is_compressed: isCompressed,
      num_nulls: nulls,
      num_values: length
    } = header
    const values = bytes.subarray(levels)
    const validity = nulls === 0 ? undefined : validityOf(bytes.subarray(0, levels), length)
    const common: TypedColumn.Untyped = {
      name: element.name,
      length,
      nullable: element.repetition_type === "OPTIONAL",
      nulls,
      validity,
      isNull: (row) => validity !== undefined && (validity[row >>> 3]! & (1 << (row & 7))) === 0
    }
    const raw = isCompressed === false ? values : decompress(codec, values, size - levels)
    const count = length - nulls
    const { converted_type: converted, logical_type: meaning, type } = element
    if (converted === "DECIMAL" || meaning?.type === "DECIMAL") return decimals(common, element, raw, count)
    switch (type) {
      case "DOUBLE":
        return doubles(common, raw, count)
      case "INT64":
        return whole(common, element, raw, count)
      case "BOOLEAN":
        return booleans(common, raw)
      case "BYTE_ARRAY":
        return texts(common, raw, count)
      default:
        return fail(`it has values of the type ${String(type)}`)
    }
  }
}
