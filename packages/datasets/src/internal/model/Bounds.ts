/**
 * Times of an entity that a run has to ask for, as parts that are read at the same time.
 */
import * as Calendar from "./Calendar.ts"
import type { Period, Time } from "./Store.ts"

/** From one time to another; null where it has no beginning or no end. */
export interface Bounds {
  readonly from: Time | null
  readonly to: Time | null
}

/** The later of two beginnings. */
export const laterOf = (a: Time | null, b: Time | null) => (a === null || (b !== null && b > a) ? b : a)

const earlierOf = (a: Time | null, b: Time | null) => (a === null || (b !== null && b < a) ? b : a)

/** Where two overlap; nothing where they do not. */
export const both = (a: Bounds, b: Bounds): ReadonlyArray<Bounds> => {
  const [from, to] = [laterOf(a.from, b.from), earlierOf(a.to, b.to)]
  return from !== null && to !== null && from >= to ? [] : [{ from, to }]
}

/** What of parts is in a window, and what is not. */
export const split = (window: Bounds | undefined, parts: ReadonlyArray<Bounds>) => {
  if (window === undefined) return { inside: parts, outside: [] }
  const { from, to } = window
  const around = [
    ...(from === null ? [] : [{ from: null, to: from }]),
    ...(to === null ? [] : [{ from: to, to: null }])
  ]
  return {
    inside: parts.flatMap((part) => both(part, window)),
    outside: parts.flatMap((part) => around.flatMap((other) => both(part, other)))
  }
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
