/**
 * Compression in Snappy's raw format, into memory that is used again: the Parquet library's own begins with a kilobyte
 * for every page and doubles it ten times.
 *
 * A page is the length of its plain bytes, then literals and copies of what came before; found as in Snappy itself, by a
 * table of where four bytes were seen last and by longer steps where nothing repeats.
 */
import * as Room from "./Room.ts"

const tableBits = 14
/** Copies reach back no further than two bytes can say. */
const farthest = 65_535
/** So close to the end, no copy is looked for. */
const margin = 15

/** The most bytes that so many become. */
const mostBytes = (length: number) => 32 + length + Math.floor(length / 6)

/** Builds a compressor; what it gives is valid until its next use. */
export const make = (): ((input: Uint8Array) => Uint8Array) => {
  const room = Room.make()
  const table = new Int32Array(1 << tableBits)
  return (input) => {
    const output = room(mostBytes(input.length))
    return output.subarray(0, compress(input, output, table))
  }
}

const compress = (input: Uint8Array, output: Uint8Array, table: Int32Array): number => {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength)
  const end = input.length - margin
  let to = varint(output, 0, input.length)
  /** Where the bytes begin that are not written yet. */
  let start = 0
  let at = 1
  let step = 32
  table.fill(0)
  while (at < end) {
    const four = view.getInt32(at, true)
    const slot = slotOf(four)
    const seen = table[slot] ?? 0
    table[slot] = at
    if (at - seen > farthest || view.getInt32(seen, true) !== four) {
      at += step++ >>> 5
      continue
    }
    to = literal(output, to, input, start, at)
    let length = 4
    while (at + length < input.length && input[at + length] === input[seen + length]) length++
    to = copy(output, to, at - seen, length)
    at += length
    start = at
    step = 32
    // What repeats goes on to repeat.
    if (at < end) table[slotOf(view.getInt32(at - 1, true))] = at - 1
  }
  return literal(output, to, input, start, input.length)
}

const slotOf = (four: number) => Math.imul(four, 0x1e_35_a7_bd) >>> (32 - tableBits)

/** Seven bits a byte, the lowest first. */
const varint = (output: Uint8Array, to: number, value: number) => {
  let rest = value
  while (rest >= 128) {
    output[to++] = (rest & 127) | 128
    rest >>>= 7
  }
  output[to++] = rest
  return to
}

const literal = (output: Uint8Array, to: number, input: Uint8Array, from: number, end: number) => {
  const length = end - from
  if (length === 0) return to
  if (length <= 60) {
    output[to++] = (length - 1) << 2
    // Few bytes are copied faster one by one than by a call.
    for (let at = from; at < end; at++) output[to++] = input[at] ?? 0
    return to
  }
  const bytes = length <= 1 << 8 ? 1 : length <= 1 << 16 ? 2 : length <= 1 << 24 ? 3 : 4
  output[to++] = (59 + bytes) << 2
  for (let byte = 0; byte < bytes; byte++) output[to++] = (length - 1) >>> (8 * byte)
  output.set(input.subarray(from, end), to)
  return to + length
}

const copy = (output: Uint8Array, to: number, distance: number, length: number) => {
  let rest = length
  while (rest > 64) {
    // Four bytes at least are left for the last one.
    const part = rest >= 68 ? 64 : 60
    to = shortCopy(output, to, distance, part)
    rest -= part
  }
  return shortCopy(output, to, distance, rest)
}

const shortCopy = (output: Uint8Array, to: number, distance: number, length: number) => {
  if (length < 12 && distance < 2_048) {
    output[to++] = 1 | ((length - 4) << 2) | ((distance >>> 8) << 5)
    output[to++] = distance & 255
    return to
  }
  output[to++] = 2 | ((length - 1) << 2)
  output[to++] = distance & 255
  output[to++] = distance >>> 8
  return to
}
