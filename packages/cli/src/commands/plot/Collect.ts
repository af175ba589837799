/**
 * Makes a chart of records as they come. What is kept of a series does not grow with it, and of many series the first are drawn.
 */
import { harmless } from "@sluice/core/PlainText"
import { textOf } from "@sluice/files/Format"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Chart from "../../chart/Chart.ts"
import * as Ranges from "../../chart/Ranges.ts"
import * as Layout from "./Layout.ts"

export interface Wanted {
  readonly fields: ReadonlyArray<string> | undefined
  readonly isLog: boolean
}

export interface Collected {
  /** Absent where there is nothing to draw. */
  readonly chart: Chart.Chart | undefined
  readonly records: number
  /** How many series there are beside those that are drawn. */
  readonly others: number
  /** Values that a logarithmic scale has no place for. */
  readonly left: number
}

/** The most that are drawn. */
export const most = { Lines: 12, Candles: 6, Coverage: 100 }

/** The names of series that are counted: a service may have millions. */
const counted = 100_000

export const make = (known: Layout.Known, wanted: Wanted) => {
  let layout: Layout.Layout | undefined
  const seen = { records: 0, left: 0 }
  const names = new Set<string>()
  const lines = new Map<string, Chart.LineCollector>()
  const markets = new Map<string, Chart.Collector<Chart.Candle, Chart.Market>>()
  const rows = new Map<string, ReturnType<typeof Ranges.make>>()

  /** What collects a series; nothing where there are too many. */
  const at = <A>(all: Map<string, A>, name: string, limit: number, begin: () => A): A | undefined => {
    const found = all.get(name)
    if (found !== undefined) return found
    if (names.size < counted) names.add(name)
    if (all.size >= limit) return undefined
    const begun = begin()
    all.set(name, begun)
    return begun
  }
  const drawable = (value: unknown) => {
    const number = Layout.numberOf(value)
    if (number === undefined || !wanted.isLog || number > 0) return number
    seen.left += 1
    return undefined
  }
  const take = (found: Layout.Layout, row: Layout.Row) => {
    if (found._tag === "Coverage") {
      for (const { name, ...range } of Layout.coveredBy(row)) {
        at(rows, harmless(name), most.Coverage, Ranges.make)?.add(range)
      }
      return
    }
    const time = Layout.millisOf(row[found.time])
    if (time === undefined) return
    const name = harmless(found.names.flatMap((field) => textOf(row, field) ?? []).join(" "))
    if (found._tag === "Candles") {
      const [open, close, high, low] = Layout.prices.map((price) => drawable(row[price]))
      if (open === undefined || close === undefined || high === undefined || low === undefined) return
      at(markets, name, most.Candles, () => Chart.market(name))?.add({ at: time, open, close, high, low })
      return
    }
    for (const field of found.fields) {
      const value = drawable(row[field])
      const own = found.fields.length === 1 ? name : `${name} ${harmless(field)}`.trim()
      if (value === undefined) lines.get(own)?.skip(time)
      else at(lines, own, most.Lines, () => Chart.line(own))?.add({ at: time, value })
    }
  }

  return {
    see: (batch: ReadonlyArray<unknown>) =>
      Result.gen(function* () {
        const objects = batch.filter(Predicate.isObject) as ReadonlyArray<Layout.Row>
        if (objects.length === 0) return
        layout ??= yield* Layout.of(objects, known, wanted.fields)
        seen.records += objects.length
        for (const row of objects) take(layout, row)
      }),
    end: (title: string): Collected => {
      const chart = chartOf(layout, title)
      const isEmpty = chart === undefined || Chart.timesOf(chart) === undefined
      return { chart: isEmpty ? undefined : chart, ...seen, others: names.size - lines.size - markets.size - rows.size }
    }
  }

  function chartOf(found: Layout.Layout | undefined, title: string): Chart.Chart | undefined {
    if (found === undefined) return undefined
    const { isLog } = wanted
    if (found._tag === "Coverage") {
      const shared = sharedBy([...rows.keys()])
      const named = [...rows].map(([name, ranges]) => ({ name: name.slice(shared.length), ...ranges.end() }))
      return { _tag: "Coverage", title: [title, ...(shared === "" ? [] : [shared.trim()])].join("  "), rows: named }
    }
    const all = found._tag === "Lines" ? [...lines.values()].map((one) => one.end()) : []
    const candles = found._tag === "Candles" ? [...markets.values()].map((one) => one.end()) : []
    const [only, ...more] = [...all, ...candles]
    // What a single series is of stands in the title, and otherwise in the legend.
    const of = found._tag === "Lines" && found.fields.length === 1 ? found.fields.map(harmless) : []
    const words = [title, ...(more.length === 0 && only !== undefined && only.name !== "" ? [only.name] : []), ...of]
    const named = words.join("  ")
    return found._tag === "Lines"
      ? { _tag: "Lines", title: named, isLog, lines: all }
      : { _tag: "Candles", title: named, isLog, markets: candles }
  }
}

/** The words with which all names begin, and a blank behind them; none of one name alone. */
const sharedBy = ([first = "", ...others]: ReadonlyArray<string>): string => {
  const starts = [...first.matchAll(/ /g)].map(({ index }) => first.slice(0, index + 1))
  return (others.length > 0 && starts.findLast((start) => others.every((name) => name.startsWith(start)))) || ""
}
