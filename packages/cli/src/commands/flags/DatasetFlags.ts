/** The flags of the commands that keep datasets. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Struct from "effect/Struct"
import type { Given } from "./About.ts"
import * as FlagKinds from "../../settings/FlagKinds.ts"
import * as DownloadFlags from "./DownloadFlags.ts"
import * as FormatFlags from "./FormatFlags.ts"

export const listenMeans = "serves /health, and /metrics for Prometheus; on 127.0.0.1 unless a host is named"

/** How the files of a folder are cut. */
export const layoutFlags = {
  period: FlagKinds.choice(
    "period",
    ["day", "month", "year", "none"],
    "Folders of the calendar, such as year=2025; default year"
  ),
  byEntity: FlagKinds.either(
    "by-entity",
    "A folder for each entity, such as asset=btc (default); --no-by-entity puts them together"
  ),
  rows: FlagKinds.whole("rows", "Records after which another file begins; default 1000000")
}

/** What every run reads again, and what it does about records that are no longer there. */
export const updateFlags = {
  lookBack: FlagKinds.duration(
    "look-back",
    "Reads so much before the last record of each entity again, since it may be revised; default by frequency: 1w of days, 1d of hours, 1h of minutes, else 2m"
  ),
  onRemoved: FlagKinds.choice(
    "on-removed",
    ["keep", "remove"],
    "What happens to records of an entity that the service no longer has; default keep"
  )
}

const all = FlagKinds.text(
  "all",
  "<file>",
  "Every dataset of a TOML file: a table for each, whose keys are these words"
)

const only = FlagKinds.list("only", "With --all: the datasets with these names alone")

export const syncFlags = {
  output: FlagKinds.optional(DownloadFlags.output),
  into: FlagKinds.text(
    "into",
    "<database>",
    "In place of a folder: a URL such as postgres://user@host/database, with PGPASSWORD in the environment, or a file such as market.duckdb"
  ),
  table: FlagKinds.text(
    "table",
    "<name>",
    "With --into: the table; created if missing, in a database that exists (a DuckDB file is created)"
  ),
  format: FormatFlags.datasetFlags,
  layout: layoutFlags,
  snapshots: FlagKinds.choice(
    "snapshots",
    ["delta", "ducklake", "none"],
    "Versions that others read while syncs go on: a Delta table beside the folder, closes.delta of closes, or a table of a DuckLake catalog, with files in closes.ducklake; none removes a Delta table at once, and leaves the last version of a catalog; default as it has"
  ),
  lake: FlagKinds.text(
    "lake",
    "<database>",
    "With --snapshots ducklake, in every run: the PostgreSQL of the catalog, as of --into"
  ),
  versions: FlagKinds.choice(
    "versions",
    ["keep"],
    "Of a folder: also keeps what the service said before, for get --as-of; it cannot be ended while the dataset is there; default as it has"
  ),
  update: updateFlags,
  recheck: FlagKinds.durationOrAll(
    "recheck",
    "This run reads so much before the last record of each entity again, or all: for values that were revised long after"
  ),
  check: FlagKinds.toggle("check", "Says what would be requested and why, and changes nothing"),
  watch: FlagKinds.toggle(
    "watch",
    "Then goes on until it is stopped: keeps what the live stream of the series sends, or where there is none asks again"
  ),
  interval: FlagKinds.duration("interval", "With --watch: how often what came is kept, or asked for; default 1m"),
  listen: FlagKinds.address("listen", `With --watch: ${listenMeans}`),
  concurrency: FlagKinds.whole("concurrency", "Requests read at the same time; default 10"),
  all,
  only
}

/** Those that say something of a run, and not of a dataset. */
export const runFlags = Struct.pick(syncFlags, ["check", "watch", "listen", "all", "only"])

/** What a table of `--all` may say, beside the parameters of its endpoint. */
export const tableFlags = Struct.omit(syncFlags, Struct.keys(runFlags))

export const verifyFlags = {
  table: FlagKinds.text("table", "<name>", "With a database: the table of the dataset"),
  catalog: FlagKinds.toggle("catalog", "Compares the times held of each entity with the catalog of the service, too")
}

export const compactFlags = {
  period: FlagKinds.choice(
    "period",
    ["day", "month", "year", "none"],
    "Folders of the calendar, longer than those that it has; default as it has"
  ),
  rows: FlagKinds.whole("rows", "Records after which another file begins; default as it has")
}

export const auditFlags = {
  from: FlagKinds.text(
    "from",
    "<time>",
    "The first time that is audited, such as 2025-01-01 or -30d; default the first held"
  ),
  to: FlagKinds.text("to", "<time>", "The last time; a date is its whole day; default now"),
  maxAge: FlagKinds.duration(
    "max-age",
    "Age of the last record of an entity beyond which it is late; default four steps of the frequency, 15m at least"
  ),
  ask: FlagKinds.toggle(
    "ask",
    "Asks the service whether it has records where holes are, with a request for each of the first 100"
  ),
  acknowledge: FlagKinds.list("acknowledge", "Ids of findings that are known: they no longer count for the exit code"),
  unacknowledge: FlagKinds.list("unacknowledge", "Ids of findings that are no longer taken for known"),
  acknowledged: FlagKinds.toggle("acknowledged", "Lists findings that are acknowledged, too")
}

export const statusFlags = { table: verifyFlags.table, all, only }

export const heldListFlags = {
  metrics: FlagKinds.list("metrics", "Of these metrics; default all that the dataset has"),
  startTime: Flag.withAlias(
    FlagKinds.text("start_time", "<time>", "The first time, such as 2025-01-01 or -30d; default the first held"),
    "start-time"
  ),
  endTime: Flag.withAlias(
    FlagKinds.text("end_time", "<time>", "The last time; a date is its whole day; default that of the last sync"),
    "end-time"
  ),
  table: verifyFlags.table,
  ...FormatFlags.listFlags
}

type Infer<Flags extends Command.Command.Config> = Command.Command.Config.Infer<Flags>

/** The folder of a dataset, or the database of its table. */
interface Placed {
  readonly place: string
}

/** Without entities all are meant. */
export type HeldListInput = Infer<typeof heldListFlags> & Placed & { readonly entities: ReadonlyArray<string> }

export type StatusInput = Infer<typeof statusFlags> & { readonly place: string | undefined }

export type CompactInput = Infer<typeof compactFlags> & Placed

export type AuditInput = Infer<typeof auditFlags> & Placed

export type VerifyInput = Infer<typeof verifyFlags> & Placed

/** The endpoint is absent where the folder says it. */
export type SyncInput = Infer<typeof syncFlags> & Omit<Given, "endpoint"> & { readonly endpoint: string | undefined }
