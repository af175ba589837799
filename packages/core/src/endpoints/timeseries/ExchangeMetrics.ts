/** Metrics of exchanges, and of the assets and pairs on them. Source: docs/interface.md 4.6.3 and 3.12. */
import * as Schema from "effect/Schema"
import * as Params from "../../Params.ts"
import type { Timestamp } from "../../Timestamp.ts"
import * as Metrics from "./Metrics.ts"
import type { MetricSeries } from "./MetricSeries.ts"

/** Parameters of {@link exchangeMetrics}. Source: docs/interface.md 4.6.3. */
export const ExchangeMetricsParams = Schema.Struct({
  /** Exchanges; `*` for all. */
  exchanges: Params.entities(Params.requiredList, "exchange"),
  ...Metrics.params,
  /** Interval between two values, `1d` when absent; which exist follows from the metric. */
  frequency: Params.frequency(["1h", "1d"]),
  /** Order of records: by exchange and time when absent. */
  sort: Params.sort(["exchange", "time"]),
  /** Keeps the latest so many records of each exchange, or with `paging_from: "start"` the earliest. */
  limit_per_exchange: Params.limitPer
})
export interface ExchangeMetricsParams extends Schema.Schema.Type<typeof ExchangeMetricsParams> {}

/** An exchange at a time; the requested metrics are its columns. */
export interface ExchangeMetricKey {
  /** The exchange, such as `coinbase`. */
  readonly exchange: string
  /** Start of the interval, with nine fractional digits. */
  readonly time: Timestamp
}

/**
 * Reads metrics of exchanges over time.
 *
 * **Gotchas**
 *
 * Read in pages: the service offers no json_stream here.
 *
 * Source: docs/interface.md 4.6.3.
 */
export const exchangeMetrics: MetricSeries<ExchangeMetricsParams, ExchangeMetricKey> = Metrics.make(
  "/timeseries/exchange-metrics",
  ExchangeMetricsParams,
  "exchange"
)

/** Parameters of {@link exchangeAssetMetrics}. Source: docs/interface.md 4.6.3. */
export const ExchangeAssetMetricsParams = Schema.Struct({
  /** Assets of an exchange, such as `coinbase-btc`; `*` for any characters, as in `coinbase-*`. */
  exchange_assets: Params.entities(Params.requiredList, "exchange_asset"),
  ...Metrics.params,
  /** Interval between two values, `1d` when absent; which exist follows from the metric. */
  frequency: Params.frequency(["5m", "1h", "1d"]),
  /** Order of records: by exchange_asset and time when absent. */
  sort: Params.sort(["exchange_asset", "time"]),
  /**
   * Keeps the latest so many records of each exchange_asset, or with `paging_from: "start"` the earliest. A json_stream is taken
   * to have the earliest too.
   */
  limit_per_exchange_asset: Params.limitPer,
  ...Params.format
})
export interface ExchangeAssetMetricsParams extends Schema.Schema.Type<typeof ExchangeAssetMetricsParams> {}

/** An asset of an exchange at a time; the requested metrics are its columns. */
export interface ExchangeAssetMetricKey {
  /** The exchange and the asset, such as `coinbase-btc`. */
  readonly exchange_asset: string
  /** Start of the interval, with nine fractional digits. */
  readonly time: Timestamp
}

/** Reads metrics of the assets of exchanges over time. Source: docs/interface.md 4.6.3. */
export const exchangeAssetMetrics: MetricSeries<ExchangeAssetMetricsParams, ExchangeAssetMetricKey> = Metrics.make(
  "/timeseries/exchange-asset-metrics",
  ExchangeAssetMetricsParams,
  "exchange_asset"
)

/** Parameters of {@link exchangePairMetrics}. Source: docs/interface.md 4.6.3. */
export const ExchangePairMetricsParams = Schema.Struct({
  /** Pairs of an exchange, such as `coinbase-btc-usd`; `*` for any characters, as in `coinbase-*`. */
  exchange_pairs: Params.entities(Params.requiredList, "exchange_pair"),
  ...Metrics.params,
  /** Interval between two values, `1d` when absent; which exist follows from the metric. */
  frequency: Params.frequency(["1h", "1d"]),
  /**
   * Keeps the latest so many records of each exchange_pair, or with `paging_from: "start"` the earliest. A json_stream is taken
   * to have the earliest too.
   */
  limit_per_exchange_pair: Params.limitPer,
  ...Params.format
})
export interface ExchangePairMetricsParams extends Schema.Schema.Type<typeof ExchangePairMetricsParams> {}

/** A pair of an exchange at a time; the requested metrics are its columns. */
export interface ExchangePairMetricKey {
  /** The exchange and the pair, such as `coinbase-btc-usd`. */
  readonly exchange_pair: string
  /** Start of the interval, with nine fractional digits. */
  readonly time: Timestamp
}

/** Reads metrics of the pairs of exchanges over time. Source: docs/interface.md 4.6.3. */
export const exchangePairMetrics: MetricSeries<ExchangePairMetricsParams, ExchangePairMetricKey> = Metrics.make(
  "/timeseries/exchange-pair-metrics",
  ExchangePairMetricsParams,
  "exchange_pair"
)
