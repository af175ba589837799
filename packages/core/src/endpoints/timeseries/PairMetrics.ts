/** Metrics of pairs of assets. Source: docs/interface.md 4.6.3 and 3.12. */
import * as Schema from "effect/Schema"
import * as Params from "../../Params.ts"
import type { Timestamp } from "../../Timestamp.ts"
import * as Metrics from "./Metrics.ts"
import type { MetricSeries } from "./MetricSeries.ts"

/** Parameters of {@link pairMetrics}. Source: docs/interface.md 4.6.3. */
export const PairMetricsParams = Schema.Struct({
  /** Pairs as `<base>-<quote>`; `*` for any characters, as in `btc-*`. */
  pairs: Params.entities(Params.requiredList, "pair"),
  ...Metrics.params,
  /** Interval between two values, `1d` when absent; which exist follows from the metric. */
  frequency: Params.frequency(["1h", "1d"]),
  /** Order of records: by pair and time when absent. */
  sort: Params.sort(["pair", "time"]),
  /** Keeps the latest so many records of each pair, or with `paging_from: "start"` the earliest. */
  limit_per_pair: Params.limitPer
})
export interface PairMetricsParams extends Schema.Schema.Type<typeof PairMetricsParams> {}

/** A pair of assets at a time; the requested metrics are its columns. */
export interface PairMetricKey {
  /** The pair, such as `btc-usd`. */
  readonly pair: string
  /** Start of the interval, with nine fractional digits. */
  readonly time: Timestamp
}

/**
 * Reads metrics of pairs of assets over time.
 *
 * **Gotchas**
 *
 * Read in pages: the service offers no json_stream here.
 *
 * Source: docs/interface.md 4.6.3.
 */
export const pairMetrics: MetricSeries<PairMetricsParams, PairMetricKey> = Metrics.make(
  "/timeseries/pair-metrics",
  PairMetricsParams,
  "pair"
)
