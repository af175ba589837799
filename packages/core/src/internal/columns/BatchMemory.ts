/**
 * Memory in which a WebAssembly module reads batches. It is used for one batch after the other, and grows with them.
 */
import type * as Batch from "../../Batch.ts"
import { instantiate } from "../wire/scan/Wasm.ts"

// For `@sluice/files`, which sees no other room.
export { instantiate }

/** What a module gets of a run of records. All of these are addresses. */
export interface Loaded {
  /** Where the offsets of its records begin and end. */
  readonly records: number
  readonly recordsEnd: number
  /** Bytes of the offsets of a record. */
  readonly stride: number
  /** What is added to an offset to find its byte. */
  readonly shift: number
}

/** The memory, and what is loaded into it. */
export interface BatchMemory<Exported> {
  readonly exports: Exported
  /** Room for results: where it begins, and where it ends. */
  readonly out: number
  readonly outEnd: () => number
  /** A part of the memory, which is valid until more is loaded. */
  readonly bytes: (from: number, to: number) => Uint8Array
  /** A number that the module has left. */
  readonly word: (address: number) => number
  /** Writes a table for the module to an address before `out`. */
  readonly setTable: (values: Int32Array, address?: number) => void
  /** Makes room for results of so many bytes, and copies the bytes of a batch. */
  readonly load: (batch: Batch.Batch, outSize: number) => void
  /** Copies the offsets of a run of that batch. */
  readonly loadRun: (run: Batch.Run) => Loaded
}

/** Where tables are, behind the words in which a module leaves numbers. */
export const table = 64

const pageSize = 65_536

const alignedTo = (size: number, boundary: number) => Math.ceil(size / boundary) * boundary

/** Instantiates a module, given in base64, with a memory and room for a table of so many numbers. */
export const make = <Exported>(module: string, tableSize: number): BatchMemory<Exported> => {
  const memory = new WebAssembly.Memory({ initial: 1 })
  const exports = instantiate<Exported>(module, { batch: { memory } })
  const out = alignedTo(table + 4 * tableSize, 16)
  /** Behind the results: the bytes of the batch, then the offsets of a run. */
  let bytesAt = out
  let offsetsAt = out
  let shift = 0

  // A memory that grows has another buffer.
  let all = new Uint8Array(memory.buffer)
  let words = new Int32Array(memory.buffer)
  const reserve = (size: number) => {
    if (size <= all.length) return
    memory.grow(Math.ceil((size - all.length) / pageSize))
    all = new Uint8Array(memory.buffer)
    words = new Int32Array(memory.buffer)
  }

  return {
    exports,
    out,
    outEnd: () => bytesAt,
    bytes: (from, to) => all.subarray(from, to),
    word: (address) => words[address >>> 2]!,
    setTable: (values, address = table) => words.set(values, address >>> 2),
    load: ({ bytes, from, to }, outSize) => {
      bytesAt = alignedTo(Math.max(out + outSize, bytesAt), 16)
      // What copies sixteen bytes at a time reads as many beyond the last.
      offsetsAt = alignedTo(bytesAt + to - from + 16, 16)
      shift = bytesAt - from
      reserve(offsetsAt)
      all.set(bytes.subarray(from, to), bytesAt)
    },
    loadRun: ({ count, first, keys, offsets }) => {
      const size = 2 * keys.length + 2
      const recordsEnd = offsetsAt + 4 * count * size
      reserve(recordsEnd)
      words.set(offsets.subarray(first, first + count * size), offsetsAt >>> 2)
      return { records: offsetsAt, recordsEnd, stride: 4 * size, shift }
    }
  }
}
