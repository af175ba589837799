/**
 * Records that are built when they are read, as an array like any other.
 *
 * So whatever handles records handles these: paging, order and resuming read a few of each array, and only those are built.
 */
import type * as Builder from "./Builder.ts"
import * as Changes from "./Changes.ts"
import * as Utf8 from "./Utf8.ts"

/** Records of one layout that follow each other. */
export interface Run {
  /** Their keys, in order. */
  readonly keys: ReadonlyArray<string>
  /** The number of records. */
  readonly count: number
  /**
   * Where they stand in the bytes: for each record its beginning, the beginning and the end of each value, and its end. A
   * text stands with its quotes.
   */
  readonly offsets: Int32Array
  /** Index of the first offset of the first record. */
  readonly first: number
}

/** Records as they arrived: checked against the schema, and not decoded. */
export interface Batch {
  /** Holds the records from `from` to `to`. Between two stands one byte, a comma or a line feed; a line feed behind the last. */
  readonly bytes: Uint8Array
  /** Where the first record begins in `bytes`. */
  readonly from: number
  /** Where the last record ends in `bytes`. */
  readonly to: number
  /** The number of records. */
  readonly length: number
  /** Records of one layout that follow each other. */
  readonly runs: ReadonlyArray<Run>
}

/** A batch that its reader can end. */
export interface OwnBatch extends Batch {
  readonly runs: Array<OwnRun>
  /** Whether its bytes may hold other records by now. */
  isExpired: boolean
}

/** A run, and what builds its records. */
export interface OwnRun extends Run {
  count: number
  readonly build: Builder.Builder
}

const behind = Symbol("batch")

/** The batch behind these records; nothing for other records. */
export const batchOf = (records: ReadonlyArray<unknown>): Batch | undefined => {
  // Type boundary: only arrays made here have this property. A weak map would cost the collector more than the batch.
  const batch = (records as { readonly [behind]?: OwnBatch })[behind]
  return batch?.isExpired === true ? undefined : batch
}

/** Builds the array of the records of a batch. */
export const make = (batch: OwnBatch): ReadonlyArray<unknown> => {
  const target: Array<unknown> = []
  target.length = batch.length
  /** Builds a record before it is read. Array methods ask whether it is there before they read it. */
  const ensure = (key: string | symbol) => {
    const index = typeof key === "string" ? Number(key) : Number.NaN
    const isIndex = Number.isInteger(index) && index >= 0 && index < batch.length
    if (isIndex && !Object.hasOwn(target, index)) target[index] = recordAt(batch, index)
  }
  const records: ReadonlyArray<unknown> = new Proxy(target, {
    get: (_, key) => {
      if (key === "length") return batch.length
      if (key === behind) return batch
      if (key === Changes.method) return (name: string) => changes(batch, records, name)
      ensure(key)
      return Reflect.get(target, key)
    },
    has: (_, key) => {
      ensure(key)
      return Reflect.has(target, key)
    },
    getOwnPropertyDescriptor: (_, key) => {
      ensure(key)
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
    ownKeys: () => {
      for (let index = 0; index < batch.length; index++) ensure(String(index))
      return Reflect.ownKeys(target)
    }
  })
  return records
}

/** Offsets of a record. */
const strideOf = ({ keys }: Run) => 2 * keys.length + 2

const recordAt = (batch: OwnBatch, index: number): object => {
  if (batch.isExpired) throw new Error("a record of a lazy call was read after more records had been asked for")
  let before = 0
  const run = batch.runs.find(({ count }) => index < (before += count))!
  const { build, count, first, keys, offsets } = run
  let place = first + (index - before + count) * strideOf(run)
  const start = offsets[place++]!
  // Of this record alone: a value that is kept keeps the text that it was cut from.
  const text = Utf8.ascii(batch.bytes.subarray(start, offsets[place + 2 * keys.length]))
  const values: Array<unknown> = []
  for (let key = 0; key < keys.length; key++) {
    values.push(valueOf(text.slice(offsets[place++]! - start, offsets[place++]! - start)))
  }
  return build(values)
}

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["null", null],
  ["true", true],
  ["false", false]
])

const valueOf = (text: string): unknown => {
  if (text.startsWith('"')) return text.slice(1, -1)
  return words.has(text) ? words.get(text) : Number(text)
}

/** Answers {@link Changes.changes}. */
const changes = (batch: Batch, records: ReadonlyArray<unknown>, key: string): ReadonlyArray<unknown> => {
  const { bytes, runs } = batch
  const found: Array<unknown> = []
  let index = 0
  let [from, to] = [-1, -1]
  for (const run of runs) {
    const at = run.keys.indexOf(key)
    const stride = strideOf(run)
    for (let record = 0, place = run.first + 1 + 2 * at; record < run.count; record++, index++, place += stride) {
      const [start, end] = at === -1 ? [0, 0] : [run.offsets[place]!, run.offsets[place + 1]!]
      if (from === -1 || !isSame(bytes, from, to, start, end)) found.push(records[index])
      from = start
      to = end
    }
  }
  return found
}

const isSame = (bytes: Uint8Array, from: number, to: number, start: number, end: number): boolean => {
  if (to - from !== end - start) return false
  for (let at = from, other = start; at < to; at++, other++) if (bytes[at] !== bytes[other]) return false
  return true
}
