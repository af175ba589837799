/**
 * What the Parquet library writes into, as pieces of one size: whoever takes them may keep them, and no byte is copied
 * once more to be handed over.
 */
import { ByteWriter } from "hyparquet-writer"

/** Bytes of a piece; the last one is shorter, and others by a few bytes. */
const size = 65_536

/** Growing bytes, of which the full pieces can be taken at any time. */
export class Pieces extends ByteWriter {
  private full: Array<Uint8Array> = []

  constructor() {
    super(size)
  }

  /** Gives the pieces that are full. */
  take(): ReadonlyArray<Uint8Array> {
    const taken = this.full
    this.full = []
    return taken
  }

  /** Gives all that is left. */
  end(): ReadonlyArray<Uint8Array> {
    return [...this.take(), this.getBytes()]
  }

  /** Makes room for a number, which stays in one piece. */
  override ensure(size: number) {
    if (this.index + size > this.buffer.byteLength) this.next()
  }

  override appendBytes(value: Uint8Array) {
    for (let at = 0; at < value.length;) {
      if (this.index === this.buffer.byteLength) this.next()
      const part = value.subarray(at, at + this.buffer.byteLength - this.index)
      new Uint8Array(this.buffer).set(part, this.index)
      this.index += part.length
      this.offset += part.length
      at += part.length
    }
  }

  private next() {
    this.full.push(this.getBytes())
    this.buffer = new ArrayBuffer(size)
    this.view = new DataView(this.buffer)
    this.index = 0
  }
}
