/**
 * Bytes that grow at the end, in memory that is used again: values go from records into them without an object each.
 */

/** Memory kept for the next use, at most. */
const kept = 1024 * 1024

/** Growing bytes. */
export class Bytes {
  private buffer = Buffer.allocUnsafeSlow(1024)
  /** Bytes written. */
  length = 0

  /** What was written; valid until the next write. */
  get written(): Uint8Array {
    return this.buffer.subarray(0, this.length)
  }

  clear() {
    this.length = 0
    if (this.buffer.length > kept) this.buffer = Buffer.allocUnsafeSlow(1024)
  }

  /** Appends UTF-8 after its length, as Parquet has text. */
  text(value: string) {
    this.reserve(4 + value.length * 3)
    const start = this.length + 4
    const length = this.ascii(value, start) ? value.length : this.buffer.write(value, start)
    this.buffer.writeUInt32LE(length, this.length)
    this.length = start + length
  }

  /** Short text is copied faster from here than by a call out of JavaScript; tells whether all of it was ASCII. */
  private ascii(value: string, start: number) {
    if (value.length > 64) return false
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at)
      if (code > 127) return false
      this.buffer[start + at] = code
    }
    return true
  }

  bit(at: number, value: boolean) {
    const index = at >>> 3
    if (index >= this.length) {
      this.reserve(1)
      this.buffer[this.length++] = 0
    }
    if (value) this.buffer[index] = (this.buffer[index] ?? 0) | (1 << (at & 7))
  }

  double(value: number) {
    this.reserve(8)
    this.length = this.buffer.writeDoubleLE(value, this.length)
  }

  int64(value: bigint) {
    this.reserve(8)
    this.length = this.buffer.writeBigInt64LE(value, this.length)
  }

  /** Appends 128 bits, the highest first. */
  int128(value: bigint) {
    this.reserve(16)
    this.buffer.writeBigInt64BE(value >> 64n, this.length)
    this.length = this.buffer.writeBigUInt64BE(BigInt.asUintN(64, value), this.length + 8)
  }

  private reserve(size: number) {
    if (this.length + size <= this.buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.length + size))
    this.buffer.copy(larger, 0, 0, this.length)
    this.buffer = larger
  }
}
