/**
 * Charts as data: lines, candles, and bars of the times that are covered. `Text` and `Svg` draw them.
 *
 * Times are milliseconds since 1970. A series of any length is kept as the first, last, lowest and highest value of at most
 * 2,048 intervals, so that no spike is lost and no memory grows with it; `Ranges` keeps as many ranges of what is covered.
 */

/** A value at a time. */
export interface Point {
  readonly at: number
  readonly value: number
}

/** A series: points that belong together, in pieces between its gaps. */
export interface Line {
  readonly name: string
  readonly pieces: ReadonlyArray<ReadonlyArray<Point>>
}

/** Prices of an interval that begins `at` this time, in milliseconds since 1970. */
export interface Candle {
  readonly at: number
  readonly open: number
  readonly close: number
  readonly high: number
  readonly low: number
}

/** Candles of one market, in the order of time, `each` so many milliseconds long. */
export interface Market {
  readonly name: string
  readonly candles: ReadonlyArray<Candle>
  readonly each: number
}

/** Times in milliseconds since 1970. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** What is covered of one entity: ranges in the order of time, with holes between them. */
export interface Covered {
  readonly name: string
  readonly ranges: ReadonlyArray<Range>
  /** Times in them that look otherwise. */
  readonly marked?: ReadonlyArray<Range>
  /** Whether there are further holes, too short and too many to be kept. */
  readonly isCoarse?: boolean
}

/** What is drawn: lines, candles, or which times are covered. */
export type Chart =
  | { readonly _tag: "Lines"; readonly title: string; readonly isLog: boolean; readonly lines: ReadonlyArray<Line> }
  | {
      readonly _tag: "Candles"
      readonly title: string
      readonly isLog: boolean
      readonly markets: ReadonlyArray<Market>
    }
  | { readonly _tag: "Coverage"; readonly title: string; readonly rows: ReadonlyArray<Covered> }

/** Intervals that are kept of a series: more than a screen has columns. */
const kept = 2_048

interface Extremes {
  readonly first: Point
  readonly last: Point
  readonly low: Point
  readonly high: Point
}

const joined = (a: Extremes, b: Extremes): Extremes => ({
  first: b.first.at < a.first.at ? b.first : a.first,
  last: b.last.at >= a.last.at ? b.last : a.last,
  low: b.low.value < a.low.value ? b.low : a.low,
  high: b.high.value > a.high.value ? b.high : a.high
})

/** Takes one after another, and gives what is drawn of all. */
export interface Collector<In, Out> {
  readonly add: (one: In) => void
  readonly end: () => Out
}

export interface LineCollector extends Collector<Point, Line> {
  /** Notes a time of the series that has no value. */
  readonly skip: (at: number) => void
}

/**
 * Collects the points of a line, in any order. Neighbours that are further apart than those of a series with a frequency have a gap;
 * the frequency shows in points that come in the order of time or in its reverse, as most have to.
 */
export const line = (name: string): LineCollector => {
  const buckets = bucketsOf(kept, joined)
  const intervals = distances()
  return {
    skip: intervals.see,
    add: (point) => {
      intervals.see(point.at)
      buckets.add(point.at, { first: point, last: point, low: point, high: point })
    },
    end: () => {
      const usual = intervals.usual()
      const pieces: Array<Array<Point>> = []
      let before: Extremes | undefined
      for (const one of buckets.all()) {
        const points = [...new Set([one.first, one.low, one.high, one.last])].toSorted((a, b) => a.at - b.at)
        const piece = pieces.at(-1)
        if (piece === undefined || isGap(one.first.at - (before?.last.at ?? 0), usual)) pieces.push(points)
        else piece.push(...points)
        before = one
      }
      return { name, pieces }
    }
  }
}

const merged = (a: Candle, b: Candle): Candle => ({
  at: Math.min(a.at, b.at),
  open: b.at < a.at ? b.open : a.open,
  close: b.at < a.at ? a.close : b.close,
  high: Math.max(a.high, b.high),
  low: Math.min(a.low, b.low)
})

/** Collects the candles of a market, in the order of time or in its reverse. */
export const market = (name: string): Collector<Candle, Market> => {
  const buckets = bucketsOf(kept, merged)
  const intervals = distances()
  return {
    add: (candle) => {
      intervals.see(candle.at)
      buckets.add(candle.at, candle)
    },
    end: () => {
      const candles = buckets.all()
      const length = (candles.at(-1)?.at ?? 0) - (candles[0]?.at ?? 0)
      return { name, candles, each: intervals.usual() ?? (length / Math.max(1, candles.length - 1) || 1) }
    }
  }
}

/** Makes at most so many candles of those of a market; an interval without any stays empty. */
export const fold = ({ candles, each }: Market, { from, to }: Range, most: number) => {
  const all = Math.max(1, Math.round((to - from) / each))
  const size = Math.ceil(all / most)
  const slots: Array<Candle | undefined> = Array.from({ length: Math.ceil(all / size) }, () => undefined)
  for (const candle of candles) {
    const slot = Math.min(slots.length - 1, Math.floor((candle.at - from) / (each * size)))
    const before = slots[slot]
    slots[slot] = before === undefined ? candle : merged(before, candle)
  }
  return { slots, each: each * size }
}

/** Values from the lowest to the highest. */
export interface Bounds {
  readonly low: number
  readonly high: number
}

const boundsOf = (values: Iterable<number>): Bounds | undefined => {
  let [low, high] = [Infinity, -Infinity]
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  return low > high ? undefined : { low, high }
}

export const valuesOf = (lines: ReadonlyArray<Line>): Bounds | undefined =>
  boundsOf(lines.flatMap(({ pieces }) => pieces.flatMap((piece) => piece.map(({ value }) => value))))

export const pricesOf = (candles: ReadonlyArray<Candle>): Bounds | undefined =>
  boundsOf(candles.flatMap(({ high, low }) => [low, high]))

/** The times of a chart; undefined where it has nothing to draw. */
export const timesOf = (chart: Chart): Range | undefined => {
  const ats =
    chart._tag === "Lines"
      ? chart.lines.flatMap(({ pieces }) => pieces.flatMap((piece) => piece.map(({ at }) => at)))
      : chart._tag === "Candles"
        ? chart.markets.flatMap(({ candles, each }) => candles.flatMap(({ at }) => [at, at + each]))
        : chart.rows.flatMap(({ ranges }) => ranges.flatMap(({ from, to }) => [from, to]))
  const bounds = boundsOf(ats)
  return bounds && { from: bounds.low, to: bounds.high }
}

interface Held<A> {
  readonly at: number
  readonly value: A
}

/**
 * Values along a range of time whose end is not known: at most so many are kept. Up to `most` times are kept apart. Then they are cut
 * into intervals of one length, whose values are merged, and the length doubles whenever there are too many of them again.
 */
const bucketsOf = <A>(most: number, merge: (before: A, after: A) => A) => {
  /** The length of an interval; 0 while each time is kept apart. */
  let length = 0
  let held = new Map<number, Held<A>>()
  const put = (at: number, value: A) => {
    const key = length === 0 ? at : Math.floor(at / length)
    const before = held.get(key)
    held.set(key, before === undefined ? { at, value } : { at: before.at, value: merge(before.value, value) })
  }
  const widen = () => {
    const all = [...held.values()]
    const ats = all.map(({ at }) => at)
    const range = ats.reduce((a, b) => Math.max(a, b), -Infinity) - ats.reduce((a, b) => Math.min(a, b), Infinity)
    length = length === 0 ? range / (most / 2) : length * 2
    held = new Map()
    for (const { at, value } of all) put(at, value)
  }
  return {
    add: (at: number, value: A) => {
      put(at, value)
      while (held.size > most) widen()
    },
    /** What is kept, in the order of time. */
    all: () => [...held.values()].toSorted((a, b) => a.at - b.at).map(({ value }) => value)
  }
}

/** More distances than this are those of a series without a frequency. */
const mostDistances = 64

/** Sees the times of one series in the order in which they come, which may be that of time or its reverse. */
const distances = () => {
  const counts = new Map<number, number>()
  let last = Number.NaN
  let total = 0
  return {
    see: (at: number) => {
      const distance = Math.abs(at - last)
      last = at
      if (!(distance > 0)) return
      total += 1
      const count = counts.get(distance)
      if (count !== undefined || counts.size < mostDistances) counts.set(distance, (count ?? 0) + 1)
    },
    /** The distance that most neighbours have; undefined where none has a majority, as of trades. */
    usual: (): number | undefined => {
      const [first] = [...counts].toSorted(([, a], [, b]) => b - a)
      return first !== undefined && first[1] * 2 > total ? first[0] : undefined
    }
  }
}

/** Whether times are further apart than neighbours of a series are. Months differ by less than half. */
const isGap = (distance: number, usual: number | undefined): boolean => usual !== undefined && distance > usual * 1.5
