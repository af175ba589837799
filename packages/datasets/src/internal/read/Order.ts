/**
 * Checks that new records are in order and that none comes twice, before any of them is kept: a file of others is damaged.
 *
 * A record that comes again as it was adds nothing, so it is left out. One that comes again with other values is refused: nothing
 * tells which of the two the service means.
 */
import * as Result from "effect/Result"
import { isDeepStrictEqual } from "node:util"
import * as Keys from "../model/Keys.ts"
import * as OrderScan from "./OrderScan.ts"
import * as Moment from "../model/Moment.ts"
import type { Series } from "../model/Store.ts"
import type { Unexpected } from "./Tracker.ts"

/** Sees the records of a series, array by array. */
export interface Order {
  /** Gives the records of an array without repeats, the array itself where it has none; or the first that is out of order. */
  readonly see: (records: ReadonlyArray<unknown>) => Result.Result<ReadonlyArray<unknown>, Unexpected>
  /** How many records of each entity were left out. */
  readonly repeats: ReadonlyMap<string, number>
}

/** Begins to see records. */
export const make = ({ entity, identity }: Pick<Series, "entity" | "identity">): Order => {
  const fields: Keys.Fields = { entity }
  const faultOf = Moment.makeCheck()
  let before: Keys.Key | undefined
  /** The records of one time, by what tells them apart. */
  let held = new Map<string, unknown>()
  const repeats = new Map<string, number>()
  const idOf = (record: unknown) =>
    identity === undefined
      ? ""
      : JSON.stringify(identity.length === 0 ? record : identity.map((name) => Reflect.get(Object(record), name)))
  /** The last record, whose identity is only asked for where another has its time. */
  let last: unknown
  /** Whether a record is new; or what is wrong with it. */
  const one = (record: unknown, key: Keys.Key): boolean | Unexpected => {
    const order = before === undefined ? -1 : Keys.compare(before, key)
    const { entity, time = "" } = key
    const fault = order === 0 ? undefined : faultOf(time)
    if (fault !== undefined) return { entity, time, reason: fault }
    if (order > 0) return { entity, time, reason: "comes after a later one" }
    if (order === 0) {
      if (held.size === 0) held.set(idOf(last), last)
      const id = idOf(record)
      if (held.has(id)) {
        if (!isDeepStrictEqual(held.get(id), record)) return { entity, time, reason: "came twice, with other values" }
        repeats.set(entity, (repeats.get(entity) ?? 0) + 1)
        return false
      }
      held.set(id, record)
    } else if (held.size > 0) held = new Map()
    before = key
    last = record
    return true
  }
  /** Goes on behind a record that is plainly in order. */
  const pass = (record: unknown) => {
    before = Keys.keyOf(fields, record)
    last = record
    if (held.size > 0) held = new Map()
  }
  const see: Order["see"] = (records) => {
    const again = new Set<number>()
    let next = 0
    for (const at of OrderScan.doubtful(records, entity) ?? records.keys()) {
      if (at > next) pass(records[at - 1])
      const found = one(records[at], Keys.keyOf(fields, records[at]))
      if (found === false) again.add(at)
      else if (found !== true) return Result.fail(found)
      next = at + 1
    }
    if (records.length > next) pass(records[records.length - 1])
    return Result.succeed(again.size === 0 ? records : records.filter((_, at) => !again.has(at)))
  }
  return { see, repeats }
}
