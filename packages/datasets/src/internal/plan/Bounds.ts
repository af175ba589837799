/**
 * Times of an entity that a run has to ask for, as parts that are read at the same time.
 */
import * as Calendar from "../model/Calendar.ts"
import type { Period, Time } from "../model/Store.ts"

/** From one time to another; null where it has no beginning or no end. */
export interface Bounds {
  readonly from: Time | null
  readonly to: Time | null
}

/** Parts of which no two have times of one period, since they are read at the same time. Neighbours become one request. */
export const apart = (period: Period | undefined, parts: ReadonlyArray<Bounds>): ReadonlyArray<Bounds> => {
  const all: Array<Bounds> = []
  for (const part of parts.toSorted((a, b) => ((a.from ?? "") < (b.from ?? "") ? -1 : 1))) {
    const before = all.at(-1)
    const isApart =
      before === undefined ||
      (before.to !== null &&
        part.from !== null &&
        period !== undefined &&
        before.to < part.from &&
        endOfPeriod(period, before.to) <= Calendar.startOf(Calendar.periodOf(period, part.from)))
    if (isApart) all.push(part)
    else if (before.to !== null && (part.to === null || part.to > before.to)) {
      all[all.length - 1] = { from: before.from, to: part.to }
    }
  }
  return all
}

/** The end of the last period that has times before this one. */
const endOfPeriod = (period: Period, to: Time): Time => {
  const name = Calendar.periodOf(period, to)
  return Calendar.startOf(name) === to ? to : Calendar.endOf(name)
}
