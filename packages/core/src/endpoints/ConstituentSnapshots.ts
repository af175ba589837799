/**
 * What a metric was made of at one moment. Source: docs/interface.md 4.10; records in 3.15.
 *
 * Read in pages: the service offers no json_stream here.
 */
import * as Schema from "effect/Schema"
import * as Endpoint from "../Endpoint.ts"
import { text } from "../internal/wire/fields.ts"
import * as Params from "../Params.ts"
import { Timestamp } from "../Timestamp.ts"

/**
 * One constituent of a metric at one time: `time` and the field of its kind.
 *
 * **Details**
 *
 * Only `exchange` is published as a kind; the other three are assumed. A field of another kind stays in the record, but no table
 * has a column for it.
 *
 * Source: docs/interface.md 3.15.
 */
export const Snapshot = Schema.Struct({
  /** When the constituents were listed. A time has one record for each constituent, in no order. */
  time: Timestamp,
  /** The exchange, where the metric is made of exchanges. */
  exchange: text,
  /** The market, where the metric is made of markets. */
  market: text,
  /** The asset, where the metric is made of assets. */
  asset: text,
  /** The pair, where the metric is made of pairs. */
  pair: text
})
export interface Snapshot extends Schema.Schema.Type<typeof Snapshot> {}

/** Parameters of {@link assetMetrics}. */
export const AssetMetricsParams = Schema.Struct({
  /** The MetricID, of an asset metric that has `constituent_snapshots_url` in the reference data. */
  metric: Params.requiredString,
  /** One time, or `now`, as without any time. Excludes `start_time` and `end_time`. */
  at_time: Params.string,
  /** Earliest time, included; the first available when only `end_time` is given. */
  start_time: Params.startTime,
  /** Latest time, included; the last available when only `start_time` is given. A date is its whole day. */
  end_time: Params.endTime,
  ...Params.paging
}).check(Params.atMostOne("at_time", "start_time"), Params.atMostOne("at_time", "end_time"))
export interface AssetMetricsParams extends Schema.Schema.Type<typeof AssetMetricsParams> {}

/**
 * Reads the constituents of an asset metric, one record for each constituent and time. Source: docs/interface.md 4.10.
 */
export const assetMetrics: Endpoint.Endpoint<AssetMetricsParams, Snapshot> = Endpoint.make(
  "/constituent-snapshots/asset-metrics",
  { section: "4.10", order: "series", identity: [], params: AssetMetricsParams, record: Snapshot }
)
