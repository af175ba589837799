/**
 * The rows of one entity's series: numbered by whole numbers, its places, and found by time. Any row is written by itself.
 */
import * as Jitter from "../internal/random/Jitter.ts"
import * as Instant from "../internal/time/Instant.ts"
import type { Limit } from "../internal/listing/Paging.ts"
import type { EntitySeries } from "../internal/listing/Listing.ts"
import type { Frequency } from "./Frequency.ts"
import type { Span } from "./Span.ts"

/** Places of a series; both ends are included. */
export interface RowRange {
  readonly first: number
  readonly last: number
}

export interface Published {
  /** When the row at a place is; its own time where not said. */
  readonly at?: (place: number) => number
  /** Finds the first place that is not published by an instant. */
  readonly until: (ms: number) => number
}

export interface Rows {
  readonly entity: string
  readonly bounds: RowRange
  readonly row: (place: number) => string
  /** Writes rows as they were at an instant, where they are others later. */
  readonly rowBy?: ((ms: number) => (place: number) => string) | undefined
  /** Writes the row that a range begins with, where it differs from the one at its place. */
  readonly opening?: ((place: number) => string) | undefined
  /** Finds the place at which a range that would begin at a place begins in its stead. */
  readonly opensAt?: ((place: number) => number) | undefined
  /** Finds the first place at or after an instant; rows may share a time. */
  readonly from: (instant: Instant.Instant) => number
  readonly timeAt: (place: number) => Instant.Instant
  /** Whether a row tells what changed since the one before, so that their order has to stay. */
  readonly isSequential?: boolean
  /** When rows are published, where that is not their own time. */
  readonly published?: Published | undefined
  /** How much later than that, in milliseconds, where a history of publication says otherwise than for its series. */
  readonly delay?: number | undefined
  /** Finds the places within a stretch of time that are not seen, by ascending first places. */
  readonly hidden?: ((within: Range) => ReadonlyArray<RowRange>) | undefined
  /** What rows are sorted by across entities, and the first place at or after that; the place itself where not said. */
  readonly key?: { readonly at: (place: number) => number; readonly from: (key: number) => number } | undefined
}

/** A stretch of time; its start belongs to it, its end does not. */
export interface Range {
  readonly start: Instant.Instant | undefined
  readonly end: Instant.Instant | undefined
}

/** Makes a search by milliseconds one by nanoseconds, of rows that stand at whole milliseconds. */
export const atWholeMs =
  (from: (ms: number) => number) =>
  (instant: Instant.Instant): number =>
    from(Instant.wholeMs(instant))

/** Finds the first place that is not published by an instant. */
export const until = ({ from, published }: Rows, ms: number): number => published?.until(ms) ?? from({ ms, nanos: 1 })

/** The rows that are shown over HTTP of those that are published by an instant; all of them where none is given. */
export const publishedBy = (self: Rows, ms: number | undefined, jitter = Jitter.none): Rows => {
  if (ms === undefined) return self
  const { first } = self.bounds
  const last = Math.min(self.bounds.last, until(self, ms) - 1)
  const published = { ...self, bounds: { first, last }, row: self.rowBy?.(ms) ?? self.row }
  const most = jitter.live + jitter.http
  if (most === 0 || self.isSequential === true) return published
  const delay = Jitter.untilShown(self.entity, jitter)
  return {
    ...published,
    hidden: () => {
      const late: Array<RowRange> = []
      for (let place = Math.max(first, until(self, ms - most)); place <= last; place++)
        if (until(self, ms - delay(place)) <= place) late.push({ first: place, last: place })
      return late
    }
  }
}

/** One row at every instant of a grid, within a span. */
export const onGrid = (entity: string, grid: Frequency, { from, to }: Span, row: (place: number) => string): Rows => ({
  entity,
  bounds: { first: grid.from(Math.max(from, grid.since)), last: grid.from(to + 1) - 1 },
  row,
  timeAt: (place) => ({ ms: grid.at(place), nanos: 0 }),
  from: atWholeMs(grid.from),
  key: grid
})

/** One row for every stretch of a grid, which stands at its start and is published at its end. */
export const perStretch: typeof onGrid = (entity, grid, span, row) => ({
  ...onGrid(entity, grid, span, row),
  published: { at: (place) => grid.at(place + 1), until: (ms) => grid.from(ms + 1) - 1 }
})

/** The instant of a row, and its number among those of the instant. */
export interface Slot {
  readonly instant: number
  readonly number: number
}

/**
 * So many rows at each instant of a grid, by a pattern that repeats from the beginning of the grid on: `[1, 2, 0]` has one
 * row at the first instant, two at the second, none at the third, and so on. A row is told its instant and its number there.
 */
export const inPattern = (
  entity: string,
  grid: Frequency,
  { from, to }: Span,
  pattern: ReadonlyArray<number>,
  row: (instant: number, number: number) => string
): Rows & { readonly slotAt: (place: number) => Slot } => {
  const slots: Array<{ readonly index: number; readonly number: number }> = []
  /** How many rows of a cycle come before each of its instants. */
  const starts = pattern.map((count, index) => {
    for (let number = 0; number < count; number++) slots.push({ index, number })
    return slots.length - count
  })
  const placeOf = (instant: number) => {
    const cycle = Math.floor(instant / pattern.length)
    return cycle * slots.length + (starts[instant - cycle * pattern.length] ?? 0)
  }
  const slotAt = (place: number): Slot => {
    const cycle = Math.floor(place / slots.length)
    const { index, number } = slots[place - cycle * slots.length]!
    return { instant: cycle * pattern.length + index, number }
  }
  return {
    entity,
    bounds: { first: placeOf(grid.from(Math.max(from, grid.since))), last: placeOf(grid.from(to + 1)) - 1 },
    row: (place) => {
      const { instant, number } = slotAt(place)
      return row(instant, number)
    },
    slotAt,
    timeAt: (place) => ({ ms: grid.at(slotAt(place).instant), nanos: 0 }),
    from: atWholeMs((ms) => placeOf(grid.from(ms)))
  }
}

/**
 * Leaves out rows by a pattern that repeats every so many places: those whose place in it is not among `kept`, which
 * ascend. The others get numbers of their own, so that places follow each other.
 */
export const keeping = (self: Rows, period: number, kept: ReadonlyArray<number>): Rows => {
  const { bounds, key, published, row, timeAt } = self
  const publishedAt = published?.at
  const old = (place: number): number => {
    const cycle = Math.floor(place / kept.length)
    return cycle * period + (kept[place - cycle * kept.length] ?? 0)
  }
  /** The number of the first kept place at or after one. */
  const from = (place: number): number => {
    const cycle = Math.floor(place / period)
    const found = kept.findIndex((index) => index >= place - cycle * period)
    return cycle * kept.length + (found === -1 ? kept.length : found)
  }
  return {
    ...self,
    bounds: { first: from(bounds.first), last: from(bounds.last + 1) - 1 },
    row: (place) => row(old(place)),
    from: (instant) => from(self.from(instant)),
    timeAt: (place) => timeAt(old(place)),
    published: published && {
      ...(publishedAt && { at: (place) => publishedAt(old(place)) }),
      until: (ms) => from(published.until(ms))
    },
    key: key && { at: (place) => key.at(old(place)), from: (value) => from(key.from(value)) }
  }
}

/** Moves rows of a grid: those of each stretch of it come at an instant of their own within the stretch. */
export const shifted = (rows: Rows, grid: Frequency, at: (stretch: number) => Instant.Instant): Rows => ({
  ...rows,
  timeAt: (place) => at(grid.from(rows.timeAt(place).ms)),
  from: (instant) => {
    const stretch = grid.from(instant.ms + 1) - 1
    const { ms, nanos } = at(stretch)
    const isBefore = ms < instant.ms || (ms === instant.ms && nanos < instant.nanos)
    return rows.from({ ms: grid.at(isBefore ? stretch + 1 : stretch), nanos: 0 })
  }
})

export const later = (rows: Rows, delay: number): Rows => {
  const { at } = rows.published ?? {}
  return {
    ...rows,
    published: { ...(at && { at: (place) => at(place) + delay }), until: (ms) => until(rows, ms - delay) }
  }
}

export const narrowed = (rows: Rows, { first, last }: RowRange): Rows => ({
  ...rows,
  bounds: { first: Math.max(rows.bounds.first, first), last: Math.min(rows.bounds.last, last) }
})

const byPlace = { at: (place: number) => place, from: (place: number) => place }

const seen = ({ first, last }: RowRange, hidden: ReadonlyArray<RowRange> = []): ReadonlyArray<RowRange> => {
  const parts: Array<RowRange> = []
  let next = first
  for (const gap of hidden) {
    if (gap.last < next || gap.last < gap.first) continue
    if (gap.first > last) break
    if (gap.first > next) parts.push({ first: next, last: gap.first - 1 })
    next = gap.last + 1
  }
  return next > last ? parts : [...parts, { first: next, last }]
}

const size = ({ first, last }: RowRange): number => last - first + 1

/** The rows in a stretch of time, of them so many. */
export const within = (
  { bounds, entity, from, hidden, key = byPlace, opening, opensAt, row }: Rows,
  { end, start }: Range,
  limit: Limit = { count: Number.POSITIVE_INFINITY, from: "end" }
): EntitySeries => {
  const last = Math.min(bounds.last, end === undefined ? bounds.last : from(end) - 1)
  const asked = Math.max(bounds.first, start === undefined ? bounds.first : from(start))
  // A range that begins between two rows begins with what was there before it.
  const isBetween = start !== undefined && from(Instant.next(start)) === asked
  const begin = Math.min(isBetween ? asked - 1 : asked, bounds.last)
  const first = opensAt === undefined ? asked : opensAt(Math.max(bounds.first, begin))
  const parts = seen({ first, last }, hidden?.({ start, end }))
  const count = parts.reduce((sum, part) => sum + size(part), 0)
  const length = Math.min(count, limit.count)
  const skipped = limit.from === "start" ? 0 : count - length
  const placeAt = (position: number): number => {
    let left = position + skipped
    for (const part of parts) {
      if (left < size(part)) return part.first + left
      left -= size(part)
    }
    return last + 1
  }
  const opened = length === 0 ? last + 1 : placeAt(0)
  return {
    entity,
    length,
    rows: (begin, end) => {
      const rows: Array<string> = []
      let left = end - begin
      let place = placeAt(begin)
      for (const part of parts) {
        if (part.last < place) continue
        place = Math.max(place, part.first)
        for (; place <= part.last && left > 0; place++, left--)
          rows.push(place === opened && opening !== undefined ? opening(place) : row(place))
      }
      return rows
    },
    keyAt: (position) => key.at(placeAt(position)),
    before: (value) => {
      const place = key.from(value)
      const count = parts.reduce((sum, part) => sum + Math.max(0, Math.min(place - 1, part.last) - part.first + 1), 0)
      return Math.min(length, Math.max(0, count - skipped))
    }
  }
}
