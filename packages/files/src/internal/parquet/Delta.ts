/**
 * Integers as the differences between them: Parquet's `DELTA_BINARY_PACKED`.
 *
 * The loop is `delta.wat`. In JavaScript, with a bigint for each value, it took a third of the time of a file.
 */
import * as Result from "effect/Result"
import { instantiate } from "@sluice/core/internal/columns/BatchMemory"
import { deltaModule } from "./DeltaModule.ts"
import type { Of } from "./Range.ts"

export interface Unpacked {
  readonly values: BigInt64Array
  readonly size: number
}

type Exported = {
  readonly memory: WebAssembly.Memory
  readonly pack: (from: number, to: number, block: number, out: number) => number
  readonly unpack: (at: number, to: number, count: number) => number
}

const wasmPage = 65_536

/** Bytes for the differences of a block, and where the integers begin. */
const [block, first] = [64, 64 + 1_024]

/** Of a block of 128 integers: the smallest difference, four widths, all bits, and what is written beyond. */
const mostPacked = (count: number) => 64 + Math.ceil(count / 128) * (10 + 4 + 1_024 + 8)

/** Bytes that are read beyond what was packed. */
const mostRead = 16

/** Builds what packs the integers of all files of a download, or unpacks those of a file. */
export const make = () => {
  const { memory, pack, unpack } = instantiate<Exported>(deltaModule)
  const reserve = (size: number) => {
    const missing = size - memory.buffer.byteLength
    if (missing > 0) memory.grow(Math.ceil(missing / wasmPage))
  }
  return {
    room: (count: number): BigInt64Array => {
      reserve(first + 8 * count + mostPacked(count))
      return new BigInt64Array(memory.buffer, first, count)
    },
    /** Packs the first so many. The bytes are valid until `room` is called. */
    pack: (count: number): Uint8Array => {
      // Without a value there is no first one: blocks of 128 in 4 parts, and twice 0.
      if (count === 0) return Uint8Array.of(128, 1, 4, 0, 0)
      const end = first + 8 * count
      return new Uint8Array(memory.buffer, end, pack(first, end, block, end) - end)
    },
    /** The least and the greatest of what was packed last. */
    range: (): Of<bigint> => {
      const [min_value = 0n, max_value = 0n] = new BigInt64Array(memory.buffer, 0, 2)
      return { min_value, max_value }
    },
    /**
     * Unpacks so many integers, and tells how many bytes they took; nothing where the bytes are no such integers. The integers are
     * valid until the next call.
     */
    unpack: (bytes: Uint8Array, count: number): Unpacked | undefined => {
      const at = first + 8 * count
      reserve(at + bytes.length + mostRead)
      new Uint8Array(memory.buffer, at).set(bytes)
      // Damaged bytes may lead beyond the memory.
      const end = Result.getOrElse(
        Result.try(() => unpack(at, first, count)),
        () => 0
      )
      const size = end - at
      return end === 0 || size > bytes.length
        ? undefined
        : { values: new BigInt64Array(memory.buffer, first, count), size }
    }
  }
}

/** Packs integers, or unpacks them; all of its memory is used again with the next. */
export type Delta = ReturnType<typeof make>
