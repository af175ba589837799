/**
 * The kinds of metrics, each with what holds them: read one way for `/catalog/assets`, the other for
 * `/catalog/asset-metrics`.
 */
import * as Caller from "../../internal/request/Caller.ts"
import * as AssetCoverage from "../../data/AssetCoverage.ts"
import * as Coverage from "../../data/Coverage.ts"
import * as Listings from "../../data/Listings.ts"
import * as Metrics from "../../data/Metrics.ts"
import * as OtherMetrics from "../../data/OtherMetrics.ts"
import * as Seen from "../../data/Seen.ts"
import type { Entry } from "../../data/Span.ts"
import type { View } from "../../internal/history/History.ts"
import * as MetricRecord from "../MetricRecord.ts"

/** One kind of metrics. */
export interface Kind {
  /** The list of a frequency that names the holders. */
  readonly list: "assets" | "exchanges" | "exchange_assets" | "exchange_pairs" | "pairs" | "institutions"
  readonly metrics: ReadonlyArray<OtherMetrics.MetricRecord>
  readonly holders: (view: View | undefined) => ReadonlyArray<Coverage.Holder>
}

/** Metrics of assets. */
export const asset: Kind = {
  list: "assets",
  metrics: Metrics.all.map(MetricRecord.of),
  holders: (view) => (view === undefined ? AssetCoverage.all : Listings.assets(view).all().map(AssetCoverage.of))
}

/** Metrics of exchanges. */
export const exchange: Kind = { list: "exchanges", metrics: OtherMetrics.exchange, holders: Coverage.exchanges }

/** Metrics of one asset on one exchange. */
export const exchangeAsset: Kind = {
  list: "exchange_assets",
  metrics: OtherMetrics.exchangeAsset,
  holders: Coverage.exchangeAssets
}

/** Metrics of one pair on one exchange. */
export const exchangePair: Kind = {
  list: "exchange_pairs",
  metrics: OtherMetrics.exchangePair,
  holders: Coverage.exchangePairs
}

/** Metrics of pairs. */
export const pair: Kind = { list: "pairs", metrics: OtherMetrics.pair, holders: Coverage.pairs }

/** Metrics of institutions. */
export const institution: Kind = {
  list: "institutions",
  metrics: OtherMetrics.institution,
  holders: () => Coverage.institutions
}

// Only metrics of assets are marked as community data or not; of the others, the community root shows what is daily.
const readable = (holder: Coverage.Holder, metric: string, caller: Caller.Caller): ReadonlyArray<Entry> => {
  const community = Metrics.find(metric)?.community ?? true
  const own = holder.entries(metric).filter(({ frequency }) => Caller.mayRead(caller, { metric, community }, frequency))
  return Seen.entries(caller.view, { series: holder.series, entity: holder.id, metric }, own)
}

/** Lists the metrics of a holder that a caller may read. */
export const metricsOf = (
  holder: Coverage.Holder,
  metrics: ReadonlyArray<OtherMetrics.MetricRecord>,
  caller: Caller.Caller
): ReadonlyArray<{ readonly metric: string; readonly frequencies: ReadonlyArray<Entry> }> =>
  metrics
    .map(({ metric }) => ({ metric, frequencies: readable(holder, metric, caller) }))
    .filter(({ frequencies }) => frequencies.length > 0)

/** Tells whether a caller may read any metric of a holder. */
export const hasAny = (
  holder: Coverage.Holder,
  metrics: ReadonlyArray<OtherMetrics.MetricRecord>,
  caller: Caller.Caller
): boolean => metrics.some(({ metric }) => readable(holder, metric, caller).length > 0)

/** Lists the frequencies of a metric that a caller may read, each with its holders. */
export const frequenciesOf = (
  { holders, list }: Kind,
  metric: string,
  caller: Caller.Caller
): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const found = new Map<string, Array<string>>()
  for (const holder of holders(caller.view)) {
    for (const { frequency } of readable(holder, metric, caller)) {
      const ids = found.get(frequency)
      if (ids === undefined) found.set(frequency, [holder.id])
      else ids.push(holder.id)
    }
  }
  return [...found].map(([frequency, ids]) => ({ frequency, [list]: ids }))
}
