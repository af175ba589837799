/**
 * What a dataset is asked to be: the job of a run, and the check of its options.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Format from "@sluice/files/Format"
import type { BadFormat } from "@sluice/core/internal/columns/FormatError"
import * as FormatOptions from "@sluice/files/internal/format/Options"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Request from "@sluice/node/internal/options/Request"
import * as Shape from "@sluice/node/internal/options/Shape"
import { BadDefinition } from "./DatasetError.ts"
import type { Window } from "./Bounds.ts"
import type { ParamsOf } from "./ParamsOf.ts"
import { Period, type Store } from "./Store.ts"
import { isLake, type Lake } from "./VersionLog.ts"

/** How the files of a folder are cut, and how their folders are named. */
export interface Layout {
  /**
   * Whether each entity has a folder, such as `asset=btc`, by the field that names it: readers take the name for a
   * column. Default true. Without it a file has the records of all entities of a period, and `start_time` is needed.
   */
  readonly byEntity?: boolean | undefined
  /**
   * Folders of the calendar, in UTC: `year=2025`, `year=2025/month=04`, or `year=2025/month=04/day=01`. Default
   * `"year"`; `"none"` for none.
   */
  readonly period?: Period | "none" | undefined
  /**
   * The records after which a file of the same folder is followed by another. Default 1,000,000. Records never move from one file
   * to another, and those of an entity at one moment stay together, so a file may have a few more.
   */
  readonly rows?: number | undefined
}

/** What a dataset holds, and where it is kept. */
export interface Job<E extends Endpoint.Info = Endpoint.Any> {
  /** The series to keep; or a list, such as reference data or a catalog, with `versions: "keep"`. */
  readonly endpoint: E
  /**
   * Entities by name or by wildcard, metrics, frequency, filters, and where the series begins. Without a start a new
   * dataset begins at the first record, and one that exists keeps the start that it has. There is no end.
   */
  readonly params: ParamsOf<E>
  /** A folder, created if missing, or another place. */
  readonly to: string | Store
  /** Of a folder. Default: what the folder has, and for a new one an entity and a year. */
  readonly layout?: Layout | undefined
  /** Of the files of a folder. Default: what the folder has, and for a new one Parquet; without `as`, the same of each option. */
  readonly format?: Partial<Format.Options> | undefined
  /**
   * Of a folder of Parquet files: versions that others read while syncs go on, each of one whole moment, as a Delta table beside it, which is
   * `closes.delta` of `closes`, or with `DatasetPostgres.duckLake` as a table of a DuckLake catalog, which every run names, since its address
   * is not kept. Needs `times: "micros"`, which a new folder has then by itself. A file that a version has no more stays for a week.
   * `"none"` ends versions; it removes a Delta table, and leaves the last of a catalog. Default: what the folder has, and for a new one none.
   */
  readonly snapshots?: "delta" | "none" | Lake | undefined
  /**
   * How long before the last record of an entity every run reads again, because the service may still revise it.
   * Default: by the frequency; a week for days, a day for hours, an hour for minutes, and two minutes for seconds and
   * for trades, quotes and the like.
   */
  readonly lookBack?: Duration.Input | undefined
  /**
   * How long before the last record of an entity this run reads again, where that is more than the look-back; not kept. With
   * `Duration.infinity` it reads everything, revised records of any age included. An entity that comes in no reply keeps what it has.
   */
  readonly recheck?: Duration.Input | undefined
  /**
   * What happens to the records of an entity that the service no longer has: that it refuses by name. Default `"keep"`.
   * An empty reply, or a catalog that lacks an entity, removes nothing: the entity is asked for by name. Where the
   * service refuses every entity of a dataset, the run fails, and nothing is removed.
   */
  readonly onRemoved?: "keep" | "remove" | undefined
  /**
   * Of a folder: `"keep"` keeps what the service said before, and since when each record was knowable: `Dataset.read` with `asOf` gives what
   * a program would have got then. Once kept, versions are kept for as long as the dataset is there. Default: what the dataset has, and for
   * a new one `"none"`.
   */
  readonly versions?: "keep" | "none" | undefined
  /** Requests that are read at the same time. Default 10, as many as the service runs. */
  readonly concurrency?: number | undefined
}

/** A dataset that exists: its folder or place tells the rest, and what is said of it is compared with that. */
export type Existing = Pick<
  Job,
  "to" | "layout" | "format" | "snapshots" | "lookBack" | "recheck" | "onRemoved" | "versions" | "concurrency"
>

/** A job as a program gives it: of a dataset that exists, its place is enough. */
export interface Asked extends Existing {
  readonly endpoint?: Job["endpoint"] | undefined
  readonly params?: Job["params"] | undefined
}

/** A job that adds to what the dataset has, whatever that is when it takes it. */
export interface Growing extends Asked {
  readonly grows?: boolean | undefined
  /** The times that are read alone. */
  readonly window?: Window | undefined
}

/** A job, and how often it is looked after. */
export interface Watched extends Asked {
  readonly every?: Duration.Input | undefined
}

const isStore = (value: unknown): value is Store =>
  Predicate.hasProperty(value, "look") && Predicate.hasProperty(value, "open") && Predicate.hasProperty(value, "name")

const place = Schema.Union([Kinds.folder, Schema.declare(isStore)]).annotate({
  expected: 'the path of a folder, "." for this one, or a place such as that of DatasetPostgres.make'
})

const snapshots = Schema.Union([
  Schema.Literals(["delta", "none"]),
  Schema.declare((value): value is Lake => isLake(value))
]).annotate({
  expected: '"delta", "none", or a catalog of DatasetPostgres.duckLake'
})

const layout = Shape.of<Layout>()({
  byEntity: Schema.optional(Schema.Boolean),
  period: Schema.optional(Schema.Literals([...Period.literals, "none"])),
  rows: Schema.optional(Kinds.whole)
})

/** How the files of a dataset are cut and written, and what its syncs do. */
export const kept = {
  layout: Schema.optional(layout),
  format: Schema.optional(FormatOptions.partial),
  lookBack: Schema.optional(Kinds.length),
  onRemoved: Schema.optional(Schema.Literals(["keep", "remove"]))
}

const asked = {
  endpoint: Schema.optional(Request.endpoint),
  params: Schema.optional(Request.params),
  to: place,
  ...kept,
  snapshots: Schema.optional(snapshots),
  versions: Schema.optional(Schema.Literals(["keep", "none"])),
  recheck: Schema.optional(Kinds.length),
  concurrency: Schema.optional(Kinds.count)
}

const faultOfAsked = Shape.faultOf(Shape.of<Asked>()(asked))

const faultOfWatched = Shape.faultOf(Shape.of<Watched>()({ ...asked, every: Schema.optional(Kinds.interval) }))

const faultOfPlace = Shape.faultOf(Schema.Struct({ to: place }))

/** Builds the check that fails at the first fault that is found, whatever was given. */
export const refusing =
  (faultOf: (given: unknown) => Shape.Fault | undefined) =>
  (given: unknown): Effect.Effect<void, BadDefinition | BadFormat> =>
    Effect.suspend(() => {
      const found = faultOf(given)
      if (found === undefined) return Effect.void
      const { reason } = found
      // What a load has in `into`, a sync has beside the rest.
      const option = found.option.replace(/^into\./, "")
      const endpoint = Predicate.hasProperty(given, "endpoint") ? Request.pathOf(given.endpoint) : ""
      const setting = option === "" ? "job" : option
      return Effect.fail(
        FormatOptions.refusalOf({ option, reason }) ?? new BadDefinition({ endpoint, setting, reason })
      )
    })

/** Fails at the first option that a job cannot have. Touches and sends nothing. */
export const check = refusing(faultOfAsked)

/** Fails at the first option that a job which is watched cannot have. */
export const checkWatched = refusing(faultOfWatched)

/** Fails where a dataset cannot be there. */
export const checkPlace = (to: unknown): Effect.Effect<void, BadDefinition | BadFormat> =>
  refusing(faultOfPlace)({ to })
