/** Where a dataset of the command line is kept: a folder, a table of PostgreSQL, or one of a DuckDB file. */
import * as Dataset from "@sluice/datasets/Dataset"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type SyncInput, syncFlags } from "../flags/DatasetFlags.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

export class MissingPackage extends Schema.TaggedError<MissingPackage>()("MissingPackage", {
  name: Schema.String,
  version: Schema.optional(Schema.String)
}) {
  override get message() {
    return `the package ${this.name} is not installed, and this database needs it`
  }
}

export interface Place {
  readonly to: string | Dataset.Store
  readonly name: string
  /** Whether it is a folder, which has a layout and a format. */
  readonly isFolder: boolean
  /** Of a folder: versions that others read. */
  readonly snapshots?: Dataset.Existing["snapshots"]
}

/** What the flags say of a place; those of files are absent in commands that do not have them. */
type Input = Pick<SyncInput, "output" | "into" | "table"> &
  Partial<Pick<SyncInput, "format" | "layout" | "snapshots" | "lake" | "versions">>

export const of = Effect.fnUntraced(function* (
  input: Input
): Effect.fn.Return<Place, PlaceFlags.BadPlace | MissingPackage> {
  const { numbers, statusColumns, ...ofFiles } = { numbers: undefined, statusColumns: undefined, ...input.format }
  const { lake, snapshots, versions } = syncFlags
  const unfit: PlaceFlags.Unfit = {
    flags: PlaceFlags.named(
      { ...syncFlags.format, ...syncFlags.layout, snapshots, lake, versions },
      { ...ofFiles, ...input.layout, snapshots: input.snapshots, lake: input.lake, versions: input.versions }
    ),
    why: (flag) =>
      `is of folders, and --into names a table${flag === "decimal" ? "; a table takes --numbers decimal" : ""}`
  }
  const place = yield* PlaceFlags.find<"Postgres" | "Duckdb">(input, {
    noun: "a dataset",
    into: ["Postgres", "Duckdb"],
    intoIs: "a database",
    intoIsNot: "--into is neither a URL that begins with postgres:// nor a file that ends in .duckdb",
    table: "the table of the dataset",
    unfit: { Postgres: unfit, Duckdb: unfit }
  })
  if (place._tag === "Output") {
    return { to: place.folder, name: place.folder, isFolder: true, snapshots: yield* snapshotsOf(input) }
  }
  const options = { table: place.table, numbers, statusColumns }
  if (place._tag === "Duckdb") {
    const { make } = yield* loaded({ name: "@duckdb/node-api" }, () => import("@sluice/datasets/DatasetDuckdb"))
    const store = make({ ...options, file: place.file })
    return { to: store, name: store.name, isFolder: false }
  }
  const { make } = yield* postgres
  const store = make({ ...options, url: place.url })
  return { to: store, name: store.name, isFolder: false }
})

/** What the flags say of versions that others read. */
const snapshotsOf = Effect.fnUntraced(function* ({ lake, snapshots }: Input) {
  if (snapshots !== "ducklake") {
    if (lake === undefined) return snapshots
    return yield* new PlaceFlags.BadPlace({ message: "--lake needs --snapshots ducklake" })
  }
  if (lake === undefined || !PlaceFlags.isPostgres(lake)) {
    const message = "--snapshots ducklake needs --lake, a URL that begins with postgres://"
    return yield* new PlaceFlags.BadPlace({ message })
  }
  const url = yield* PlaceFlags.urlOf(lake, undefined, "lake")
  return (yield* postgres).duckLake({ url })
})

/** Fails with what is at a place in which there is no dataset. */
export const none = ({ name, to }: Pick<Place, "name" | "to">) =>
  Effect.andThen(
    Stream.runDrain(Dataset.verify(to)),
    Effect.suspend(() => new Dataset.NoDataset({ dataset: name }))
  )

/** The place that an argument names: a folder, or the database of a table. */
export const at = (text: string, table: string | undefined) =>
  of(PlaceFlags.isDatabase(text) ? { output: undefined, into: text, table } : { output: text, into: undefined, table })

const loaded = <A>(needed: { readonly name: string; readonly version?: string }, module: () => Promise<A>) =>
  Effect.catchDefect(Effect.promise(module), (cause) =>
    Predicate.hasProperty(cause, "code") && cause.code === "ERR_MODULE_NOT_FOUND"
      ? Effect.fail(new MissingPackage(needed))
      : Effect.die(cause)
  )

const postgres = loaded({ name: "@effect/sql-pg", version: "^4.0.5" }, () => import("@sluice/datasets/DatasetPostgres"))
