/**
 * Follows the records of an entity in order: which of them are there twice, and which stand behind later ones.
 */
import type { Time } from "../model/Store.ts"
import * as Displaced from "./Displaced.ts"
import type { Notes } from "./Notes.ts"

/** Fields that tell records of one time apart, as in a series. */
type Identity = ReadonlyArray<string> | undefined

/** Places of a batch that the checks of a series leave out. */
export interface Left {
  /** Those out of order. */
  readonly displaced: ReadonlySet<number>
  /** Those that are there twice, and those out of order. */
  readonly all: ReadonlySet<number>
}

const none: ReadonlySet<number> = new Set()

const idOf = (identity: ReadonlyArray<string>, record: unknown): string =>
  JSON.stringify(identity.length === 0 ? record : identity.map((name) => Reflect.get(Object(record), name)))

const displacedReason = () => "stands behind later records, or before earlier ones"

/** Begins with the records of an entity. */
export const make = (identity: Identity, notes: Notes) => {
  let last: Time = ""
  let lastRecord: unknown
  /** What tells the records of the last time apart, where there are several. */
  let group: Set<string> | undefined

  const isRepeated = (record: unknown): boolean => {
    if (identity === undefined) return true
    group ??= new Set([idOf(identity, lastRecord)])
    const id = idOf(identity, record)
    if (group.has(id)) return true
    group.add(id)
    return false
  }

  const repeated = (time: Time, index: number) =>
    notes.add({ kind: "repeat", time, index, reason: () => "is there more than once" })

  return {
    /** Looks at a batch, of which the first record has this number. */
    see: (records: ReadonlyArray<unknown>, times: ReadonlyArray<Time>, first: number): Left => {
      const displaced = Displaced.isOrdered(times, last) ? none : Displaced.of(times, last)
      const twice = new Set<number>()
      for (let at = 0; at < times.length; at++) {
        const time = times[at]!
        if (displaced.has(at)) continue
        if (time !== last) group = undefined
        else if (isRepeated(records[at])) {
          twice.add(at)
          repeated(time, first + at)
          continue
        }
        last = time
        lastRecord = records[at]
      }
      if (displaced.size > 0) {
        const ids = new Set<string>()
        const keyOf = (at: number) => `${times[at]} ${identity === undefined ? "" : idOf(identity, records[at])}`
        for (const at of times.keys()) if (!displaced.has(at)) ids.add(keyOf(at))
        for (const at of displaced) {
          const time = times[at]!
          notes.add({ kind: "disorder", time, index: first + at, reason: displacedReason })
          // Of a series with a frequency that is known at the end, whatever batch the other is in.
          if (identity !== undefined && ids.has(keyOf(at))) repeated(time, first + at)
        }
      }
      const all = twice.size === 0 ? displaced : new Set([...displaced, ...twice])
      return { displaced, all }
    }
  }
}
