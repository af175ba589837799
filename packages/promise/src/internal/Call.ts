/**
 * The types of endpoints as functions that give promises and async iterables.
 *
 * They follow from the types of the endpoints themselves. An endpoint whose records depend on its parameters is generic, and
 * TypeScript cannot map a generic function to another one, so each such interface has its counterpart here.
 */
import type * as Bulk from "@sluice/core/Bulk"
import type * as Columns from "@sluice/core/Columns"
import type * as Endpoint from "@sluice/core/Endpoint"
import type * as ReferenceData from "@sluice/core/endpoints/ReferenceData"
import type * as Timeseries from "@sluice/core/endpoints/Timeseries"
import type { sections } from "@sluice/core/Endpoints"
import type * as Job from "@sluice/core/Job"
import type * as Page from "@sluice/core/Paging"
import type * as Retry from "@sluice/core/Retry"
import type * as Download from "@sluice/files/Download"

/** Parameters whose times may be a `Date` as well. */
export type Dated<P> = { readonly [K in keyof P]: K extends `${string}_time` ? P[K] | Date : P[K] }

/** What may end a call early. */
export interface Stoppable {
  /** Ends the call when it is aborted: closes its sockets and files, and throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Settings of a call that gives one record. */
export interface SingleOptions extends Omit<Endpoint.SingleOptions, "retry">, Stoppable {
  /** When to retry a request: limits for `Retry.make`, or a policy. Replaces that of the client. */
  readonly retry?: Retry.Options | Retry.Policy | undefined
}

/** Settings of a call. */
export interface CallOptions extends SingleOptions, Pick<Endpoint.CallOptions, "checkEnd"> {}

/**
 * Values that are read while a loop asks for them.
 *
 * Nothing is sent before the first value is asked for. Each loop reads from the start. A `break`, a `return` or an error
 * inside the loop ends the reading and closes its sockets.
 */
export interface Source<out A> extends AsyncIterable<A, void, void> {
  /** The same values in groups, as they arrive: faster where each value needs no step of its own. */
  readonly batches: () => Source<ReadonlyArray<A>>
  /** Reads everything into memory. */
  readonly toArray: () => Promise<Array<A>>
}

/** The records of a call. Times and decimals are text, as the service wrote them. */
export interface Records<A, in out P = never> extends Source<A> {
  /** The same records page by page, with the token to continue from and the service's warnings. Not with json_stream. */
  readonly pages: () => Source<Page.Page<A>>
  /**
   * Reads the same records by several requests at once: see `Bulk`. A part that fails throws `PartFailed`, a request that
   * cannot be split `BadSplit`.
   */
  readonly split: (how: SplitOptions<ListName<P>>) => Source<A>
  /**
   * Tells what {@link split} would take, and reads none of it: requests, records, bytes and time of each entity and in total. Throws
   * `PlanExceeded` where that is more than `maxRequests` or `maxBytes`.
   */
  readonly plan: (how?: PlanOptions<ListName<P>>) => Promise<Bulk.Plan>
  /**
   * Reads the same records to their end as columns, typed arrays of the values of each field: see `Columns`. `numbers` says what
   * decimals are: `double`, the default, `decimal` or `text`.
   */
  readonly columns: <const K extends keyof A = Columns.Usual<A>, const N extends Columns.Numbers = "double">(
    options?: ColumnOptions<K, N>
  ) => Promise<Columns.Batch<Columns.Of<A, K, N>>>
  /**
   * Writes the records into a folder, one file for each part, complete or absent: see `Download`. Resolves when all files
   * are there, with their number, records and bytes. After a stop, the same call continues where it was.
   */
  readonly download: (job: DownloadOptions<ListName<P>>) => Promise<Download.Finished>
}

/** The list parameters by which a request can be split. */
export type ListName<P> = [P] extends [never] ? string : Bulk.ListName<(params: P) => unknown>

/** How to split a request, and how to read its parts. */
export interface SplitOptions<Name extends string = string>
  extends Bulk.Split<Name>, Pick<Bulk.Options, "concurrency" | "order"> {}

/** How to split a request that is planned, and what it may take. */
export interface PlanOptions<Name extends string = string>
  extends Bulk.Split<Name>, Pick<Bulk.PlanOptions, "maxRequests" | "maxBytes" | "samples" | "order"> {}

/** Which columns, and how they are made. */
export interface ColumnOptions<
  K extends PropertyKey = string,
  N extends Columns.Numbers = Columns.Numbers
> extends Omit<Columns.Options<K, N>, "rows" | "textSize"> {}

/** A download: the settings of `Download.Job` without its request, which is the call. */
export interface DownloadOptions<Name extends string = string>
  extends Omit<Download.Job, "endpoint" | "params" | "split">, Stoppable {
  /** How to split the request: one file for each part. Default: one file for the whole request. */
  readonly split?: Bulk.Split<Name> | undefined
  /** Called with each event: what begins and ends, and progress four times a second. What it throws ends the download. */
  readonly onEvent?: ((event: Download.Event) => void) | undefined
}

/** An endpoint whose records have one type. */
export interface ListCall<P, A> {
  (
    ...args: {} extends P ? [params?: Dated<P>, options?: CallOptions] : [params: Dated<P>, options?: CallOptions]
  ): Records<A, P>
}

/** An endpoint whose reply is one record. */
export interface SingleCall<P, out A> {
  (
    ...args: {} extends P ? [params?: Dated<P>, options?: SingleOptions] : [params: Dated<P>, options?: SingleOptions]
  ): Promise<A>
}

/** Settings of reading the results of a job. */
export interface ResultOptions extends Pick<SingleOptions, "retry">, Stoppable {
  /** When to ask for the status of the job: limits for `Job.polling`, or a schedule. Default: for up to 6 hours. */
  readonly poll?: Job.PollingOptions | Job.Polling | undefined
}

/** Settings of a call that starts a job and reads its results. */
export interface JobOptions extends SingleOptions, ResultOptions {}

/**
 * An operation that starts jobs. A call gives the records of its results; each loop over them starts a job of its own.
 * `sluice.jobs.list` gives the status of jobs.
 */
export interface JobCall<P, out A> {
  (params: Dated<P>, options?: JobOptions): Source<A>
  /** Starts a job, and resolves with its id. Throws `JobUnconfirmed` where the answer was lost. */
  readonly submit: (params: Dated<P>, options?: SingleOptions) => Promise<Job.Submitted>
  /** Waits until a job is done and reads its results. Starts nothing. */
  readonly results: (id: string, options?: ResultOptions) => Source<A>
}

/** `timeseries.assetMetrics`: the record type follows from `metrics` and `frequency`. */
export interface AssetMetricsCall {
  <const M extends Timeseries.MetricInput, const Frequency extends string = "1d">(
    params: Timeseries.MetricRequest<Omit<Dated<Timeseries.AssetMetricsParams>, "frequency">, M> & {
      /** Sampling frequency, `1d` when absent; which exist follows from the metric. `1b` gives one record per block. */
      readonly frequency?: Frequency | undefined
    },
    options?: CallOptions
  ): Records<Timeseries.AssetMetric<M, Frequency>, Timeseries.AssetMetricsParams>
}

/** A series of metrics: the record type follows from `metrics`. */
export interface MetricCall<P, Key> {
  <const M extends Timeseries.MetricInput>(
    params: Timeseries.MetricRequest<Dated<P>, M>,
    options?: CallOptions
  ): Records<Key & Timeseries.MetricColumns<M>, P>
}

/** `timeseries.protocolMetrics`: the record type follows from `metrics`, which may be absent. */
export interface ProtocolMetricsCall {
  <const M extends Timeseries.MetricInput = string>(
    params: Omit<Dated<Timeseries.ProtocolMetricsParams>, "metrics"> & {
      /** MetricIDs, or constants that carry one; each becomes a column of the record type. All when absent. */
      readonly metrics?: M | ReadonlyArray<M> | undefined
    },
    options?: CallOptions
  ): Records<Timeseries.ProtocolMetricKey & Timeseries.MetricColumns<M>, Timeseries.ProtocolMetricsParams>
}

/** An endpoint whose records grow by the provider arrays named in `include`. */
export interface IncludingCall<P, A, Provider> {
  <const Namespaces extends string = never>(
    params?: ReferenceData.Including<Dated<P>, Namespaces>,
    options?: CallOptions
  ): Records<A & ReferenceData.Included<Namespaces, Provider>, P>
}

/** An endpoint as a function without Effect. */
export type Call<E> =
  E extends Job.Job<infer P, infer A>
    ? JobCall<P, A>
    : E extends Endpoint.Single<infer P, infer A>
      ? SingleCall<P, A>
      : E extends Endpoint.Endpoint<infer P, infer A>
        ? // The other direction holds only where the endpoint is not generic.
          [Endpoint.Endpoint<P, A>] extends [E]
          ? ListCall<P, A>
          : DependentCall<E>
        : DependentCall<E>

/** A generic endpoint as a function without Effect. */
export type DependentCall<E> = E extends Timeseries.AssetMetrics
  ? AssetMetricsCall
  : E extends Timeseries.ProtocolMetrics
    ? ProtocolMetricsCall
    : E extends Timeseries.MetricSeries<infer P, infer Key>
      ? MetricCall<P, Key>
      : E extends ReferenceData.IncludingEndpoint<infer P, infer A, infer Provider>
        ? IncludingCall<P, A, Provider>
        : never

/** The endpoints of a section as functions without Effect. */
export type Section<S> = { readonly [Name in keyof S as S[Name] extends Endpoint.Info ? Name : never]: Call<S[Name]> }

/** Every endpoint over HTTP, by section and name: `timeseries.assetMetrics`. */
export type Sections = {
  readonly [Name in Exclude<keyof typeof sections, "Live"> as Uncapitalize<Name>]: Section<(typeof sections)[Name]>
}
