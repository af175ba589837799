/**
 * Reads records whose layout is known from earlier records, three times as fast as `JSON.parse`.
 *
 * It learns layouts while it reads. A record of an unknown layout is parsed and checked by itself. When a run of records
 * contains anything else, damage or an invalid record included, the reader returns nothing: the caller then parses the
 * whole run and finds the same records and the same errors as without a reader.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Builder from "./Builder.ts"
import type * as FlatRecords from "./FlatRecords.ts"
import * as FoundValues from "./FoundValues.ts"
import * as Json from "./Json.ts"
import * as Layout from "./scan/Layout.ts"
import * as Outline from "./Outline.ts"
import * as Scan from "./scan/Scan.ts"
import * as Shape from "./scan/Shape.ts"
import * as Utf8 from "./Utf8.ts"

/**
 * Reads the records between two offsets, which are separated by one byte: a comma or a line feed. Returns nothing when the
 * caller should parse them: there is something else between the offsets, or too many records have no known layout.
 */
export type Read = (bytes: Uint8Array, from: number, to: number, between: number) => ReadonlyArray<unknown> | undefined

/** Reads the records of a schema. */
export interface RecordReader {
  readonly read: Read
  /** Bytes to read at once: more where the last run was read, of which little text is made at a time. */
  readonly pieceSize: () => number
}

/** Reads the records of a schema, those that come alone too. */
export interface SingleReader extends RecordReader {
  /**
   * Reads bytes that are a record of the layout that was read last, without the lists and loops of a run: where a record comes
   * alone, each step counts. Returns nothing for all other bytes.
   */
  readonly readOne: (bytes: Uint8Array) => unknown
}

/** A layout, where the scan has it, and what builds its records. */
interface Known {
  readonly place: number
  readonly build: FlatRecords.Build
}

/**
 * When all layouts that there is room for are known, one record in 64 of the others replaces the layout that was not
 * used for longest.
 */
const learningInterval = 64

/** Records of a run that may have no known layout, in addition to a quarter of those read. */
const maxDeviating = 3

/** Runs that are parsed without an attempt to read them, after several in a row could not be read. */
const maxPause = 32

const [openBrace, space] = [123, 32]

/**
 * Bytes of a run where runs are read: with 16 KiB, what each run costs took a seventh of a json_stream; 64 KiB save
 * nothing more.
 */
const runSize = 32_768

const nothing: SingleReader = { read: () => undefined, readOne: () => undefined, pieceSize: () => Utf8.pieceSize }

/** Builds a reader of the records of a schema. `isValid` checks a single record against the schema. */
export const make = (record: Schema.Top, isValid: (record: unknown) => boolean): SingleReader => {
  const fields = Shape.of(record)
  if (fields === undefined) return nothing
  /** Made for the first run: most readers read nothing. */
  let reader: SingleReader = {
    read: (...run) => {
      reader = makeWith(Scan.make(), fields, isValid)
      return reader.read(...run)
    },
    readOne: nothing.readOne,
    pieceSize: nothing.pieceSize
  }
  return {
    read: (bytes, from, to, between) => reader.read(bytes, from, to, between),
    readOne: (bytes) => reader.readOne(bytes),
    pieceSize: () => reader.pieceSize()
  }
}

const makeWith = (
  scan: Scan.Scan | undefined,
  fields: Shape.Fields,
  isValid: (record: unknown) => boolean
): SingleReader => {
  if (scan === undefined) return nothing
  const layouts: Array<Known> = []
  const values = FoundValues.make(scan)
  const { bytes } = scan
  let paused = 0
  let pause = 0
  let unknown = 0
  /** Whether the last run was read. */
  let isRead = false

  /** Parses a record of an unknown layout, and learns the layout. */
  const parse = (from: number, to: number, between: number): unknown => {
    const text = Utf8.decode([bytes.subarray(from, to)])
    const record = text === undefined ? undefined : Json.parseExact(text)
    if (text === undefined || record === undefined || !isValid(record)) return undefined
    const isFull = layouts.length === Scan.maxLayouts
    if (isFull && ++unknown % learningInterval !== 0) return record
    const layout = Layout.learn(text, fields)
    const place = isFull ? layouts.at(-1)!.place : layouts.length
    if (layout === undefined || !scan.setLayout(place, layout.steps)) {
      if (layout !== undefined && isFull) layouts.pop()
      return record
    }
    if (isFull) layouts.pop()
    // A known layout may have failed on a value, such as a number with too many digits: do not learn it twice.
    if (scan.read(place, from, to, between) !== 1) return record
    layouts.unshift({ place, build: values.recordsOf(layout.root) })
    return record
  }

  /** Finds records by the layout that fits the first of them, and puts that layout first. Returns how many. */
  const find = (at: number, to: number, between: number): number => {
    for (let index = 0; index < layouts.length; index++) {
      const known = layouts[index]!
      const count = scan.read(known.place, at, to, between)
      if (count === 0) continue
      if (index > 0) {
        layouts.splice(index, 1)
        layouts.unshift(known)
      }
      return count
    }
    return 0
  }

  /** Builds the records of a layout that were found, before an offset. Returns false where a text is damaged. */
  const build = (known: Known, count: number, to: number, records: Array<unknown>): boolean => {
    values.begin(to)
    return Result.isSuccess(Result.try(() => known.build(count, records))) && !values.isDamaged()
  }

  const readRun = (to: number, between: number): ReadonlyArray<unknown> | undefined => {
    const records = Builder.makeList()
    let deviating = 0
    for (let at = Scan.runStart; ;) {
      const count = find(at, to, between)
      if (count > 0) {
        const [next, stop] = [scan.at(), scan.stop()]
        if (!build(layouts[0]!, count, next, records) || stop === Scan.stops.damage) return undefined
        if (stop === Scan.stops.end) return records
        at = next
        continue
      }
      at = skipSpaces(bytes, at)
      const next = at < to && bytes[at] === openBrace ? endOf(bytes, at, to, between) : -1
      const [latest] = layouts
      const record = next === -1 ? undefined : parse(at, next, between)
      const isLearned = layouts[0] !== latest
      if (record === undefined) return undefined
      if (!isLearned && ++deviating > maxDeviating + (records.length >>> 2)) return undefined
      records.push(record)
      at = skipSpaces(bytes, next)
      if (at === to) return records
      if (at > to || bytes[at] !== between) return undefined
      at++
    }
  }

  const read: Read = (source, from, to, between) => {
    if (paused > 0) {
      paused--
      return undefined
    }
    if (!scan.load(source, from, to)) return undefined
    const records = readRun(Scan.runStart + to - from, between)
    isRead = records !== undefined
    pause = isRead ? 0 : Math.min(2 * pause + 1, maxPause)
    paused = pause
    return records
  }

  /** Used again and again. */
  const one: Array<unknown> = Builder.makeList()
  const readOne: SingleReader["readOne"] = (source) => {
    const known = layouts[0]
    if (known === undefined || !scan.load(source, 0, source.length)) return undefined
    const to = Scan.runStart + source.length
    if (scan.read(known.place, Scan.runStart, to, 0) !== 1 || scan.stop() !== Scan.stops.end) return undefined
    const isBuilt = build(known, 1, to, one)
    const record = one.pop()
    return isBuilt ? record : undefined
  }

  return { read, readOne, pieceSize: () => (isRead ? runSize : Utf8.pieceSize) }
}

/** Only spaces: other blanks may separate lines, which are counted. */
const skipSpaces = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (bytes[at] === space) at++
  return at
}

/** The offset behind a record of an unknown layout, or -1. */
const endOf = (bytes: Uint8Array, from: number, to: number, between: number): number => {
  if (between === comma) return Outline.endOf(bytes.subarray(0, to), from)
  const end = bytes.indexOf(between, from)
  return end === -1 || end > to ? to : end
}

const { comma } = Outline.marks
