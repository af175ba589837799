import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { flag, id, text, word } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"

/**
 * What a metric is: one shape for the metrics of assets, exchanges, exchange-assets, pairs, institutions and markets.
 * Source: docs/interface.md 3.6.
 */
export const Metric = Schema.Struct({
  /** Metric name, such as `PriceUSD`; valid in `metrics` of the time series. */
  metric: id,
  /** Name for people, such as `Price, USD`. */
  full_name: text,
  /** What the metric measures. */
  description: text,
  /** Associated product; the words of this and the next three are those seen so far. Absent from `/catalog/metrics`. */
  product: word(["Market Data", "Network Data"]),
  /** Group of the metric, such as `Market`. */
  category: word([
    "Addresses",
    "Basis",
    "Institutions",
    "Liquidations",
    "Market",
    "Open Interest",
    "Volatility",
    "Volume"
  ]),
  /** Smaller group within the category, such as `Price`. */
  subcategory: word(["Active", "Future", "Futures", "Implied", "Investment Products", "Price"]),
  /** Unit of the values. */
  unit: word(["Addresses", "Dimensionless", "Native Units", "Transactions", "Transfers", "USD"]),
  /**
   * `bigint`: an integer from -9223372036854775808 to 9223372036854775807. `decimal`: up to 131,072 digits before the
   * point and 16,383 after.
   */
  data_type: word(["bigint", "decimal"]),
  /** Kind of metric; prices are of type `NA`. */
  type: word(["Sum", "Ratio", "Percentage", "NA"]),
  /** Whether people review the values: then series carry `<metric>-status` and `<metric>-status-time`. */
  reviewable: flag,
  /** A more detailed name. */
  display_name: text,
  /** True while collection is under development; temporary discrepancies are possible. */
  experimental: flag,
  /** Address of the snapshots of what the metric is made of. */
  constituent_snapshots_url: text,
  /** Address of the times for which each constituent was one. */
  constituent_timeframes_url: text,
  /** Address of the service's page on the metric. */
  docs_url: text
})
export interface Metric extends Schema.Schema.Type<typeof Metric> {}

/** Parameters of the endpoints below, one shape for all kinds of metrics. */
export const MetricsParams = Schema.Struct({
  /** Metric names; all metrics when absent. */
  metrics: Params.entities(Params.list),
  ...Params.paging,
  ...Params.format
})
export interface MetricsParams extends Schema.Schema.Type<typeof MetricsParams> {}

/** Parameters of {@link assetMetrics}. */
export const AssetMetricsParams = Schema.Struct({
  ...MetricsParams.fields,
  /** Keeps the metrics people review, or those they do not. */
  reviewable: Params.boolean
})
export interface AssetMetricsParams extends Schema.Schema.Type<typeof AssetMetricsParams> {}

/** Lists the metrics of assets, all unless filtered. Source: docs/interface.md 4.1. */
export const assetMetrics: Endpoint.Endpoint<AssetMetricsParams, Metric> = Endpoint.make(
  "/reference-data/asset-metrics",
  { section: "4.1", params: AssetMetricsParams, record: Metric }
)

/** Lists the metrics of exchanges, all unless filtered. Source: docs/interface.md 4.1. */
export const exchangeMetrics: Endpoint.Endpoint<MetricsParams, Metric> = Endpoint.make(
  "/reference-data/exchange-metrics",
  { section: "4.1", params: MetricsParams, record: Metric }
)

/** Lists the metrics of an asset at an exchange, all unless filtered. Source: docs/interface.md 4.1. */
export const exchangeAssetMetrics: Endpoint.Endpoint<MetricsParams, Metric> = Endpoint.make(
  "/reference-data/exchange-asset-metrics",
  { section: "4.1", params: MetricsParams, record: Metric }
)

/** Lists the metrics of a pair at an exchange, all unless filtered. Source: docs/interface.md 4.1. */
export const exchangePairMetrics: Endpoint.Endpoint<MetricsParams, Metric> = Endpoint.make(
  "/reference-data/exchange-pair-metrics",
  { section: "4.1", params: MetricsParams, record: Metric }
)

/** Lists the metrics of pairs, all unless filtered. Source: docs/interface.md 4.1. */
export const pairMetrics: Endpoint.Endpoint<MetricsParams, Metric> = Endpoint.make("/reference-data/pair-metrics", {
  section: "4.1",
  params: MetricsParams,
  record: Metric
})

/** Lists the metrics of institutions, all unless filtered. Source: docs/interface.md 4.1. */
export const institutionMetrics: Endpoint.Endpoint<MetricsParams, Metric> = Endpoint.make(
  "/reference-data/institution-metrics",
  { section: "4.1", params: MetricsParams, record: Metric }
)

/** Lists the metrics of markets, all unless filtered. Source: docs/interface.md 4.1. */
export const marketMetrics: Endpoint.Endpoint<MetricsParams, Metric> = Endpoint.make("/reference-data/market-metrics", {
  section: "4.1",
  params: MetricsParams,
  record: Metric
})
