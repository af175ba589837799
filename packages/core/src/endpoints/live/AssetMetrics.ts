/** Metrics of assets as they are published. Source: docs/interface.md 6.2 and 6.4. */
import * as Schema from "effect/Schema"
import { id, integer, number, struct, text } from "../../internal/wire/fields.ts"
import * as LiveEndpoint from "../../LiveEndpoint.ts"
import * as Params from "../../Params.ts"
import { Timestamp } from "../../Timestamp.ts"
import * as History from "../timeseries/AssetMetrics.ts"
import * as Metrics from "../timeseries/Metrics.ts"
import type { MetricColumns, MetricInput, MetricRequest } from "../timeseries/MetricSeries.ts"
import * as LiveSeries from "./LiveSeries.ts"

/** Extra keys of the frequency `1b`, one record per block; of others, absent. HTTP has `block_hash` for `hash`. */
export interface LiveBlock {
  /** `new_block`. */
  readonly type?: string | null
  /** Hash of the block. */
  readonly hash?: string | null
  /** Hash of the block before. */
  readonly parent_hash?: string | null
  /** Block height, as text. */
  readonly height?: string | null
}

/**
 * One asset at one time, with requested metrics as columns.
 *
 * **Gotchas**
 *
 * One record may hold some of the requested metrics, and a later one of the same time the rest.
 */
export type LiveAssetMetric<M extends MetricInput, Frequency extends string = "1b"> = {
  /** Ticker of the asset. */
  readonly asset: string
  /** The moment of the record, to the nanosecond. */
  readonly time: Timestamp
  /** Number of the frame, which rises within a connection. Absent where the record was read over HTTP. */
  readonly cm_sequence_id?: number | string | null
} & MetricColumns<M> &
  ("1b" extends Frequency ? LiveBlock : unknown)

/** Parameters of {@link assetMetrics}. Source: docs/interface.md 6.2. */
export const LiveAssetMetricsParams = Schema.Struct({
  /** Asset tickers, or `*` for all that have the metrics. */
  assets: Params.entities(Params.requiredList, "asset"),
  /** MetricIDs, or constants that carry one. */
  metrics: Params.columns(Params.requiredIdentified),
  /** Sampling frequency, `1b` when absent, which gives one record per block. */
  frequency: Params.frequency(["1b", "1s", "200ms"]),
  ...Params.leniency,
  ...LiveSeries.params
})
export interface LiveAssetMetricsParams extends Schema.Schema.Type<typeof LiveAssetMetricsParams> {}

/** Parameters with the metrics and the frequency kept as literals, for the record type. */
export type LiveAssetMetricsRequest<M extends MetricInput, Frequency extends string> = MetricRequest<
  Omit<LiveAssetMetricsParams, "frequency">,
  M
> & {
  /** Sampling frequency, `1b` when absent, which gives one record per block. */
  readonly frequency?: Frequency | undefined
}

/** {@link assetMetrics}: the record type follows from `metrics` and `frequency`. */
export interface LiveAssetMetrics extends LiveEndpoint.Info {
  <const M extends MetricInput, const Frequency extends string = "1b">(
    params: LiveAssetMetricsRequest<M, Frequency>,
    options?: LiveEndpoint.CallOptions
  ): LiveEndpoint.Messages<LiveAssetMetric<M, Frequency>>
}

const isPerBlock = ({ frequency = "1b" }: LiveAssetMetricsParams) => frequency === "1b"

/** Blocks are named otherwise over HTTP (docs/interface.md 6.4). */
const fromHttp = (record: object): object => {
  const { block_hash, height, parent_block_hash, ...rest }: Readonly<Record<string, unknown>> = { ...record }
  return block_hash === undefined
    ? record
    : { ...rest, type: "new_block", hash: block_hash, parent_hash: parent_block_hash, height }
}

/** Follows metrics of assets. Source: docs/interface.md 6.2. */
export const assetMetrics: LiveAssetMetrics = LiveEndpoint.makeDependent("/timeseries-stream/asset-metrics", {
  section: "6.2",
  entity: "asset",
  params: LiveAssetMetricsParams,
  dependsOn: ["metrics", "frequency"],
  isPerBlock,
  record: (params) =>
    struct({
      ...Metrics.fieldsOf(Params.items(params.metrics)),
      ...(isPerBlock(params) ? { type: text, hash: text, parent_hash: text, height: integer } : {}),
      asset: id,
      time: Timestamp,
      cm_sequence_id: number
    }),
  history: {
    endpoint: History.assetMetrics,
    records: "same",
    isOffered: ({ frequency }) => frequency !== "200ms",
    params: (params) => ({
      assets: params.assets,
      metrics: params.metrics,
      frequency: params.frequency ?? "1b",
      ignore_forbidden_errors: params.ignore_forbidden_errors,
      ignore_unsupported_errors: params.ignore_unsupported_errors,
      // A block comes live before any other is on top of it.
      ...(isPerBlock(params) ? { min_confirmations: 0 } : {})
    }),
    record: fromHttp
  }
})
