/**
 * Finds the values of records in bytes for batches, many records with one call. A layout is the keys of a record in order,
 * written without white space.
 *
 * A record of this layout is checked and not decoded: only the offsets of its values are noted. Every value that fits is
 * written as `JSON.stringify` writes it, so its bytes can go into a file as they are. What does not fit has to be parsed:
 * texts with escapes or characters outside ASCII, nested values, numbers that JavaScript writes in another way.
 *
 * The loop over the bytes is `batch.wat`. It is a module of its own, beside `scan.wat`, because programs that write no
 * files do not carry it. Where WebAssembly is missing or forbidden there is no scan, and records are parsed.
 */
import * as Result from "effect/Result"
import { batchModule } from "./BatchModule.ts"
import { stops } from "./Scan.ts"

/** The memory of one reader, and the functions that read from it. */
export interface BatchScan {
  /** Memory up to the end of the longest run. All offsets are offsets here. */
  readonly bytes: Uint8Array
  /** For each record its beginning, the beginning and the end of each value, and its end. */
  readonly offsets: Int32Array
  /** Copies a run to {@link runStart}. Returns false when it is too long. */
  readonly load: (run: Uint8Array) => boolean
  /** Writes a layout into a place. Returns false when it is too large. */
  readonly setLayout: (place: number, keys: ReadonlyArray<string>, accepted: Uint8Array) => boolean
  /** Finds records from an offset on, and notes their offsets from an index on. Returns their number. */
  readonly read: (place: number, from: number, to: number, between: number, index: number) => number
  /** The offset where the last call stopped: behind the last record, or at the record that does not fit. */
  readonly at: () => number
  /** Why it stopped there: one of `Scan.stops`. */
  readonly stop: () => number
}

export { stops }

/** A piece of a body, and a record that began in the one before. */
const longestRun = 131_072
const layoutSize = 16_384

/**
 * The shortest record, `{"":1}` and a separator, takes seven bytes and has four offsets; others have fewer for their length.
 * So there is room for the offsets of every run, and for those of a record that does not fit.
 */
const offsetsSize = Math.ceil((longestRun / 7) * 16) + layoutSize

/** Where a run begins. */
export const runStart = 16

/**
 * Bytes read at once. Behind a run there are a line feed and as many zeros, none of which is in a value or a literal, so that
 * nothing behind them is taken for its part.
 */
const stride = 16

const lineFeed = 10

/** Layouts that there is room for. */
export const maxLayouts = 8

type Exported = {
  readonly memory: WebAssembly.Memory
  readonly read: (at: number, to: number, between: number, layout: number, out: number) => number
}

/** Builds the scan of one reader; nothing where WebAssembly cannot be used. */
export const make = (): BatchScan | undefined => Result.getOrUndefined(Result.try(instantiate))

const instantiate = (): BatchScan => {
  const wasm = Uint8Array.from(atob(batchModule), (byte) => byte.charCodeAt(0))
  // Type boundary: `batch.wat` exports these.
  const { memory, read } = new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports as Exported
  const offsetsAt = runStart + longestRun + 2 * stride
  const layoutsAt = offsetsAt + Math.ceil(offsetsSize / 16) * 16
  const bytes = new Uint8Array(memory.buffer, 0, offsetsAt)
  const words = new Uint32Array(memory.buffer, 0, 2)
  return {
    bytes,
    offsets: new Int32Array(memory.buffer, offsetsAt, offsetsSize >>> 2),
    load: (run) => {
      if (run.length > longestRun) return false
      const end = runStart + run.length
      bytes.set(run, runStart)
      // So that the last record is a line too.
      bytes[end] = lineFeed
      bytes.fill(0, end + 1, end + 1 + stride)
      return true
    },
    setLayout: (place, keys, accepted) => {
      const at = layoutsAt + place * layoutSize
      const literals = [...keys.map((key, index) => `${index === 0 ? "{" : ","}"${key}":`), "}"]
      const texts = new TextEncoder().encode(literals.join(""))
      const tableSize = 4 + 12 * literals.length
      if (tableSize + texts.length + stride > layoutSize) return false
      const table = new Uint32Array(memory.buffer, at, tableSize >>> 2)
      let next = at + tableSize
      table[0] = keys.length
      for (const [index, { length }] of literals.entries()) {
        table.set([next, length, accepted[index] ?? 0], 1 + 3 * index)
        next += length
      }
      new Uint8Array(memory.buffer, at + tableSize).set(texts)
      return true
    },
    read: (place, from, to, between, index) =>
      read(from, to, between, layoutsAt + place * layoutSize, offsetsAt + 4 * index),
    at: () => words[0]!,
    stop: () => words[1]!
  }
}
