/**
 * The bytes of a file between being made and being taken.
 *
 * A row group makes many at once. Handed out as they are they would live until the file system has them all, which is
 * long enough for V8 to keep them for much longer; so they wait in blocks, and a copy of a few lives for one write.
 */
import type * as Blocks from "./Blocks.ts"

/** Blocks that are taken together: 64 KiB. */
const together = 8

const none = Buffer.alloc(0)

/** Bytes that are appended at the end and taken from the beginning. */
export class Output {
  private readonly blocks: Blocks.Blocks
  private full: Array<Buffer> = []
  private last: Buffer | undefined
  private used = 0
  /** Bytes appended since the beginning, taken or not. */
  length = 0

  constructor(blocks: Blocks.Blocks) {
    this.blocks = blocks
  }

  append(bytes: Uint8Array) {
    for (let at = 0; at < bytes.length;) {
      const block = (this.last ??= this.blocks.take())
      const part = bytes.subarray(at, at + block.length - this.used)
      block.set(part, this.used)
      at += part.length
      this.used += part.length
      this.length += part.length
      if (this.used < block.length) continue
      this.full.push(block)
      this.last = undefined
      this.used = 0
    }
  }

  /** Takes a piece, where there is one; whoever takes it may keep it. */
  next(): Uint8Array | undefined {
    if (this.full.length < together) return undefined
    const taken = this.full.splice(0, together)
    const bytes = Buffer.concat(taken)
    this.blocks.giveBack(taken)
    return bytes
  }

  /** Takes the rest, less than a piece. */
  rest(): Uint8Array | undefined {
    if (this.full.length === 0 && this.last === undefined) return undefined
    const bytes = Buffer.concat([...this.full, this.last?.subarray(0, this.used) ?? none])
    this.clear()
    return bytes
  }

  /** Appends what was not taken to another, and begins anew. */
  moveTo(other: Output) {
    for (const block of this.full) other.append(block)
    if (this.last !== undefined) other.append(this.last.subarray(0, this.used))
    this.clear()
    this.length = 0
  }

  /** Forgets what was not taken. */
  clear() {
    this.blocks.giveBack(this.full)
    if (this.last !== undefined) this.blocks.giveBack([this.last])
    this.full = []
    this.last = undefined
    this.used = 0
  }
}
