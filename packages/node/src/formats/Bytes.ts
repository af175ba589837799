/**
 * Bytes that grow at the end, in blocks that are used again: values go from records into them without an object each.
 */
import type * as Blocks from "./Blocks.ts"

/** Text of more characters is cut to fit the blocks. */
const longest = 512

const encoder = new TextEncoder()

const none: Buffer = Buffer.alloc(0)

/** Growing bytes. */
export class Bytes {
  private readonly blocks: Blocks.Blocks
  /** Blocks before the last one, and how far each is used. */
  private full: Array<Buffer> = []
  private ends: Array<number> = []
  /** Bytes in them. */
  private before = 0
  /** The last block, and how far it is used. */
  private block = none
  private used = 0

  constructor(blocks: Blocks.Blocks) {
    this.blocks = blocks
  }

  /** Bytes written. */
  get length() {
    return this.before + this.used
  }

  /** Writes all of it to the beginning of a larger place. */
  copyTo(place: Uint8Array) {
    let at = 0
    for (const [index, block] of this.full.entries()) {
      const end = this.ends[index] ?? 0
      block.copy(place, at, 0, end)
      at += end
    }
    this.block.copy(place, at, 0, this.used)
  }

  /** Forgets all of it, and gives the blocks back. */
  clear() {
    this.blocks.giveBack(this.full)
    if (this.block !== none) this.blocks.giveBack([this.block])
    this.full = []
    this.ends = []
    this.before = 0
    this.block = none
    this.used = 0
  }

  /** Appends UTF-8 after its length, as Parquet has text. */
  text(value: string) {
    if (value.length > longest) return this.long(value)
    this.reserve(4 + value.length * 3)
    const start = this.used + 4
    const length = this.ascii(value, start) ? value.length : this.block.write(value, start)
    this.block.writeUInt32LE(length, this.used)
    this.used = start + length
  }

  /** Short text is copied faster from here than by a call out of JavaScript; tells whether all of it was ASCII. */
  private ascii(value: string, start: number) {
    if (value.length > 64) return false
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at)
      if (code > 127) return false
      this.block[start + at] = code
    }
    return true
  }

  private long(value: string) {
    this.reserve(4)
    this.used = this.block.writeUInt32LE(Buffer.byteLength(value), this.used)
    for (let rest = value; rest !== "";) {
      const { read, written } = encoder.encodeInto(rest, this.block.subarray(this.used))
      this.used += written
      rest = rest.slice(read)
      if (rest !== "") this.next()
    }
  }

  /** Sets the bit after the last one, the lowest of a byte first; `at` counts from the first. */
  bit(at: number, value: boolean) {
    if (at >>> 3 >= this.length) {
      this.reserve(1)
      this.block[this.used++] = 0
    }
    if (value) this.block[this.used - 1] = (this.block[this.used - 1] ?? 0) | (1 << (at & 7))
  }

  double(value: number) {
    this.reserve(8)
    this.used = this.block.writeDoubleLE(value, this.used)
  }

  int64(value: bigint) {
    this.reserve(8)
    this.used = this.block.writeBigInt64LE(value, this.used)
  }

  /** Appends 128 bits, the highest first. */
  int128(value: bigint) {
    this.reserve(16)
    this.block.writeBigInt64BE(value >> 64n, this.used)
    this.used = this.block.writeBigUInt64BE(BigInt.asUintN(64, value), this.used + 8)
  }

  /** Makes room in one piece, less than a block. */
  private reserve(size: number) {
    if (this.used + size > this.block.length) this.next()
  }

  private next() {
    if (this.block !== none) {
      this.full.push(this.block)
      this.ends.push(this.used)
      this.before += this.used
    }
    this.block = this.blocks.take()
    this.used = 0
  }
}
