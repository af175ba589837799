/** Metrics of assets over time. Source: docs/interface.md 4.6.2 and 3.12. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { frequencies, id, integer, struct, text } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { Timestamp } from "../../Timestamp.ts"
import * as Metrics from "./Metrics.ts"
import type { MetricColumns, MetricInput, MetricRequest } from "./MetricSeries.ts"

/** Extra keys of the frequency `1b`, one record per block; of others, absent. */
export interface Block {
  /** Hash of the block. */
  readonly block_hash?: string | null
  /** Hash of the block before. */
  readonly parent_block_hash?: string | null
  /** Block height, as text. */
  readonly height?: string | null
}

/**
 * One asset at one time, with exactly the requested metrics as columns.
 *
 * **Details**
 *
 * A metric without a value is `null` or absent: texts of the service name both. Absent too is one that is not supported for that
 * asset and frequency, so a record does not tell the two apart; the catalog does. Reviewable metrics bring
 * `<metric>-status` and `<metric>-status-time`. `time` has nine fractional digits and is the beginning of the interval; for
 * `ReferenceRate` metrics it is the point in time itself.
 */
export type AssetMetric<M extends MetricInput, Frequency extends string = "1d"> = {
  /** Ticker of the asset. */
  readonly asset: string
  /** The moment of the record, to the nanosecond. */
  readonly time: Timestamp
} & MetricColumns<M> &
  ("1b" extends Frequency ? Block : unknown)

/** Parameters of {@link assetMetrics}. Source: docs/interface.md 4.6.2. */
export const AssetMetricsParams = Schema.Struct({
  /** Asset tickers; `*` for all that are supported. */
  assets: Params.entities(Params.requiredList, "asset"),
  /** MetricIDs, or constants that carry one. */
  metrics: Params.columns(Params.requiredIdentified),
  /**
   * Sampling frequency, `1d` when absent; which exist follows from the metric: `Discover.metrics` and `sluice metrics <asset>`
   * list them. `1b` gives one record per block.
   */
  frequency: Params.frequency([...frequencies, "1d-ny-midday"]),
  /** Which revisions of reviewable metrics to read; all when absent. */
  status: Params.oneOf(["all", "flash", "reviewed", "revised"]),
  ...Params.timeRange,
  /** Earliest time; the first available when absent. Excludes `start_height` and `start_hash`. */
  start_time: Params.startTime,
  /**
   * Latest time; the last available when absent. Excludes `end_height` and `end_hash`. A date without a time is its whole
   * day.
   */
  end_time: Params.endTime,
  /** Lowest block, for `1b`. */
  start_height: Params.startHeight,
  /** Highest block, for `1b`; not offered at the community root. */
  end_height: Params.paidOnly(Params.endHeight),
  /** First block by its hash, for `1b`. */
  start_hash: Params.startHash,
  /** Last block by its hash, for `1b`. */
  end_hash: Params.endHash,
  /** Blocks behind the tip, 0 to 99, for `1b`; 2 for btc and 99 for eth when absent. */
  min_confirmations: Params.integer(0, 99),
  /** Order of records: by asset and time when absent, by asset and height for `1b`. */
  sort: Params.sort(["asset", "height", "time"]),
  /**
   * Keeps the latest so many records of each asset, or with `paging_from: "start"` the earliest. A json_stream is taken to have
   * the earliest too.
   */
  limit_per_asset: Params.limitPer,
  /** Writes zero where a value is null. */
  null_as_zero: Params.detail(Params.boolean),
  ...Params.leniency,
  ...Params.paging,
  ...Params.format
}).check(
  Params.atMostOne("start_time", "start_height", "start_hash"),
  Params.atMostOne("end_time", "end_height", "end_hash")
)
export interface AssetMetricsParams extends Schema.Schema.Type<typeof AssetMetricsParams> {}

/** Parameters with the metrics and the frequency kept as literals, for the record type. */
export type AssetMetricsRequest<M extends MetricInput, Frequency extends string> = MetricRequest<
  Omit<AssetMetricsParams, "frequency">,
  M
> & {
  /** Sampling frequency, `1d` when absent; which exist follows from the metric. `1b` gives one record per block. */
  readonly frequency?: Frequency | undefined
}

/** {@link assetMetrics}: the record type follows from `metrics` and `frequency`. */
export interface AssetMetrics extends Endpoint.Info {
  <const M extends MetricInput, const Frequency extends string = "1d">(
    params: AssetMetricsRequest<M, Frequency>,
    options?: Endpoint.CallOptions
  ): Endpoint.Records<AssetMetric<M, Frequency>>
  /** Reads the same records page by page. */
  readonly pages: <const M extends MetricInput, const Frequency extends string = "1d">(
    params: Omit<AssetMetricsRequest<M, Frequency>, "format">,
    options?: Endpoint.CallOptions
  ) => Endpoint.Pages<AssetMetric<M, Frequency>>
}

/**
 * Reads metrics of assets over time.
 *
 * **When to use**
 *
 * For a bulk download name the assets and make one call for each: their streams run side by side. Give `start_time` and
 * `end_time` where you can, and `format: "json_stream"` to read a long interval in one request.
 *
 * **Details**
 *
 * Ordered by asset, then time, ascending: Sluice asks for `paging_from=start`, since the service would begin at the end.
 * With `paging_from: "end"` the stream is newest first throughout.
 *
 * Source: docs/interface.md 4.6.2.
 */
export const assetMetrics: AssetMetrics = Endpoint.makeDependent("/timeseries/asset-metrics", {
  section: "4.6",
  order: "series",
  params: AssetMetricsParams,
  dependsOn: ["metrics", "frequency"],
  record: ({ metrics, frequency }) => recordOf(Params.items(metrics), frequency === "1b")
})

const recordOf = (metrics: ReadonlyArray<string>, isBlock: boolean): Schema.Codec<unknown> => {
  return struct({
    ...Metrics.fieldsOf(metrics),
    ...(isBlock ? { block_hash: text, parent_block_hash: text, height: integer } : {}),
    asset: id,
    time: Timestamp
  })
}
