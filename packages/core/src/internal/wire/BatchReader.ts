/**
 * Reads records as batches, which are checked and not decoded. Learns layouts as the reader of records does.
 *
 * A run of records that holds anything else, damage included, is left to the reader of records as a whole: the records are
 * the same, and so are the errors.
 */
import type * as Schema from "effect/Schema"
import * as BatchScan from "./scan/BatchScan.ts"
import * as Builder from "./Builder.ts"
import * as Json from "./Json.ts"
import * as Layout from "./scan/Layout.ts"
import * as LazyRecords from "./LazyRecords.ts"
import * as Outline from "./Outline.ts"
import * as RecordReader from "./RecordReader.ts"
import * as Shape from "./scan/Shape.ts"
import * as Utf8 from "./Utf8.ts"

/** Reads the records of one stream. */
export interface BatchReader {
  /** Gives records that are built when they are read, where it can. They are valid until the next call of either function. */
  readonly read: RecordReader.Read
  /** Ends the last batch, before its bytes are used again. */
  readonly expire: () => void
  /** Bytes to read at once: more where the last run was a batch, which makes no text and no records of them. */
  readonly pieceSize: () => number
}

/** Bytes of a batch: as many as a socket gives at once. What each batch costs is then small beside its bytes. */
const batchSize = 65_536

/** A layout, where the scan has it, and what builds its records. */
interface Known {
  readonly place: number
  readonly keys: ReadonlyArray<string>
  readonly build: Builder.Builder
}

/** Runs that are not tried, after several in a row were no batch. */
const maxPause = 32

const openBrace = 123

/** ASCII without escapes. */
const plain = /^[ -[\]-~]*$/

/** Whether a record may hold flat values alone. */
const isFlat = ({ required, shapes }: Shape.Fields) => required.every((name) => shapes.get(name)?.kinds !== 0)

/** Builds a reader of the records of a schema. `isValid` checks a record against it. */
export const make = (record: Schema.Top, isValid: (record: unknown) => boolean): BatchReader => {
  const fields = Shape.of(record)
  /** Reads what is no batch. */
  const others = RecordReader.make(record, isValid).read
  const scan = fields === undefined || !isFlat(fields) ? undefined : BatchScan.make()
  return fields === undefined || scan === undefined
    ? { read: others, expire: () => {}, pieceSize: () => Utf8.pieceSize }
    : makeWith(scan, fields, isValid, others)
}

const makeWith = (
  scan: BatchScan.BatchScan,
  fields: Shape.Fields,
  isValid: (record: unknown) => boolean,
  others: RecordReader.Read
): BatchReader => {
  /** The one used last first. */
  const layouts: Array<Known> = []
  const { bytes, offsets } = scan
  let latest: LazyRecords.OwnBatch | undefined
  let paused = 0
  let pause = 0
  /** Whether the last run was a batch. */
  let isBatch = false

  const expire = () => {
    if (latest !== undefined) latest.isExpired = true
    latest = undefined
  }

  /** Learns the layout of a record from its text, and puts it first. Returns false where it has none, or is invalid. */
  const learn = (from: number, to: number, between: number): boolean => {
    const end = bytes[from] === openBrace ? endOf(bytes, from, to, between) : -1
    const text = end === -1 ? undefined : Utf8.decode([bytes.subarray(from, end)])
    const record = text === undefined ? undefined : Json.parseExact(text)
    if (text === undefined || record === undefined || !isValid(record)) return false
    const learned = plain.test(text) ? Layout.learn(text, fields) : undefined
    if (learned === undefined) return false
    const { root, steps } = learned
    if (root.members.some(({ _tag }) => _tag !== "Value")) return false
    const { keys } = root
    const kinds = Uint8Array.from(keys, (_, index) => steps[index]!.argument)
    const isFull = layouts.length === BatchScan.maxLayouts
    const place = isFull ? layouts.at(-1)!.place : layouts.length
    if (!scan.setLayout(place, keys, kinds)) return false
    if (isFull) layouts.pop()
    layouts.unshift({ place, keys, build: Builder.make(keys) })
    return true
  }

  /** Finds records by the layout that fits the first of them, and puts that layout first. Returns how many. */
  const find = (at: number, to: number, between: number, index: number): number => {
    for (let candidate = 0; candidate < layouts.length; candidate++) {
      const known = layouts[candidate]!
      const count = scan.read(known.place, at, to, between, index)
      if (count === 0) continue
      if (candidate > 0) {
        layouts.splice(candidate, 1)
        layouts.unshift(known)
      }
      return count
    }
    return 0
  }

  const readBatch = (to: number, between: number): ReadonlyArray<unknown> | undefined => {
    const runs: Array<LazyRecords.OwnRun> = []
    let first = 0
    let length = 0
    for (let at = BatchScan.runStart; ; at = scan.at()) {
      let count = find(at, to, between, first)
      if (count === 0 && learn(at, to, between)) count = scan.read(layouts[0]!.place, at, to, between, first)
      if (count === 0 || scan.stop() === BatchScan.stops.damage) return undefined
      const { build, keys } = layouts[0]!
      runs.push({ build, count, first, keys, offsets })
      first += count * (2 * keys.length + 2)
      length += count
      if (scan.stop() === BatchScan.stops.end) break
    }
    latest = { bytes, from: BatchScan.runStart, to, length, runs, isExpired: false }
    return LazyRecords.make(latest)
  }

  const read: RecordReader.Read = (source, from, to, between) => {
    expire()
    if (paused > 0) {
      paused--
      return others(source, from, to, between)
    }
    const isLoaded = scan.load(source.subarray(from, to))
    const records = isLoaded ? readBatch(BatchScan.runStart + to - from, between) : undefined
    isBatch = records !== undefined
    pause = records === undefined ? Math.min(2 * pause + 1, maxPause) : 0
    paused = pause
    return records ?? others(source, from, to, between)
  }

  const pieceSize = () => (isBatch ? batchSize : Utf8.pieceSize)

  return { read, expire, pieceSize }
}

/** The offset behind a record, or -1. */
const endOf = (bytes: Uint8Array, from: number, to: number, between: number): number => {
  if (between === comma) return Outline.endOf(bytes.subarray(0, to), from)
  const end = bytes.indexOf(between, from)
  return end === -1 || end > to ? to : end
}

const { comma } = Outline.marks
