/**
 * What a metric was made of at one moment. Source: docs/interface.md 4.10; records in 3.15.
 *
 * Read in pages: the service offers no json_stream here.
 */
import * as Schema from "effect/Schema"
import * as Endpoint from "../Endpoint.ts"
import * as Params from "../Params.ts"
import { Timestamp } from "../Timestamp.ts"

/**
 * The constituents of a metric at one time.
 *
 * **Details**
 *
 * Beside `time` there is one field per constituent, with a text of the service or null. Which there are follows from
 * the metric and the time. A field with anything else fails as `Decode`: nobody could tell a field that is new from a
 * constituent.
 *
 * Source: docs/interface.md 3.15.
 */
export const Snapshot = Schema.StructWithRest(
  Schema.Struct({
    /** The moment at which these were the constituents. */
    time: Timestamp
  }),
  [Schema.Record(Schema.String, Schema.NullOr(Schema.String))]
)
export type Snapshot = Schema.Schema.Type<typeof Snapshot>

/** Parameters of {@link assetMetrics}. */
export const AssetMetricsParams = Schema.Struct({
  /** The MetricID, of an asset metric that has `constituent_snapshots_url` in the reference data. */
  metric: Params.requiredString,
  /** One time, or `now`. Excludes `start_time` and `end_time`. */
  at_time: Params.string,
  /** Earliest time; the first available when absent. */
  start_time: Params.startTime,
  /** Latest time; the last available when absent. */
  end_time: Params.endTime,
  ...Params.paging
}).check(Params.atMostOne("at_time", "start_time"), Params.atMostOne("at_time", "end_time"))
export interface AssetMetricsParams extends Schema.Schema.Type<typeof AssetMetricsParams> {}

/**
 * Reads the constituents of an asset metric, one record per time at which they changed. Source: docs/interface.md 4.10.
 */
export const assetMetrics: Endpoint.Endpoint<AssetMetricsParams, Snapshot> = Endpoint.make(
  "/constituent-snapshots/asset-metrics",
  { section: "4.10", order: "series", params: AssetMetricsParams, record: Snapshot }
)
