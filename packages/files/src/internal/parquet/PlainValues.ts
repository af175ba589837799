/**
 * Values in Parquet's plain encoding, written into pooled blocks without an object for each.
 */
import { PooledBytes } from "./PooledBytes.ts"

/** Longer text is encoded across several blocks. */
const mostInOneBlock = 512

/** Shorter ASCII text is copied by a loop in JavaScript, see {@link PlainValues.text}. */
const mostByLoop = 64

const encoder = new TextEncoder()

/** Values of one column, one after another. */
export class PlainValues extends PooledBytes {
  /** Appends text as its length in bytes and its UTF-8. */
  text(value: string) {
    if (value.length > mostInOneBlock) return this.longText(value)
    this.reserve(4 + value.length * 3)
    const start = this.used + 4
    const length = this.ascii(value, start) ? value.length : this.block.write(value, start)
    this.block.writeUInt32LE(length, this.used)
    this.used = start + length
  }

  /**
   * Copies short ASCII text without a call out of JavaScript, and tells whether it could. The calls would take 11 to 17 %
   * longer, measured over the whole file.
   */
  private ascii(value: string, start: number) {
    if (value.length > mostByLoop) return false
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at)
      if (code > 127) return false
      this.block[start + at] = code
    }
    return true
  }

  /** Appends text that is there as ASCII, from one offset to another. */
  asciiBytes(bytes: Uint8Array, from: number, to: number) {
    const length = to - from
    this.reserve(4)
    const { block } = this
    let used = this.used
    if (length > mostByLoop || used + 4 + length > block.length) {
      this.used = block.writeUInt32LE(length, used)
      return this.append(bytes.subarray(from, to))
    }
    // Below 256, so the other bytes of the length are 0. Written here, to save a call for each value.
    block[used] = length
    block[used + 1] = 0
    block[used + 2] = 0
    block[used + 3] = 0
    used += 4
    for (let at = from; at < to; at++) block[used++] = bytes[at]!
    this.used = used
  }

  private longText(value: string) {
    this.reserve(4)
    this.used = this.block.writeUInt32LE(Buffer.byteLength(value), this.used)
    for (let rest = value; rest !== "";) {
      const { read, written } = encoder.encodeInto(rest, this.block.subarray(this.used))
      this.used += written
      rest = rest.slice(read)
      if (rest !== "") this.nextBlock()
    }
  }

  /** Appends the bit number `index`, counted from 0; the lowest bit of a byte comes first. */
  bit(index: number, value: boolean) {
    if (index >>> 3 >= this.length) {
      this.reserve(1)
      this.block[this.used++] = 0
    }
    if (value) this.block[this.used - 1] = (this.block[this.used - 1] ?? 0) | (1 << (index & 7))
  }

  double(value: number) {
    this.reserve(8)
    this.used = this.block.writeDoubleLE(value, this.used)
  }

  int64(value: bigint) {
    this.reserve(8)
    this.used = this.block.writeBigInt64LE(value, this.used)
  }

  /** Appends 64 bits: 32 unsigned ones, and the signed ones above them. */
  int64Halves(low: number, high: number) {
    this.reserve(8)
    this.used = this.block.writeUInt32LE(low, this.used)
    this.used = this.block.writeInt32LE(high, this.used)
  }

  /** Appends 128 bits, the highest byte first. */
  int128(value: bigint) {
    this.reserve(16)
    this.block.writeBigInt64BE(value >> 64n, this.used)
    this.used = this.block.writeBigUInt64BE(BigInt.asUintN(64, value), this.used + 8)
  }
}
