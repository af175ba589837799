/** The pages of a call that keeps them together: `Timeseries.assetMetrics.pages(…)`. */

/** A warning of the service that comes with a page. Rely on `type`; `message` may change at any time. */
export interface Warning {
  /** The word of the service for the kind of the warning. */
  readonly type: string
  /** The warning, for people. */
  readonly message: string
}

/** One page of records. */
export interface Page<out A> {
  /** The records in the order of the stream: newest first with `paging_from: "end"`. May be empty although more pages follow. */
  readonly data: ReadonlyArray<A>
  /** Counts from 1 within this stream. */
  readonly page: number
  /** Token of the next page, to continue from later; absent on the last page. */
  readonly next_page_token: string | undefined
  /** The first hundred warnings of the page; usually empty. */
  readonly warnings: ReadonlyArray<Warning>
  /** How many more warnings there were; absent when there were none. */
  readonly warningsOmitted?: number
  /** What `Timeseries.assetAlerts` adds with `include_heartbeats: true`, as it came; absent elsewhere. */
  readonly heartbeats?: ReadonlyArray<unknown>
  /** The reply's `CF-RAY`. */
  readonly trace: string | undefined
}
