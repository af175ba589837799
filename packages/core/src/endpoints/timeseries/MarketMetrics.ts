/** Metrics of markets. Source: docs/interface.md 4.6.3 and 3.12. */
import * as Schema from "effect/Schema"
import * as Params from "../../Params.ts"
import type { Timestamp } from "../../Timestamp.ts"
import * as Metrics from "./Metrics.ts"
import type { MetricSeries } from "./MetricSeries.ts"

/** Parameters of {@link marketMetrics}. Source: docs/interface.md 4.6.3. */
export const MarketMetricsParams = Schema.Struct({
  /** Markets; `*` stands for any characters, as in `binance-*-spot`. A list of names is read faster than a pattern. */
  markets: Params.entities(Params.requiredList, "market"),
  ...Metrics.params,
  /** Interval between two values, `1d` when absent; which exist follows from the metric. */
  frequency: Params.frequency(["1m", "5m", "1h", "1d"]),
  /** Order of records: by market and time when absent. */
  sort: Params.sort(["market", "time"]),
  /**
   * Keeps the latest so many records of each market, or with `paging_from: "start"` the earliest. A json_stream is taken to have
   * the earliest too.
   */
  limit_per_market: Params.limitPer,
  ...Params.leniency,
  ...Params.format
})
export interface MarketMetricsParams extends Schema.Schema.Type<typeof MarketMetricsParams> {}

/** A market at a time; the requested metrics are its columns. */
export interface MarketMetricKey {
  /** The market, such as `coinbase-btc-usd-spot`. */
  readonly market: string
  /** Start of the interval, with nine fractional digits. */
  readonly time: Timestamp
}

/** Reads metrics of markets over time. Source: docs/interface.md 4.6.3. */
export const marketMetrics: MetricSeries<MarketMetricsParams, MarketMetricKey> = Metrics.make(
  "/timeseries/market-metrics",
  MarketMetricsParams,
  "market"
)
