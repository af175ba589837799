/**
 * Finds the values of records of a known layout in bytes, many records with one call.
 *
 * The loop over the bytes is `scan.wat`, compiled to WebAssembly: it compares and checks sixteen bytes at a time, for a
 * quarter of the time that JavaScript takes. Where WebAssembly is missing or forbidden there is no scan, and records are
 * parsed.
 */
import * as Result from "effect/Result"
import { follows, type Step } from "./Layout.ts"
import * as Wasm from "./Wasm.ts"
import { scanModule } from "./ScanModule.ts"

/** Why a scan stopped at an offset. */
export const stops = {
  /** The next record does not have this layout, or the room for results was full. */
  other: 0,
  /** The run ended behind a record. */
  end: 1,
  /** Something else stands behind a record. */
  damage: 2
} as const

/**
 * What a result says beside the offset behind a value and its kind: whether it is the first value of the record before, and
 * whether it is a text with escapes, or with characters outside ASCII.
 */
export const isRepeated = 32
export const isEscaped = 64
export const isForeign = 128
export const offsetShift = 8

/**
 * Of a text outside ASCII, the bits above its offset: how many bytes it has more than units of UTF-16, as far as its bytes are
 * UTF-8.
 */
export const surplusShift = 18

/** The bits of the offset of a text. */
export const offsetMask = (1 << surplusShift) - 1

/** The memory of one reader, and the functions that read from it. */
export interface Scan {
  /** Memory up to the end of the longest run. All offsets are offsets here. */
  readonly bytes: Uint8Array
  /**
   * Two numbers for each value: the offset of its text, and the offset behind it with its kind. Two for a list before those of
   * its items: their number, and zero. For a batch, `Run.offsets` of `LazyRecords.ts`.
   */
  readonly found: Int32Array
  /** Copies the bytes between two offsets to {@link runStart}. Returns false when they are too many. */
  readonly load: (bytes: Uint8Array, from: number, to: number) => boolean
  /** Writes a layout into a place. Returns false when it is too large. */
  readonly setLayout: (place: number, steps: ReadonlyArray<Step>) => boolean
  /** Finds records from an offset on. Returns their number. */
  readonly read: (place: number, from: number, to: number, between: number) => number
  /**
   * Finds records that are written as `JSON.stringify` writes them, of a layout for which {@link Layout.isPlain} holds, and notes
   * them in `found` from an index on.
   */
  readonly readBatch: (place: number, from: number, to: number, between: number, index: number) => number
  /**
   * Goes on in a nested value, from an offset with a depth, inside a text or not. Returns the offset behind the bracket that
   * closes it, of a comma between its items from `comma` on, or of the end. Then `at` is the depth, and `stop` tells
   * whether that is inside a text.
   */
  readonly skip: (from: number, to: number, depth: number, isText: number, comma: number) => number
  /** The offset where the last call stopped: behind the last record, or at the record that does not fit. */
  readonly at: () => number
  /** Why it stopped there. */
  readonly stop: () => number
}

/** The most bytes of a run: a piece of a body, and a record that began in the one before. */
export const longestRun = 131_072

/** Where a run begins. */
export const runStart = 16

/** Bytes read at once. Behind a run there are as many zeros, so that nothing behind them is taken for its part. */
const stride = 16

/** Layouts that there is room for. */
export const places = 9

const layoutSize = 16_384

/**
 * The shortest record, `{"":1}` and a separator, takes seven bytes and has four offsets; others have fewer for their length.
 * So there is room for the offsets of every batch, and for those of a record that does not fit.
 */
const foundSize = 16 * Math.ceil(longestRun / 7) + layoutSize

type Exported = {
  readonly memory: WebAssembly.Memory
  readonly read: (at: number, to: number, between: number, layout: number, out: number, outEnd: number) => number
  readonly readBatch: (at: number, to: number, between: number, layout: number, out: number) => number
  readonly skip: Scan["skip"]
}

/** Bytes of a step. */
const stepSize = 16

/** Whether the argument of a step is the place of another one. */
const isPlace = (what: Step["follows"]) => what === follows.list || what === follows.nextItem

/** Builds the scan of one reader; nothing where WebAssembly cannot be used. */
export const make = (): Scan | undefined => Result.getOrUndefined(Result.try(instantiate))

const instantiate = (): Scan => {
  const { memory, read, readBatch, skip } = Wasm.instantiate<Exported>(scanModule)
  const layoutsAt = runStart + longestRun + stride
  const foundAt = layoutsAt + places * layoutSize
  const foundEnd = foundAt + foundSize
  const bytes = new Uint8Array(memory.buffer, 0, layoutsAt)
  const found = new Int32Array(memory.buffer, foundAt, foundSize / 4)
  const words = new Uint32Array(memory.buffer, 0, 2)
  return {
    bytes,
    found,
    load: (source, from, to) => {
      if (to - from > longestRun) return false
      // A view of a part, and `fill`, take as long as finding the values of a record that comes alone.
      bytes.set(from === 0 && to === source.length ? source : source.subarray(from, to), runStart)
      const end = runStart + to - from
      for (let at = end; at < end + stride; at++) bytes[at] = 0
      return true
    },
    setLayout: (place, steps) => {
      const at = layoutsAt + place * layoutSize
      const texts = new TextEncoder().encode(steps.map(({ literal }) => literal).join(""))
      const tableSize = stepSize * steps.length
      if (tableSize + texts.length + stride > layoutSize) return false
      const table = new Uint32Array(memory.buffer, at, tableSize / 4)
      let next = at + tableSize
      for (const [index, { argument, follows, literal }] of steps.entries()) {
        table.set([next, literal.length, isPlace(follows) ? at + stepSize * argument : argument, follows], 4 * index)
        next += literal.length
      }
      new Uint8Array(memory.buffer, at + tableSize).set(texts)
      return true
    },
    read: (place, from, to, between) => read(from, to, between, layoutsAt + place * layoutSize, foundAt, foundEnd),
    readBatch: (place, from, to, between, index) =>
      readBatch(from, to, between, layoutsAt + place * layoutSize, foundAt + 4 * index),
    skip,
    at: () => words[0]!,
    stop: () => words[1]!
  }
}
