/**
 * Values of metrics that are no longer asked for: a new record takes them over from the one of its entity and time that it replaces.
 */
import * as Predicate from "effect/Predicate"
import * as Struct from "effect/Struct"
import * as Keys from "../model/Keys.ts"

/** What was held of some records. */
export interface Carried {
  /** Sees records that are replaced. */
  readonly note: (records: ReadonlyArray<unknown>) => void
  /** Gives records with what was held of them. */
  readonly onto: (records: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
}

const none: Carried = { note: () => undefined, onto: (records) => records }

/** Begins with nothing. `names` are the fields that are taken over. */
export const make = (fields: Keys.Fields, names: ReadonlyArray<string>): Carried => {
  if (names.length === 0) return none
  const held = new Map<string, object>()
  const placeOf = (record: unknown) => JSON.stringify(Keys.keyOf(fields, record))
  return {
    note: (records) => {
      for (const record of records) {
        if (!Predicate.isObject(record)) continue
        // Type boundary: fields of a record are read by name, and some may be absent.
        const own = Struct.pick(record as Record<string, unknown>, names)
        if (Object.values(own).some(Predicate.isNotNullish)) held.set(placeOf(record), own)
      }
    },
    onto: (records) =>
      held.size === 0 ? records : records.map((record) => Object.assign({}, record, held.get(placeOf(record))))
  }
}
