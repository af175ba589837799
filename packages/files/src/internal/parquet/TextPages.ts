/**
 * Texts of a page as `DELTA_LENGTH_BYTE_ARRAY`: all lengths, then all bytes.
 *
 * With a length before each text, Zstandard takes two to five times as long, and decimals and counts take a tenth to a half
 * more bytes. The loop is `page.wat`: undici's parser needs WebAssembly too.
 */
import { ByteWriter } from "hyparquet-writer"
import { deltaBinaryPack } from "hyparquet-writer/src/delta.js"
import type { StoredBytes } from "./ColumnValues.ts"
import { pageModule } from "./PageModule.ts"

/** Encodes as many texts, which are in the plain encoding. The result is valid until the next call. */
export type Encode = (plain: StoredBytes, count: number) => Uint8Array

type Exported = {
  readonly divide: (from: number, to: number, lengths: number, out: number) => number
}

const wasmPage = 65_536

/** Bytes copied at once. */
const stride = 16

/** The most bytes of packed lengths: a little more than four for each, and the last ones are padded. */
const mostPacked = (count: number) => 5 * count + 1_024

/** Builds what encodes the pages of all files of a download. */
export const make = (): Encode => {
  const memory = new WebAssembly.Memory({ initial: 1 })
  const wasm = new WebAssembly.Module(Buffer.from(pageModule, "base64"))
  // Type boundary: `page.wat` exports this.
  const { divide } = new WebAssembly.Instance(wasm, { page: { memory } }).exports as Exported
  const writer = new ByteWriter()
  let bytes = new Uint8Array(memory.buffer)

  return (plain, count) => {
    const lengths = Math.ceil((plain.length + stride) / 4) * 4
    const out = lengths + 4 * count + mostPacked(count)
    const needed = out + plain.length + stride
    if (needed > bytes.length) {
      memory.grow(Math.ceil((needed - bytes.length) / wasmPage))
      bytes = new Uint8Array(memory.buffer)
    }
    plain.copyTo(bytes)
    const end = divide(0, plain.length, lengths, out)
    writer.index = 0
    deltaBinaryPack(writer, new Int32Array(memory.buffer, lengths, count), "INT32")
    const packed = writer.getBytes()
    bytes.set(packed, out - packed.length)
    return bytes.subarray(out - packed.length, end)
  }
}
