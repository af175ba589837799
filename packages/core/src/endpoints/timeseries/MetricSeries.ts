/**
 * The types of series of metrics: the metrics asked for are the columns of the record. Source: docs/interface.md 3.12.
 */
import type { Decimal } from "../../Decimal.ts"
import type * as Endpoint from "../../Endpoint.ts"
import type * as Params from "../../Params.ts"
import type { Timestamp } from "../../Timestamp.ts"

/** A metric by its MetricID, or as a constant that carries it, such as `TokenMetrics.TxTknCnt`. */
export type MetricInput = string | Params.Identified

/** The column a metric is read as; a comma list stands for several. */
export type Column<M extends MetricInput> =
  M extends Params.Identified<infer Id> ? Id : M extends string ? Params.Items<M> : never

/** How far people have come with a reviewable value. */
export type ReviewStatus = "flash" | "reviewed" | "revised" | (string & {})

/**
 * The columns of the requested metrics.
 *
 * **Details**
 *
 * A metric without a value is `null` or absent: texts of the service name both. Absent too is one that is not supported for that
 * entity and frequency, so a record does not tell the two apart; the catalog does. Reviewable metrics bring
 * `<metric>-status` and `<metric>-status-time`.
 */
export type MetricColumns<M extends MetricInput> = string extends Column<M> ? AnyColumn : Columns<Column<M>>

type Columns<Name extends string> = { readonly [K in Name]?: Decimal | null } & {
  readonly [K in `${Name}-status`]?: ReviewStatus | null
} & { readonly [K in `${Name}-status-time`]?: Timestamp | null }

/** The columns of metrics that are known at run time only: any may be there. */
export interface AnyColumn {
  readonly [column: string]: Decimal | string | null | undefined
}

/** Parameters with the metrics kept as literals, for the record type. */
export type MetricRequest<P, M extends MetricInput> = Omit<P, "metrics"> & {
  /** MetricIDs, or constants that carry one; each becomes a column of the record type. */
  readonly metrics: M | ReadonlyArray<M>
}

/** A series of metrics: what names a record, and the columns that follow from `metrics`. */
export interface MetricSeries<P, Key> extends Endpoint.Info {
  <const M extends MetricInput>(
    params: MetricRequest<P, M>,
    options?: Endpoint.CallOptions
  ): Endpoint.Records<Key & MetricColumns<M>>
  /** Reads the same records page by page. */
  readonly pages: <const M extends MetricInput>(
    params: Omit<MetricRequest<P, M>, "format">,
    options?: Endpoint.CallOptions
  ) => Endpoint.Pages<Key & MetricColumns<M>>
}
