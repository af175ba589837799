/**
 * What is learned of each entity while its records pass by: how many, the first and the last, what is missing between them, and
 * what the service may still revise. Arrays are looked at as a whole as far as possible.
 */
import * as Batch from "@sluice/core/Batch"
import * as Timestamp from "@sluice/core/Timestamp"
import * as Predicate from "effect/Predicate"
import * as EpochNanos from "@sluice/core/internal/columns/EpochNanos"
import * as Keys from "../model/Keys.ts"
import * as Moment from "../model/Moment.ts"
import type { Time } from "../model/Store.ts"

/** Holes after which a series is taken for one without a rhythm, such as candles of a market that trades now and then. */
export const mostHoles = 20

/** What was seen of an entity. */
export interface Seen {
  count: number
  first: Time
  last: Time
  /** Missing times: from the first that is missing to the next that is there. */
  readonly gaps: Array<readonly [from: Time, to: Time]>
  isSparse: boolean
  /** Times of the first and the last record that is not final. */
  open: readonly [first: Time, last: Time] | undefined
}

/** What is wrong with a record. */
export interface Unexpected {
  readonly entity: string
  readonly time: Time
  readonly reason: string
}

/** Sees records in order. */
export interface Tracker {
  /** Sees an array. Gives the first record that was not asked for. */
  readonly see: (records: ReadonlyArray<unknown>) => Unexpected | undefined
  readonly of: (entity: string) => Seen | undefined
  /** All records so far. */
  readonly count: () => number
}

/** Which records are expected. */
export interface Expected {
  readonly entities: ReadonlySet<string>
  readonly from: Time | undefined
  readonly to: Time | undefined
}

/** Begins to see the records of entities, which come every so many milliseconds where that is known. */
export const make = (fields: Keys.Fields, every: number | undefined, expected: Expected): Tracker => {
  const seen = new Map<string, Seen>()
  const step = every === undefined ? undefined : BigInt(every) * 1_000_000n
  let total = 0
  const read = EpochNanos.makeReader()
  const nanos = (time: Time) => read(time) ?? Moment.nanosOf(time)

  /** Notes what is missing between two times, in nanoseconds, the later of which is given as text too. */
  const noteGap = (found: Seen, before: bigint, at: bigint, after: Time) => {
    // Half a step more: hours of a day that is cut elsewhere than in UTC come and go.
    if (step === undefined || (at - before) * 2n <= step * 3n) return
    if (found.gaps.length >= mostHoles) found.isSparse = true
    else found.gaps.push([Timestamp.fromEpochNanos(before + step), after])
  }

  let previous = ""
  /** Where the last record of that entity is. */
  let previousAt = 0n

  /** What is wrong with records from a first to a last. */
  const issueOf = (entity: string, first: Time, last: Time): Unexpected | undefined => {
    const { entities, from, to } = expected
    if (!entities.has(entity)) return { entity, time: first, reason: "is of none of those that were asked for" }
    if (from !== undefined && first < from) return { entity, time: first, reason: "is from before what was asked for" }
    if (to !== undefined && last >= to) return { entity, time: last, reason: "is from after what was asked for" }
    const held = seen.get(entity)
    const isBack = (held !== undefined && first < held.last) || last < first || entity < previous
    return isBack ? { entity, time: first, reason: "comes after a later one" } : undefined
  }

  /** Sees records of one entity. */
  const seeRun = (entity: string, records: ReadonlyArray<unknown>) => {
    const [first, last] = [Keys.timeOf(records[0]), Keys.timeOf(records[records.length - 1])]
    const [begin, end] = [nanos(first), nanos(last)]
    if (begin === undefined || end === undefined) {
      return { entity, time: begin === undefined ? first : last, reason: "has no time" }
    }
    const issue = issueOf(entity, first, last)
    if (issue !== undefined) return issue
    const before = seen.get(entity)
    const found = before ?? { count: 0, first, last, gaps: [], isSparse: false, open: undefined }
    if (before === undefined) seen.set(entity, found)
    else if (!found.isSparse) noteGap(found, previousAt, begin, first)
    previous = entity
    previousAt = end
    // Those of a lazy array would have to be built.
    const strange = Batch.of(records) === undefined ? records.findIndex((record) => !isTime(Keys.timeOf(record))) : -1
    if (strange >= 0) return { entity, time: Keys.timeOf(records[strange]), reason: "has no time" }
    found.count += records.length
    found.last = last
    // Those that lie a step apart, as far as their number tells, have no gaps.
    if (step !== undefined && !found.isSparse && end - begin !== BigInt(records.length - 1) * step) {
      let at = begin
      for (const record of records) {
        const time = Keys.timeOf(record)
        const own = nanos(time) ?? at
        noteGap(found, at, own, time)
        at = own
      }
    }
    if (mayHaveOpen(records)) {
      for (const record of records) {
        if (!isOpen(record)) continue
        const time = Keys.timeOf(record)
        found.open = [found.open?.[0] ?? time, time]
      }
    }
    return undefined
  }

  const see = (records: ReadonlyArray<unknown>) => {
    total += records.length
    let rest = records
    while (rest.length > 0) {
      const entity = Keys.entityOf(fields, rest[0])
      const isOne = Keys.entityOf(fields, rest[rest.length - 1]) === entity
      const count = isOne ? rest.length : Keys.countBefore(fields, rest, { entity, time: undefined })
      // At least one, whatever order they are in.
      const run = isOne ? rest : rest.slice(0, Math.max(1, count))
      const issue = seeRun(entity, run)
      if (issue !== undefined) return issue
      rest = isOne ? [] : rest.slice(run.length)
    }
    return undefined
  }

  return { see, of: (entity) => seen.get(entity), count: () => total }
}

/** Whether a time is written as the service writes times. */
const isTime = (time: Time): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/.test(time)

const flash = Buffer.from('"flash"')

/** Whether an array may hold records that are not final. Of a lazy one that has such a key its bytes are searched. */
const mayHaveOpen = (records: ReadonlyArray<unknown>): boolean => {
  const batch = Batch.of(records)
  if (batch !== undefined) {
    if (!batch.runs.some(({ keys }) => keys.some(isStatus))) return false
    const { buffer, byteOffset } = batch.bytes
    return Buffer.from(buffer, byteOffset + batch.from, batch.to - batch.from).includes(flash)
  }
  return records.some((record) => Predicate.isObject(record) && Object.keys(record).some(isStatus))
}

const isStatus = (key: string): boolean => key.endsWith("-status")

/** A metric that was not reviewed yet has the status `flash`. Source: docs/interface.md 3.12. */
const isOpen = (record: unknown): boolean =>
  Predicate.isObject(record) && Object.entries(record).some(([key, value]) => value === "flash" && isStatus(key))
