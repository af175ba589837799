/**
 * The rows of one entity's series: numbered by whole numbers, its places, and found by time. Any row is written by itself.
 */
import type * as Instant from "../internal/request/Instant.ts"
import type { EntitySeries } from "../internal/listing/Listing.ts"
import type { Frequency } from "./Frequency.ts"
import type { Span } from "./Span.ts"

/** Places of a series; both ends are included. */
export interface Bounds {
  readonly first: number
  readonly last: number
}

/** The rows of one entity. */
export interface Rows {
  readonly entity: string
  /** The places of all its rows. */
  readonly bounds: Bounds
  /** Writes the row at a place, as one line of JSON. */
  readonly row: (place: number) => string
  /** Finds the first place at or after an instant; rows may share a time. */
  readonly from: (instant: Instant.Instant) => number
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
  ({ ms, nanos }: Instant.Instant): number =>
    from(nanos > 0 ? ms + 1 : ms)

/** One row at every instant of a grid, within a span. */
export const onGrid = (entity: string, grid: Frequency, { from, to }: Span, row: (place: number) => string): Rows => ({
  entity,
  bounds: { first: grid.from(Math.max(from, grid.since)), last: grid.from(to + 1) - 1 },
  row,
  from: atWholeMs(grid.from),
  key: grid
})

const byPlace = { at: (place: number) => place, from: (place: number) => place }

/** The rows in a stretch of time, of them the latest so many. */
export const within = (
  { bounds, entity, from, key = byPlace, row }: Rows,
  { end, start }: Range,
  limit = Number.POSITIVE_INFINITY
): EntitySeries => {
  const last = Math.min(bounds.last, end === undefined ? bounds.last : from(end) - 1)
  const first = Math.max(bounds.first, start === undefined ? bounds.first : from(start), last - limit + 1)
  const length = Math.max(0, last - first + 1)
  return {
    entity,
    length,
    rows: (begin, end) => {
      const rows: Array<string> = []
      for (let place = first + begin; place < first + end; place++) rows.push(row(place))
      return rows
    },
    keyAt: (position) => key.at(first + position),
    before: (value) => Math.min(length, Math.max(0, key.from(value) - first))
  }
}
