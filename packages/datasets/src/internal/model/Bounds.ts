/**
 * Times of an entity that a run has to ask for, as parts that are read at the same time.
 */
import * as Calendar from "./Calendar.ts"
import * as Moment from "./Moment.ts"
import type { Period, Time } from "./Store.ts"

/** From one time to another; null where it has no beginning or no end. */
export interface Bounds {
  readonly from: Time | null
  readonly to: Time | null
}

/** The times that a run of a cache reads alone; without an end up to now. What is unread besides stays so. */
export interface Window extends Bounds {
  /** Provisional times that are not current are read again. */
  readonly age: Freshness
}

/** How recent what was read has to be. */
export interface Freshness {
  /** When it was looked at, in milliseconds since 1970. */
  readonly now: number
  /** Milliseconds after a run until which it counts as the present. */
  readonly maxAge: number
}

/** What a cache has read at a moment, in milliseconds since 1970. */
interface Looked {
  readonly to: Time | null
  readonly looked: number
}

/** How long the service may take to review a record, in milliseconds. What is open for longer is seldom asked for. */
export const longestReview = 60 * 86_400_000

/**
 * Whether what was read at a moment counts as the present. What was over for longer than a review takes does so for as long again. With an age
 * of 0 nothing does: a clock that was set back may show a moment again.
 */
export const isCurrent = ({ looked, to }: Looked, { maxAge, now }: Freshness): boolean => {
  if (!(maxAge > 0) || looked < 0 || looked > now) return false
  const over = to === null ? 0 : looked - Moment.millisOf(to)
  return now - looked < (over > longestReview ? Math.max(maxAge, over) : maxAge)
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
export const split = <A extends Bounds>({ from, to }: Bounds, parts: ReadonlyArray<A>) => {
  const around = [
    ...(from === null ? [] : [{ from: null, to: from }]),
    ...(to === null ? [] : [{ from: to, to: null }])
  ]
  return {
    inside: parts.flatMap((part) => both(part, { from, to })),
    outside: parts.flatMap((part) =>
      around.flatMap((other) => both(part, other).map((one): A => ({ ...part, ...one })))
    )
  }
}

/** A part that waits for those of lower turns, since both may write one file. */
export interface InTurn extends Bounds {
  readonly turn: number
}

/** Merges parts that overlap or meet. Those with times of one period get different turns, so that no two write one file at once. */
export const apart = (period: Period | undefined, parts: ReadonlyArray<Bounds>): ReadonlyArray<InTurn> => {
  const all: Array<InTurn> = []
  for (const { from, to } of parts.toSorted((a, b) => ((a.from ?? "") < (b.from ?? "") ? -1 : 1))) {
    const before = all.at(-1)
    const isBehind = before === undefined || (before.to !== null && from !== null && before.to < from)
    const isApart =
      before === undefined ||
      (isBehind &&
        period !== undefined &&
        endOfPeriod(period, before.to ?? "") <= Calendar.startOf(Calendar.periodOf(period, from ?? "")))
    if (isApart || isBehind) all.push({ from, to, turn: isApart ? 0 : before.turn + 1 })
    else if (before.to !== null && (to === null || to > before.to)) all[all.length - 1] = { ...before, to }
  }
  return all
}

/** The end of the last period that has times before this one. */
const endOfPeriod = (period: Period, to: Time): Time => {
  const name = Calendar.periodOf(period, to)
  return Calendar.startOf(name) === to ? to : Calendar.endOf(name)
}
