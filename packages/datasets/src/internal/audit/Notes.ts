/**
 * Collects findings of records one by one, and makes one finding of those that follow each other.
 */
import type { Time } from "../model/Store.ts"
import type { FindingKind, Found } from "./Finding.ts"

/** What is wrong with one record. */
export interface Note {
  readonly kind: FindingKind
  readonly field?: string
  readonly time: Time
  /** The number of the record in its entity. */
  readonly index: number
  /** Told of the first record alone. */
  readonly reason: () => string
}

interface Open {
  readonly found: Found
  readonly last: number
}

/** Begins with the findings of an entity. */
export const make = (entity: string, tell: (found: Found) => void) => {
  const open = new Map<string, Open>()
  return {
    add: ({ field, index, kind, reason, time }: Note) => {
      const key = `${kind} ${field ?? ""}`
      const before = open.get(key)
      if (before?.last === index - 1) {
        const { count, from, to } = before.found
        const bounds = { from: time < from ? time : from, to: time > to ? time : to }
        open.set(key, { found: { ...before.found, ...bounds, count: count + 1 }, last: index })
        return
      }
      if (before !== undefined) tell(before.found)
      const of = field === undefined ? {} : { field }
      open.set(key, { found: { kind, entity, ...of, from: time, to: time, count: 1, reason: reason() }, last: index })
    },
    end: () => {
      for (const { found } of open.values()) tell(found)
      open.clear()
    }
  }
}

/** Collects findings. */
export type Notes = ReturnType<typeof make>
