/**
 * Values of metrics that are no longer asked for. A new record takes them over from the one of its entity and time that it replaces; a
 * record that nothing replaces stays with them alone.
 */
import * as Predicate from "effect/Predicate"
import * as Struct from "effect/Struct"
import * as Keys from "../model/Keys.ts"

/** What was held of records, in their order. */
export interface Carried {
  /** Sees records that are replaced. */
  readonly note: (records: ReadonlyArray<unknown>) => void
  /** Gives new records with what was held of them, and before each of them those held ones that none replaces. */
  readonly onto: (records: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
  /** Gives the held ones that are left. */
  readonly rest: () => ReadonlyArray<unknown>
}

const none: Carried = { note: () => undefined, onto: (records) => records, rest: () => [] }

/** Begins with nothing. `names` are the fields that are taken over. */
export const make = (fields: Keys.Fields, names: ReadonlyArray<string>): Carried => {
  if (names.length === 0) return none
  let held: Array<{ readonly key: Keys.Key; readonly record: object }> = []
  let at = 0
  return {
    note: (records) => {
      for (const record of records) {
        if (!Predicate.isObject(record)) continue
        // Type boundary: fields of a record are read by name, and some may be absent.
        const own = record as Readonly<Record<string, unknown>>
        if (!names.some((name) => Predicate.isNotNullish(own[name]))) continue
        held.push({ key: Keys.keyOf(fields, record), record: Struct.pick(own, [fields.entity, "time", ...names]) })
      }
    },
    onto: (records) => {
      if (at === held.length) return records
      return records.flatMap((record) => {
        const key = Keys.keyOf(fields, record)
        const from = at
        while (at < held.length && Keys.compare(held[at]!.key, key) < 0) at++
        const before = held.slice(from, at).map(({ record }) => record)
        const same = held[at]
        if (same === undefined || Keys.compare(same.key, key) > 0) return [...before, record]
        at++
        return [...before, Object.assign({}, same.record, record)]
      })
    },
    rest: () => {
      const left = held.slice(at).map(({ record }) => record)
      held = []
      at = 0
      return left
    }
  }
}
