/**
 * Reads records as batches, which are checked and not decoded, by the layouts of a reader of records.
 *
 * A run of records that holds anything else, damage included, is left to that reader as a whole: the records are the same, and
 * so are the errors.
 */
import type * as Schema from "effect/Schema"
import * as Builder from "./Builder.ts"
import * as KnownLayouts from "./KnownLayouts.ts"
import * as LazyRecords from "./LazyRecords.ts"
import * as RecordReader from "./RecordReader.ts"
import * as Scan from "./scan/Scan.ts"
import * as Shape from "./scan/Shape.ts"

/** Bytes of a batch: as many as a socket gives at once. What each batch costs is then small beside its bytes. */
const batchSize = 65_536

/** Runs that are not tried, after several in a row were no batch. */
const maxPause = 32

/** Whether a record may hold flat values alone. */
const isFlat = ({ required, shapes }: Shape.Fields) => required.every((name) => shapes.get(name)?.kinds !== 0)

/** Builds a reader of the records of a schema. `isValid` checks a record against it. */
export const make = (record: Schema.Top, isValid: (record: unknown) => boolean): BatchReader => {
  const fields = Shape.of(record)
  const layouts = fields && isFlat(fields) ? KnownLayouts.make(fields, isValid) : undefined
  return layouts ? makeWith(layouts) : { ...RecordReader.make(record, isValid), expire: () => {} }
}

const makeWith = (layouts: KnownLayouts.KnownLayouts) => {
  const { finder, first, scan } = layouts
  const { bytes, found: offsets } = scan
  /** Reads what is no batch. */
  const others = RecordReader.makeWith(layouts)
  /** Index of the offsets of the next record. */
  let next = 0
  // A batch can hold records of known layouts alone.
  const { find, parse } = finder(
    ({ isPlain, place }, at, to, between) => (isPlain ? scan.readBatch(place, at, to, between, next) : 0),
    1
  )
  let latest: LazyRecords.OwnBatch | undefined
  let paused = 0
  let pause = 0
  /** Whether the last run was a batch. */
  let isBatch = false

  /** Ends the last batch, before its bytes are used again. */
  const expire = () => {
    if (latest !== undefined) latest.isExpired = true
    latest = undefined
  }

  const readBatch = (to: number, between: number): ReadonlyArray<unknown> | undefined => {
    const runs: Array<LazyRecords.OwnRun> = []
    let length = 0
    next = 0
    for (let at = Scan.runStart; ; at = scan.at()) {
      let count = find(at, to, between)
      if (count === 0 && parse(at, KnownLayouts.endOf(bytes, at, to, between), between) !== undefined) {
        count = find(at, to, between)
      }
      if (count === 0 || scan.stop() === Scan.stops.damage) return undefined
      const known = first()!
      const { keys } = known.layout.root
      runs.push({ build: (known.buildOne ??= Builder.make(keys)), count, first: next, keys, offsets })
      next += count * (2 * keys.length + 2)
      length += count
      if (scan.stop() === Scan.stops.end) break
    }
    // So that the last record is a line too.
    bytes[to] = lineFeed
    latest = { bytes, from: Scan.runStart, to, length, runs, isExpired: false }
    return LazyRecords.make(latest)
  }

  /** Gives records that are built when they are read, where it can. They are valid until the next call of either function. */
  const read: RecordReader.Read = (source, from, to, between) => {
    expire()
    if (paused > 0) {
      paused--
      return others.read(source, from, to, between)
    }
    const records = scan.load(source, from, to) ? readBatch(Scan.runStart + to - from, between) : undefined
    isBatch = records !== undefined
    pause = records === undefined ? Math.min(2 * pause + 1, maxPause) : 0
    paused = pause
    return records ?? others.read(source, from, to, between)
  }

  /** Bytes to read at once: more where the last run was a batch, which makes no text and no records of them. */
  const pieceSize = (): number => (isBatch ? batchSize : others.pieceSize())

  return { read, expire, pieceSize }
}

export type BatchReader = ReturnType<typeof makeWith>

const lineFeed = 10
