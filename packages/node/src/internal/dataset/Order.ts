/**
 * Checks that new records are in order and that none comes twice, before any of them is kept: a file of others is damaged.
 */
import * as Keys from "./Keys.ts"
import * as Later from "./Later.ts"
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
  /** Goes on behind a record that is plainly in order. */
  const pass = (record: unknown) => {
    before = Keys.keyOf(fields, record)
    last = record
    if (ids.size > 0) ids = new Set()
  }
  return (records: ReadonlyArray<unknown>): Unexpected | undefined => {
    let next = 0
    for (const at of Later.doubtful(records, entity) ?? records.keys()) {
      if (at > next) pass(records[at - 1])
      const issue = one(records[at], Keys.keyOf(fields, records[at]))
      if (issue !== undefined) return issue
      next = at + 1
    }
    if (records.length > next) pass(records[records.length - 1])
    return undefined
  }
}

// Of a year of four digits: others have no place among them.
const isMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{9}Z$/
