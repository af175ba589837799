/** The rows of a series as they are seen at an instant, where the past changes. */
import type { Jitter } from "../internal/random/Jitter.ts"
import * as History from "../internal/history/History.ts"
import * as Incidents from "../internal/history/Incidents.ts"
import * as Value from "../internal/history/Value.ts"
import { seed } from "../internal/random/Noise.ts"
import { at } from "../internal/time/Calendar.ts"
import * as Blocks from "./Blocks.ts"
import * as Frequency from "./Frequency.ts"
import * as Listings from "./Listings.ts"
import * as Rows from "./Rows.ts"
import * as Span from "./Span.ts"

export interface Published {
  /** Names the series, such as `/timeseries/market-trades`. */
  readonly series: string
  /** Its frequency; empty where it has none. */
  readonly frequency: string
  /** Decimal fields of a row that are corrected after it was published. */
  readonly corrected?: ReadonlyArray<string> | undefined
  readonly jitter?: Jitter | undefined
}

const timeOf = (row: string): number => {
  const start = row.indexOf(`"time":"`) + 8
  return at(row.slice(start, start + 19))
}

/** Writes a row with the values that are still to be corrected. */
const correct = (view: History.View, name: string, frequency: string, fields: ReadonlyArray<string>) => {
  const knownAt = Value.knower(view, name, "", frequency, false)
  return (row: string): string => {
    const ms = timeOf(row)
    // A whole row is published at once: what is late or taken back are stretches of rows.
    const known = knownAt(ms, ms)
    if (known === undefined || known.left === 0) return row
    return fields.reduce((text, field) => {
      const start = text.indexOf(`"${field}":"`) + field.length + 4
      const end = text.indexOf('"', start)
      return start <= field.length + 3
        ? text
        : text.slice(0, start) + Value.corrected(text.slice(start, end), known.left, seed(name)) + text.slice(end)
    }, row)
  }
}

const hiddenPlaces =
  ({ from }: Rows.Rows, view: History.View, name: string) =>
  (within: Rows.Range): ReadonlyArray<Rows.RowRange> =>
    Incidents.hidden(view, name)
      .filter(({ end, start }) => (within.start?.ms ?? start) <= end && (within.end?.ms ?? start) >= start)
      .map(({ end, start }) => ({ first: from({ ms: start, nanos: 0 }), last: from({ ms: end, nanos: 0 }) - 1 }))

/** The rows of a series at an instant: without those that were not published yet, or are missing, or were taken back. */
export const rows = (
  self: Rows.Rows,
  view: History.View,
  { corrected = [], frequency, jitter, series }: Published
): Rows.Rows => {
  const name = `${series} ${self.entity}`
  const delay = self.delay ?? History.delay(view, series, frequency)
  const begins = Listings.begins(view, series, self.entity)
  const first =
    begins === undefined ? self.bounds.first : Math.max(self.bounds.first, self.from({ ms: begins, nanos: 0 }))
  const write = correct(view, name, frequency, corrected)
  const published = Rows.publishedBy({ ...self, bounds: { ...self.bounds, first } }, view.now - delay, jitter)
  const missing = hiddenPlaces(self, view, name)
  return {
    ...published,
    row: corrected.length === 0 ? self.row : (place) => write(self.row(place)),
    hidden: (within) =>
      [...missing(within), ...(published.hidden?.(within) ?? [])].toSorted((a, b) => a.first - b.first)
  }
}

export interface Named {
  readonly series: string
  readonly entity: string
  readonly metric?: string
}

const beginsAt = (view: History.View, { entity, series }: Named): number =>
  Listings.begins(view, series, entity) ?? Number.NEGATIVE_INFINITY

/** The places of the first and the last row that are seen, of rows that stand at any times. */
export const ends = (
  view: History.View,
  series: string,
  { bounds, entity, from, timeAt }: Rows.Rows
): Rows.RowRange => {
  let { first, last } = bounds
  const hidden = Incidents.hidden(view, `${series} ${entity}`)
  const isIn = (place: number, { end, start }: Incidents.Stretch) => {
    const { ms } = timeAt(place)
    return start <= ms && ms < end
  }
  for (const stretch of hidden.toReversed()) {
    if (first <= last && isIn(last, stretch)) last = from({ ms: stretch.start, nanos: 0 }) - 1
  }
  for (const stretch of hidden) {
    if (first <= last && isIn(first, stretch)) first = from({ ms: stretch.end, nanos: 0 })
  }
  return { first, last }
}

/** The first instant at or after one that no missing stretch has. */
const firstSeen = (view: History.View, { entity, series }: Named, ms: number, snap: (ms: number) => number): number => {
  let first = snap(ms)
  for (const { end, start } of Incidents.hidden(view, `${series} ${entity}`)) {
    if (start <= first && first < end) first = snap(end)
  }
  return first
}

/** The last instant at or before one that no missing stretch has. */
const lastSeen = (view: History.View, { entity, series }: Named, ms: number, snap: (ms: number) => number): number => {
  let last = snap(ms)
  for (const { end, start } of Incidents.hidden(view, `${series} ${entity}`).toReversed()) {
    if (start <= last && last < end) last = snap(start - 1)
  }
  return last
}

/** A span as a catalog shows it now, of rows that stand at multiples of a step; nothing while there is none. */
export const span = (
  view: History.View | undefined,
  named: Named,
  own: Span.Span,
  step: number
): Span.Span | undefined => {
  if (view === undefined) return own
  const { from, to } = own
  const snap = (ms: number) => Math.floor(ms / step) * step
  const first = firstSeen(view, named, Math.max(from, beginsAt(view, named)), (ms) => Math.ceil(ms / step) * step)
  const last = lastSeen(view, named, Math.min(to, view.now - History.delay(view, named.series, "")), snap)
  return first > last ? undefined : { from: first, to: last }
}

// A row of these stands at the start of what it tells of, and is published at its end.
const tellsOfStretch = ({ metric, series }: Named, frequency: string): boolean =>
  series.endsWith("-candles") ||
  (metric !== undefined && (series !== "/timeseries/asset-metrics" || frequency.startsWith("1d")))

const blocksOf = (view: History.View, named: Named, entry: Span.Entry): Span.Entry | undefined => {
  const asset = Listings.assets(view).find(named.entity)
  if (asset === undefined) return undefined
  const published = view.now - History.delay(view, named.metric ?? named.series, "1b")
  const snap = (ms: number) => Blocks.from(asset, ms + 1) - 1
  const onTop = Blocks.confirmations(asset)
  const begin = Math.max(Blocks.timeAt(asset, Number(entry.min_height)), beginsAt(view, named))
  const first = Blocks.from(
    asset,
    firstSeen(view, named, begin, (ms) => Blocks.timeAt(asset, Blocks.from(asset, ms)))
  )
  const tip = Math.min(Number(entry.max_height), snap(published) - onTop)
  const time = lastSeen(view, named, Blocks.timeAt(asset, tip), (ms) => Blocks.timeAt(asset, snap(ms)))
  const last = snap(time)
  return first > last ? undefined : { ...entry, ...Blocks.ends(asset, first, last) }
}

const entry = (view: History.View, named: Named, own: Span.Entry): Span.Entry | undefined => {
  if (own.min_height !== undefined) return blocksOf(view, named, own)
  const grid = Frequency.find(own.frequency)
  if (grid === undefined) return own
  const published = view.now - History.delay(view, named.metric ?? named.series, own.frequency)
  const until = grid.from(published + 1) - (tellsOfStretch(named, own.frequency) ? 1 : 0)
  const snap = (ms: number) => grid.at(grid.from(ms + 1) - 1)
  const begin = Math.max(at(own.min_time), beginsAt(view, named))
  const first = firstSeen(view, named, begin, (ms) => grid.at(grid.from(ms)))
  const last = lastSeen(view, named, Math.min(at(own.max_time), grid.at(until - 1)), snap)
  return first > last ? undefined : { ...own, ...Span.times({ from: first, to: last }) }
}

/** The spans of an entity at its frequencies as a catalog shows them now; as they are where the past does not change. */
export const entries = (
  view: History.View | undefined,
  named: Named,
  all: ReadonlyArray<Span.Entry>
): ReadonlyArray<Span.Entry> => (view === undefined ? all : all.flatMap((own) => entry(view, named, own) ?? []))
