/**
 * Reads records as batches, which are checked and not decoded. Learns layouts as the reader of records does.
 *
 * A run of records that holds anything else, damage included, is left to the reader of records as a whole: the records are
 * the same, and so are the errors.
 */
import type * as Accepted from "./Accepted.ts"
import * as BatchLayout from "./BatchLayout.ts"
import * as Builder from "./Builder.ts"
import * as Json from "./Json.ts"
import * as Layout from "./Layout.ts"
import * as LazyRecords from "./LazyRecords.ts"
import * as Outline from "./Outline.ts"
import type * as RecordReader from "./RecordReader.ts"
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

/** A layout, and what builds its records. */
interface Known {
  readonly layout: BatchLayout.BatchLayout
  readonly build: Builder.Builder
}

/** Layouts to remember, the one learned last first. */
const maxLayouts = 8

/** Runs that are not tried, after several in a row were no batch. */
const maxPause = 32

const openBrace = 123

/** Builds a reader. */
export type Make = typeof make

/** Builds a reader. `isValid` checks a record against the schema; `others` reads what is no batch. */
export const make = (
  accepted: Accepted.Accepted | undefined,
  isValid: (record: unknown) => boolean,
  others: RecordReader.Read
): BatchReader => {
  if (accepted === undefined) return { read: others, expire: () => {}, pieceSize: () => Utf8.pieceSize }
  const layouts: Array<Known> = []
  let offsets = new Int32Array(4_096)
  let latest: LazyRecords.OwnBatch | undefined
  let paused = 0
  let pause = 0
  /** Whether the last run was a batch. */
  let isBatch = false

  const expire = () => {
    if (latest !== undefined) latest.isExpired = true
    latest = undefined
  }

  /** Finds the layout of a record from its text. Returns nothing where it has none, or is invalid. */
  const learn = (source: BatchLayout.Source, from: number, between: number): Known | undefined => {
    const { bytes, to } = source
    const end = bytes[from] === openBrace ? endOf(bytes, from, to, between) : -1
    const text = end === -1 ? undefined : Utf8.decode([bytes.subarray(from, end)])
    const record = text === undefined ? undefined : Json.parseExact(text)
    if (text === undefined || record === undefined || !isValid(record)) return undefined
    const learned = Layout.learn(text, accepted)
    if (learned === undefined) return undefined
    const { keys } = learned
    return { layout: BatchLayout.make(keys, learned.accepted), build: Builder.make(keys) }
  }

  const reserve = (place: number, { layout }: Known) => {
    const needed = place + BatchLayout.offsetsOf(layout)
    if (needed <= offsets.length) return
    const larger = new Int32Array(2 * needed)
    larger.set(offsets)
    offsets = larger
  }

  const readBatch: RecordReader.Read = (bytes, from, to, between) => {
    const source: BatchLayout.Source = { bytes, to, view: new DataView(bytes.buffer, bytes.byteOffset, to) }
    const runs: Array<{ known: Known; count: number; first: number }> = []
    let known: Known | undefined
    let place = 0
    let length = 0

    const fit = (candidate: Known, at: number): number => {
      reserve(place, candidate)
      return BatchLayout.check(candidate.layout, source, at, offsets, place)
    }
    /** Switches to a layout that fits the record. */
    const change = (at: number): number => {
      for (const candidate of layouts) {
        const end = candidate === known ? -1 : fit(candidate, at)
        if (end === -1) continue
        known = candidate
        return end
      }
      const learned = learn(source, at, between)
      const end = learned === undefined ? -1 : fit(learned, at)
      if (learned === undefined || end === -1) return -1
      known = learned
      if (layouts.unshift(learned) > maxLayouts) layouts.pop()
      return end
    }

    for (let at = from; ; at++) {
      let end = known === undefined ? -1 : fit(known, at)
      if (end === -1) {
        end = change(at)
        if (end === -1 || known === undefined) return undefined
        runs.push({ known, count: 0, first: place })
      }
      runs[runs.length - 1]!.count++
      length++
      place += BatchLayout.offsetsOf(known!.layout)
      at = end
      if (at === to) break
      if (bytes[at] !== between) return undefined
    }
    latest = {
      bytes,
      from,
      to,
      length,
      runs: runs.map(({ count, first, known: { build, layout } }) => ({
        build,
        count,
        first,
        keys: layout.keys,
        offsets
      })),
      isExpired: false
    }
    return LazyRecords.make(latest)
  }

  const read: RecordReader.Read = (bytes, from, to, between) => {
    expire()
    if (paused > 0) {
      paused--
      return others(bytes, from, to, between)
    }
    const records = readBatch(bytes, from, to, between)
    isBatch = records !== undefined
    pause = records === undefined ? Math.min(2 * pause + 1, maxPause) : 0
    paused = pause
    return records ?? others(bytes, from, to, between)
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
