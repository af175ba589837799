/**
 * Checks that new records are in order and that none comes twice, before any of them is kept: a file of others is damaged.
 */
import * as Batch from "@sluice/core/Batch"
import * as Keys from "./Keys.ts"
import type { Series } from "./Store.ts"
import type { Unexpected } from "./Tracker.ts"

/** Sees the records of a change, array by array. Gives the first that is out of order or a repeat. */
export const make = ({ entity, identity }: Pick<Series, "entity" | "identity">) => {
  const fields: Keys.Fields = { entity }
  let before: Keys.Key | undefined
  /** What tells the records of one time apart. */
  let ids = new Set<string>()
  const idOf = (record: unknown) =>
    identity === undefined
      ? ""
      : JSON.stringify(identity.length === 0 ? record : identity.map((name) => Reflect.get(Object(record), name)))
  /** The last record, whose identity is only asked for where another has its time. */
  let last: unknown
  const one = (record: unknown, key: Keys.Key): Unexpected | undefined => {
    const order = before === undefined ? -1 : Keys.compare(before, key)
    const { entity, time = "" } = key
    if (order !== 0 && !isMoment.test(time)) return { entity, time, reason: "has no time" }
    if (order > 0) return { entity, time, reason: "comes after a later one" }
    if (order === 0) {
      if (ids.size === 0) ids.add(idOf(last))
      const id = idOf(record)
      if (ids.has(id)) return { entity, time, reason: "came twice" }
      ids.add(id)
    } else if (ids.size > 0) ids = new Set()
    before = key
    last = record
    return undefined
  }
  return (records: ReadonlyArray<unknown>): Unexpected | undefined => {
    const times = timesIn(records)
    const [first, end] = [records[0], records[records.length - 1]].map((record) => Keys.entityOf(fields, record))
    const name = times === undefined || first !== end ? undefined : first
    for (let at = 0; at < records.length; at++) {
      const time = times?.[at]
      const issue =
        name === undefined || time === undefined
          ? one(records[at], Keys.keyOf(fields, records[at]))
          : oneOfBatch(records, at, { entity: name, time })
      if (issue !== undefined) return issue
    }
    // A lazy record is valid until the next array only.
    if (ids.size === 0 && records.length > 0 && identity !== undefined) ids.add(idOf(records[records.length - 1]))
    return undefined
  }

  /** As {@link one}, and builds a record only where another has its time. */
  function oneOfBatch(records: ReadonlyArray<unknown>, at: number, key: Keys.Key): Unexpected | undefined {
    const isSame = before !== undefined && Keys.compare(before, key) === 0
    if (isSame && ids.size === 0 && at > 0) ids.add(idOf(records[at - 1]))
    return one(isSame ? records[at] : undefined, key)
  }
}

// Of a year of four digits: others have no place among them.
const isMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{9}Z$/

const label = Buffer.from('"time":"')

/**
 * The times of a lazy array of one entity, found in its bytes, since building its records would take most of the time; nothing where
 * they cannot be told like that.
 */
const timesIn = (records: ReadonlyArray<unknown>): ReadonlyArray<string> | undefined => {
  const batch = Batch.of(records)
  if (batch === undefined) return undefined
  const { buffer, byteOffset } = batch.bytes
  const bytes = Buffer.from(buffer, byteOffset + batch.from, batch.to - batch.from)
  const times: Array<string> = []
  for (let at = bytes.indexOf(label); at >= 0; at = bytes.indexOf(label, at)) {
    at += label.length
    const end = bytes.indexOf(0x22, at)
    times.push(Keys.normal(bytes.toString("latin1", at, end)))
    at = end
  }
  return times.length === records.length ? times : undefined
}
