/**
 * From when to when a metric was made of what. Source: docs/interface.md 4.10; records in 3.15.
 *
 * Read in pages: the service offers no json_stream here.
 */
import * as Schema from "effect/Schema"
import * as Endpoint from "../Endpoint.ts"
import { text, timestamp } from "../internal/wire/fields.ts"
import * as Params from "../Params.ts"
import { Timestamp } from "../Timestamp.ts"

/**
 * How long one constituent was one: the field of its kind, and two times.
 *
 * **Details**
 *
 * Only `exchange` is published as a kind; the other three are assumed. A field of another kind stays in the record, but no table
 * has a column for it.
 *
 * Source: docs/interface.md 3.15.
 */
export const Timeframe = Schema.Struct({
  /** The exchange, where the metric is made of exchanges. */
  exchange: text,
  /** The market, where the metric is made of markets. */
  market: text,
  /** The asset, where the metric is made of assets. */
  asset: text,
  /** The pair, where the metric is made of pairs. */
  pair: text,
  /** Since when. */
  start_time: Timestamp,
  /** Until when; null while it still is one. */
  end_time: timestamp
})
export interface Timeframe extends Schema.Schema.Type<typeof Timeframe> {}

/** Parameters of {@link assetMetrics}. */
export const AssetMetricsParams = Schema.Struct({
  /** The MetricID, of an asset metric that has `constituent_timeframes_url` in the reference data. */
  metric: Params.requiredString,
  /** Constituents to keep; all when absent. */
  constituents: Params.list,
  /** Earliest time, included; the first available when absent. */
  start_time: Params.startTime,
  /** Latest time, included; the last available when absent. A date is its whole day. */
  end_time: Params.endTime,
  ...Params.paging
})
export interface AssetMetricsParams extends Schema.Schema.Type<typeof AssetMetricsParams> {}

/**
 * Reads the constituents of an asset metric, one record for each constituent and stretch of time. The service sends them by their
 * start or with the newest first, so rely on no order. Source: docs/interface.md 4.10.
 */
export const assetMetrics: Endpoint.Endpoint<AssetMetricsParams, Timeframe> = Endpoint.make(
  "/constituent-timeframes/asset-metrics",
  { section: "4.10", order: "series", identity: [], params: AssetMetricsParams, record: Timeframe }
)
