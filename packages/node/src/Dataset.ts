/**
 * Datasets that stay current: a folder or a table that holds a time series, of which every run asks for what is new.
 *
 * **Example** (Keeping the daily prices of all assets in a folder)
 *
 * ```ts
 * Dataset.sync({
 *   endpoint: Timeseries.assetMetrics,
 *   params: { assets: "*", metrics: ["PriceUSD"], start_time: "2020-01-01" },
 *   to: "prices",
 *   layout: { byEntity: true, period: "year" },
 *   format: { as: "parquet" }
 * })
 * ```
 */
import "./internal/runtime/NodeVersion.ts"
import type * as Bulk from "@sluice/core/Bulk"
import type * as Endpoint from "@sluice/core/Endpoint"
import type * as Duration from "effect/Duration"
import type * as Format from "./Format.ts"
import type { Definition } from "./internal/dataset/Definition.ts"
import type { Held, Period, Store } from "./internal/dataset/Store.ts"

export * from "./internal/dataset/DatasetError.ts"
export { Definition } from "./internal/dataset/Definition.ts"
export { Changed, Event, Failed, Finished, Progress, Started, Verifying } from "./internal/dataset/Event.ts"
export {
  type Applied,
  type Change,
  Cursor,
  type Cut,
  type Held,
  Hole,
  type Kept,
  type OpenStore,
  Period,
  type Series,
  type Setup,
  type Span,
  type Store,
  type Time
} from "./internal/dataset/Store.ts"
export * from "./internal/folder/FolderError.ts"
export { BadFormat, Unwritable } from "./internal/format/FormatError.ts"
export { Quota } from "./internal/progress/QuotaState.ts"

/** How the files of a folder are cut, and how their folders are named. */
export interface Layout {
  /**
   * Whether each entity has a folder, such as `asset=btc`, by the field that names it: readers take the name for a column. Default
   * true. Without it a file has the records of all entities of a period, and `start_time` is needed.
   */
  readonly byEntity?: boolean | undefined
  /**
   * Folders of the calendar, in UTC: `year=2025`, `year=2025/month=04`, or `year=2025/month=04/day=01`. Default `"year"`; `"none"`
   * for none.
   */
  readonly period?: Period | "none" | undefined
  /**
   * The records after which a file of the same folder is followed by another. Default 1,000,000. Records never move from one file
   * to another, so a file in which records come late may have a few more.
   */
  readonly rows?: number | undefined
}

/** What a dataset holds, and where it is kept. */
export interface Job<E extends Endpoint.Info = Endpoint.Any> {
  readonly endpoint: E
  /**
   * Entities by name or by wildcard, metrics, frequency, filters, and where the series begins; from its first record where it is
   * absent. There is no end.
   */
  readonly params: Bulk.ParamsOf<E>
  /** A folder, created if missing, or another place. */
  readonly to: string | Store
  /** Of a folder. Default: what the folder has, and for a new one an entity and a year. */
  readonly layout?: Layout | undefined
  /** Of the files of a folder. Default: what the folder has, and for a new one Parquet. */
  readonly format?: Format.Options | undefined
  /**
   * How long before the last record of an entity every run reads again, because the service may still revise it. Default: by the
   * frequency; a week for days, a day for hours, an hour for minutes, and two minutes for seconds and for trades, quotes and the like.
   */
  readonly lookBack?: Duration.Input | undefined
  /** What happens to the records of an entity that the service no longer has. Default `"keep"`. */
  readonly gone?: "keep" | "remove" | undefined
  /** Requests that are read at the same time. Default 10, as many as the service runs. */
  readonly concurrency?: number | undefined
}

/** A dataset that exists: its folder or place tells the rest. */
export type Existing = Pick<Job, "to" | "concurrency">

/** A request that a run would send, and what it would replace. */
export interface Request {
  /** Why: `new` records after the last one, `earlier` ones, a `hole`, `columns` that were added, or to see whether there is news. */
  readonly reason: "new" | "earlier" | "hole" | "columns" | "probe"
  readonly entities: ReadonlyArray<string>
  /** The first time that is asked for; absent from the beginning of the series. */
  readonly from: string | undefined
  /** The first time that is not asked for any more; absent where the request has no end. */
  readonly to: string | undefined
}

/** What a run would do. */
export interface Plan {
  readonly isNew: boolean
  /** Entities that the dataset has or will have. */
  readonly entities: ReadonlyArray<string>
  /** Entities that are new to the dataset. */
  readonly added: ReadonlyArray<string>
  /** Entities that the service no longer has. */
  readonly gone: ReadonlyArray<string>
  /** Metrics that are new to the dataset. */
  readonly columns: ReadonlyArray<string>
  readonly requests: ReadonlyArray<Request>
}

/** What a dataset holds. */
export interface Status {
  readonly definition: Definition
  readonly entities: ReadonlyArray<Held>
}
