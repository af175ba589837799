/**
 * What a call that keeps pages together gives: `Timeseries.assetMetrics.pages(…)`.
 */

/** A remark of the service that comes with a page. Decide on `type`; `message` may change any day. */
export interface Warning {
  readonly type: string
  readonly message: string
}

/** One page of records. */
export interface Page<out A> {
  /** The records, in the order of the stream: from `end` newest first. May be empty although more pages follow. */
  readonly data: ReadonlyArray<A>
  /** Counts from 1 within this stream. */
  readonly page: number
  /** Token of the next page, to continue from later; absent on the last. */
  readonly next_page_token: string | undefined
  /** Remarks beside the records, the first hundred of them; empty as a rule. */
  readonly warnings: ReadonlyArray<Warning>
  /** How many remarks there were beyond those; absent where there were none. */
  readonly warningsOmitted?: number
  /** The reply's `CF-RAY`. */
  readonly trace: string | undefined
}
