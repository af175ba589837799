/** Metrics of the markets of lending protocols. Source: docs/interface.md 4.6.3 and 3.12. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import * as Params from "../../Params.ts"
import type { Timestamp } from "../../Timestamp.ts"
import * as Metrics from "./Metrics.ts"
import type { MetricColumns, MetricInput } from "./MetricSeries.ts"

/** Parameters of {@link protocolMetrics}. Source: docs/interface.md 4.6.3. */
export const ProtocolMetricsParams = Schema.Struct({
  /** Protocols, such as `aave_v3`; all when absent. */
  protocols: Params.entities(Params.list),
  /** Chains, such as `eth`; all when absent. */
  chains: Params.entities(Params.list),
  /** Markets of the protocols, such as `aave_v3-usdc`; all when absent. */
  markets: Params.entities(Params.list),
  /** MetricIDs, or constants that carry one; each becomes a column. All when absent. */
  metrics: Params.columns(Params.identifiedOrAll),
  /** Interval between two values. */
  frequency: Params.requiredFrequency(["1m", "1d"]),
  ...Params.timeRange,
  ...Params.paging,
  ...Params.format
})
export interface ProtocolMetricsParams extends Schema.Schema.Type<typeof ProtocolMetricsParams> {}

/** A market of a protocol on one chain at a time; the requested metrics are its columns. */
export interface ProtocolMetricKey {
  /** The protocol, such as `aave_v3`. */
  readonly protocol: string
  /** The market of the protocol, such as `aave_v3-usdc`. */
  readonly market: string
  /** The chain of the market, such as `eth`. */
  readonly chain: string
  /** Start of the interval, with nine fractional digits. */
  readonly time: Timestamp
}

/** Parameters with the metrics kept as literals, for the record type. */
export type ProtocolMetricsRequest<M extends MetricInput> = Omit<ProtocolMetricsParams, "metrics"> & {
  /** MetricIDs, or constants that carry one; each becomes a column of the record type. All when absent. */
  readonly metrics?: M | ReadonlyArray<M> | undefined
}

/** {@link protocolMetrics}: the record type follows from `metrics`. */
export interface ProtocolMetrics extends Endpoint.Info {
  <const M extends MetricInput = string>(
    params: ProtocolMetricsRequest<M>,
    options?: Endpoint.CallOptions
  ): Endpoint.Records<ProtocolMetricKey & MetricColumns<M>>
  /** Reads the same records page by page. */
  readonly pages: <const M extends MetricInput = string>(
    params: Omit<ProtocolMetricsRequest<M>, "format">,
    options?: Endpoint.CallOptions
  ) => Endpoint.Pages<ProtocolMetricKey & MetricColumns<M>>
}

/**
 * Reads metrics of the markets of lending protocols over time. Not offered at the community root.
 *
 * **Gotchas**
 *
 * Ordered by protocol and market. The order of times within a market is not published, so a json_stream that is cut is read
 * again from its start; what was emitted before is skipped.
 *
 * Source: docs/interface.md 4.6.3.
 */
export const protocolMetrics: ProtocolMetrics = Endpoint.makeDependent("/timeseries/protocol-metrics", {
  section: "4.6",
  order: "series",
  identity: ["protocol", "market", "chain", "time"],
  community: false,
  params: ProtocolMetricsParams,
  dependsOn: ["metrics"],
  record: ({ metrics }) => Metrics.recordOf(metrics, ["protocol", "market", "chain"])
})
