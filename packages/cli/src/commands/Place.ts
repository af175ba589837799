/**
 * Where a dataset of the command line is kept: a folder, a table of PostgreSQL, or one of a DuckDB file.
 */
import type * as Dataset from "@sluice/node/Dataset"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Screen } from "../terminal/Screen.ts"
import type { PlaceInput, SyncInput } from "./DatasetFlags.ts"

/** The flags name no place, or two, or none that is known. */
export class BadPlace extends Schema.TaggedError<BadPlace>()("BadPlace", {
  reason: Schema.String,
  /** The command whose help has examples, where it is not `sync`. */
  command: Schema.optional(Schema.String)
}) {
  override get message() {
    return this.reason
  }
}

/** The package that a database needs is not installed. */
export class MissingPackage extends Schema.TaggedError<MissingPackage>()("MissingPackage", {
  name: Schema.String,
  /** Versions that fit. */
  version: Schema.optional(Schema.String)
}) {
  override get message() {
    return `the package ${this.name} is not installed, and this database needs it`
  }
}

/** A place, and its name for messages. */
export interface Place {
  readonly to: string | Dataset.Store
  readonly name: string
  /** Whether it is a folder, which has a layout and a format. */
  readonly isFolder: boolean
}

const isPostgres = (text: string) => /^postgres(?:ql)?:\/\//i.test(text)
const isDuckdb = (text: string) => /\.(?:duckdb|ddb)$/i.test(text)

/** Whether a text names a database rather than a folder. */
export const isDatabase = (text: string): boolean => isPostgres(text) || isDuckdb(text)

/** What is no folder. Never quoted: it may hold a password. */
const isUrl = (text: string) => /^\s*[a-z][a-z0-9+.-]+:\/\//i.test(text)

/** Flags that say how files are laid out and written, beside those that tables have too. */
const ofFolders = ["format", "compression", "decimal", "period", "by-entity", "rows"] as const

/** What the flags say of a place; those of files are absent in commands that do not have them. */
type Input = PlaceInput & Partial<Pick<SyncInput, (typeof ofFolders)[number]>>

/** The place that the flags name. */
export const of = Effect.fnUntraced(function* (input: Input) {
  const { into, output, table } = input
  if (Option.isSome(into) && Option.isSome(output)) {
    return yield* new BadPlace({ reason: "--output and --into exclude each other: a dataset has one place" })
  }
  if (Option.isSome(into)) {
    const flag = ofFolders.find((name) => input[name]?._tag === "Some")
    if (flag === undefined) return yield* database(into.value, input)
    const instead = flag === "decimal" ? "; a table takes --numbers decimal" : ""
    return yield* new BadPlace({ reason: `--${flag} is of folders, and --into names a table${instead}` })
  }
  if (Option.isNone(output)) {
    return yield* new BadPlace({ reason: "--output is missing: a folder; or --into, a database" })
  }
  if (isDatabase(output.value)) {
    return yield* new BadPlace({
      reason: "--output is a folder, and what it names is a database: use --into and --table"
    })
  }
  if (isUrl(output.value)) {
    return yield* new BadPlace({ reason: "the place is neither a folder nor a database that sluice knows, but a URL" })
  }
  if (Option.isSome(table)) {
    return yield* new BadPlace({ reason: `--table is of a database, and ${JSON.stringify(output.value)} is a folder` })
  }
  const place: Place = { to: output.value, name: output.value, isFolder: true }
  return place
})

const database = Effect.fnUntraced(function* (text: string, input: PlaceInput) {
  if (!isDatabase(text)) {
    // Not quoted: what is not recognised may hold a password.
    return yield* new BadPlace({
      reason: "--into is neither a URL that begins with postgres:// nor a file that ends in .duckdb"
    })
  }
  if (Option.isNone(input.table)) {
    return yield* new BadPlace({ reason: "--table is missing: the table of the dataset in this database" })
  }
  const table = input.table.value
  const options = {
    table,
    numbers: Option.getOrUndefined(input.numbers),
    statusColumns: Option.getOrUndefined(input["status-columns"])
  }
  if (isDuckdb(text)) {
    const { make } = yield* loaded({ name: "@duckdb/node-api" }, () => import("@sluice/node/DatasetDuckdb"))
    const store = make({ ...options, file: text })
    return { to: store, name: store.name, isFolder: false } satisfies Place
  }
  const { make } = yield* loaded(
    { name: "@effect/sql-pg", version: "^4.0.5" },
    () => import("@sluice/node/DatasetPostgres")
  )
  const store = make({ ...options, url: yield* urlOf(text) })
  return { to: store, name: store.name, isFolder: false } satisfies Place
})

/** The URL of a PostgreSQL that `--into` of a command of backfills names, with the password. Fails where it names something else. */
export const postgres = Effect.fnUntraced(function* (text: string, command: "backfill" | "worker") {
  if (isPostgres(text)) return yield* urlOf(text)
  const reason = isDuckdb(text)
    ? "--into is a file of DuckDB, into which several workers cannot write: a backfill has PostgreSQL alone, `sluice sync` has both"
    : "--into is not a URL that begins with postgres://"
  return yield* new BadPlace({ reason, command })
})

const urlOf = Effect.fnUntraced(function* (text: string) {
  if (hasPassword(text)) {
    const { say } = yield* Screen
    yield* say(
      "warning: the URL of --into has a password, which other users of this machine can read; put it into PGPASSWORD\n"
    )
  }
  return Redacted.make(yield* withPassword(text))
})

/** Whether a URL has a password before its host, or in its query. */
const hasPassword = (text: string) => /^[a-z]+:\/\/[^/?#@]*:[^@/?#]+.*@/i.test(text) || /[?&]password=[^&]/i.test(text)

/** Takes the password from PGPASSWORD where the URL has none: other users of the machine can read the words of a command. */
const withPassword = Effect.fnUntraced(function* (text: string) {
  const password = yield* Effect.orElseSucceed(Config.option(Config.NonEmptyString("PGPASSWORD")), Option.none)
  if (Option.isNone(password) || !URL.canParse(text)) return text
  const url = new URL(text)
  if (url.password === "") url.password = encodeURIComponent(password.value)
  return url.href
})

const loaded = <A>(needed: { readonly name: string; readonly version?: string }, module: () => Promise<A>) =>
  Effect.tryPromise({ try: module, catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      Predicate.hasProperty(cause, "code") && cause.code === "ERR_MODULE_NOT_FOUND"
        ? Effect.fail(new MissingPackage(needed))
        : Effect.die(cause)
    )
  )
