/**
 * The metrics of assets, with the very spans that `/timeseries/asset-metrics` serves.
 */
import type { Asset } from "./Assets.ts"
import * as Assets from "./Assets.ts"
import * as Blocks from "./Blocks.ts"
import { TODAY } from "../internal/time/Calendar.ts"
import type { Holder } from "./Coverage.ts"
import * as Frequency from "./Frequency.ts"
import * as Metrics from "./Metrics.ts"
import * as Series from "./Series.ts"
import * as Span from "./Span.ts"

const entry = (asset: Asset, metric: Metrics.Metric, frequency: string): ReadonlyArray<Span.Entry> => {
  if (!Series.supports(metric, asset, frequency)) return []
  const grid = Frequency.find(frequency)
  const columns: Series.Columns = { metrics: [metric], status: "all", nullAsZero: false, noValue: "null" }
  const rows = grid === undefined ? Series.blocks(asset, columns, undefined, "time") : Series.grid(asset, grid, columns)
  const { first, last } = rows.bounds
  if (first > last) return []
  const timeAt = (n: number) => (grid === undefined ? Blocks.timeAt(asset, n) : grid.at(n))
  return [
    {
      frequency,
      ...Span.times({ from: timeAt(first), to: timeAt(last) }),
      ...(grid === undefined
        ? {
            min_height: String(first),
            max_height: String(last),
            min_hash: Blocks.hash(asset, first),
            max_hash: Blocks.hash(asset, last)
          }
        : {}),
      ...(metric.community && frequency === "1d" ? { community: true } : {})
    }
  ]
}

const entriesOf = (asset: Asset, name: string): ReadonlyArray<Span.Entry> => {
  const metric = Metrics.find(name)
  return metric === undefined ? [] : metric.frequencies.flatMap((frequency) => entry(asset, metric, frequency))
}

const holder = (asset: Asset): Holder => {
  // A catalog asks for all metrics of all assets on every page.
  const written = new Map<string, ReadonlyArray<Span.Entry>>()
  return {
    id: asset.asset,
    series: "/timeseries/asset-metrics",
    span: { from: asset.start, to: TODAY },
    entries: (name) => {
      const entries = written.get(name) ?? entriesOf(asset, name)
      if (entries.length > 0) written.set(name, entries)
      return entries
    }
  }
}

/** Every asset as the holder of its metrics, ordered by ticker. */
export const all: ReadonlyArray<Holder> = Assets.all.map(holder)

const byAsset = new Map(all.map((holder) => [holder.id, holder]))

/** Finds the metrics of an asset. */
export const of = (asset: Asset): Holder => byAsset.get(asset.asset) ?? holder(asset)
