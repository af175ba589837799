/** Round times of a range, in UTC, and their labels. */
import * as DateTime from "effect/DateTime"
import type { Range } from "./Chart.ts"

/** A time on an axis, and its label. */
export interface Tick {
  readonly at: number
  readonly text: string
}

const [millisecond, second, minute, hour, day] = [1, 1_000, 60_000, 3_600_000, 86_400_000]

const lengths = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((count) => count * millisecond),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14].map((count) => count * day)
]

const periods = [1, 2, 3, 6, ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000].map((years) => years * 12)]

/** The Monday from which weeks are counted. */
const monday = 4 * day

/** A time as ISO 8601 has it, to the millisecond. */
export const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(Math.floor(at)))

/** A time without what is zero at its end: a day where it is its beginning. */
export const short = (at: number): string =>
  iso(at)
    .replace(/(?:T00:00)?(?::00)?\.000Z$|Z$/, "")
    .replace("T", " ")

/** At most so many round times of a range, one at least. */
export const ticks = ({ from, to }: Range, most: number): ReadonlyArray<Tick> => {
  const wanted = (to - from) / Math.max(1, most)
  if (!(wanted > 0)) return [{ at: from, text: short(from) }]
  const length = lengths.find((length) => length >= wanted)
  const found = length === undefined ? ofCalendar({ from, to }, wanted) : regular({ from, to }, length)
  return found.length === 0 ? [{ at: from, text: short(from) }] : found
}

/** As many round times as have labels side by side in a line of so many letters. */
export const fitting = (range: Range, letters: number): ReadonlyArray<Tick> => {
  const each = (letters - 1) / (range.to - range.from || 1)
  for (let most = Math.floor(letters / 6); most > 1; most = Math.floor(most * 0.8)) {
    const found = ticks(range, most)
    const fits = found.every(({ at }, index) => {
      const before = found[index - 1]
      return before === undefined || (at - before.at) * each >= before.text.length + 2
    })
    if (fits) return found
  }
  return ticks(range, 1)
}

const regular = ({ from, to }: Range, length: number) => {
  const start = length > 2 * day ? monday : 0
  const first = Math.ceil((from - start) / length)
  const count = Math.floor((to - start) / length) - first + 1
  return Array.from({ length: count }, (_, index): Tick => {
    const at = start + (first + index) * length
    const text = iso(at)
    if (length >= day) return { at, text: text.slice(0, 10) }
    if (length >= minute) return { at, text: text.slice(5, 16).replace("T", " ") }
    return { at, text: text.slice(11, length >= second ? 19 : 23) }
  })
}

const ofCalendar = ({ from, to }: Range, wanted: number) => {
  const length = periods.find((months) => months * 30.4 * day >= wanted) ?? 60_000
  const { month, year } = DateTime.toPartsUtc(DateTime.makeUnsafe(from))
  const first = Math.floor((year * 12 + month - 1) / length)
  const found: Array<Tick> = []
  for (let index = first; ; index++) {
    const months = index * length
    const moment = DateTime.makeUnsafe({ year: Math.floor(months / 12), month: (months % 12) + 1, day: 1 })
    const at = DateTime.toEpochMillis(moment)
    if (!(at <= to)) return found
    if (at >= from) found.push({ at, text: iso(at).slice(0, length >= 12 ? 4 : 7) })
  }
}
