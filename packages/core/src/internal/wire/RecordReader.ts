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
import * as FoundValues from "./FoundValues.ts"
import * as KnownLayouts from "./KnownLayouts.ts"
import * as Scan from "./scan/Scan.ts"
import * as Shape from "./scan/Shape.ts"
import * as Utf8 from "./Utf8.ts"

/**
 * Reads the records between two offsets, which are separated by one byte: a comma or a line feed. Returns nothing when the
 * caller should parse them: there is something else between the offsets, or too many records have no known layout.
 */
export type Read = (bytes: Uint8Array, from: number, to: number, between: number) => ReadonlyArray<unknown> | undefined

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

/** Learning takes as long as parsing many records. */
const learningInterval = 64

/** Records of a run that may have no known layout, in addition to a quarter of those read. */
const maxDeviating = 3

/** Runs that are parsed without an attempt to read them, after several in a row could not be read. */
const maxPause = 32

const space = 32

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
      reader = makeWith(KnownLayouts.make(fields, isValid))
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

/** Builds a reader that knows these layouts. */
export const makeWith = (layouts: KnownLayouts.KnownLayouts | undefined): SingleReader => {
  if (layouts === undefined) return nothing
  const { finder, first, scan } = layouts
  const { find, parse } = finder(({ place }, at, to, between) => scan.read(place, at, to, between), learningInterval)
  const values = FoundValues.make(scan)
  const { bytes } = scan
  let paused = 0
  let pause = 0
  /** Whether the last run was read. */
  let isRead = false

  /** Builds the records of a layout that were found, before an offset. Returns false where a text is damaged. */
  const build = (known: KnownLayouts.Known, count: number, to: number, records: Array<unknown>): boolean => {
    const append = (known.build ??= values.recordsOf(known.layout.root))
    values.begin(to)
    return Result.isSuccess(Result.try(() => append(count, records))) && !values.isDamaged()
  }

  const readRun = (to: number, between: number): ReadonlyArray<unknown> | undefined => {
    const records = Builder.makeList()
    let deviating = 0
    for (let at = Scan.runStart; ;) {
      const count = find(at, to, between)
      if (count > 0) {
        const [next, stop] = [scan.at(), scan.stop()]
        if (!build(first()!, count, next, records) || stop === Scan.stops.damage) return undefined
        if (stop === Scan.stops.end) return records
        at = next
        continue
      }
      at = skipSpaces(bytes, at)
      const next = KnownLayouts.endOf(bytes, at, to, between)
      const latest = first()
      const record = parse(at, next, between)
      const isLearned = first() !== latest
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
    const known = first()
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
