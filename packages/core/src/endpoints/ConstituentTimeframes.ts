/**
 * From when to when a metric was made of what. Source: docs/interface.md 4.10; records in 3.15.
 *
 * Read in pages: the service offers no json_stream here.
 */
import * as Schema from "effect/Schema"
import * as Endpoint from "../Endpoint.ts"
import { timestamp } from "../internal/wire/fields.ts"
import * as Params from "../Params.ts"
import { Timestamp } from "../Timestamp.ts"

/**
 * The constituents of a metric over one stretch of time.
 *
 * **Details**
 *
 * Beside the two times there is one field per constituent, with a text of the service or null. Which there are follows
 * from the metric and the times. A field with anything else fails as `Decode`: nobody could tell a field that is new
 * from a constituent.
 *
 * Source: docs/interface.md 3.15.
 */
export const Timeframe = Schema.StructWithRest(
  Schema.Struct({
    /** From when these were the constituents. */
    start_time: Timestamp,
    /** Until when; absent while they still are. */
    end_time: timestamp
  }),
  [Schema.Record(Schema.String, Schema.NullOr(Schema.String))]
)
export type Timeframe = Schema.Schema.Type<typeof Timeframe>

/** Parameters of {@link assetMetrics}. */
export const AssetMetricsParams = Schema.Struct({
  /** The MetricID, of an asset metric that has `constituent_timeframes_url` in the reference data. */
  metric: Params.requiredString,
  /** Constituents to keep; all when absent. */
  constituents: Params.list,
  /** Earliest time; the first available when absent. */
  start_time: Params.startTime,
  /** Latest time; the last available when absent. */
  end_time: Params.endTime,
  ...Params.paging
})
export interface AssetMetricsParams extends Schema.Schema.Type<typeof AssetMetricsParams> {}

/**
 * Reads the constituents of an asset metric, one record per stretch of time. Source: docs/interface.md 4.10.
 */
export const assetMetrics: Endpoint.Endpoint<AssetMetricsParams, Timeframe> = Endpoint.make(
  "/constituent-timeframes/asset-metrics",
  { section: "4.10", order: "series", params: AssetMetricsParams, record: Timeframe }
)
