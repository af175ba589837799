/** The flags of backfills and workers, and what can be asked of a backfill. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Given } from "./About.ts"
import * as DatasetFlags from "./DatasetFlags.ts"
import * as DownloadFlags from "./DownloadFlags.ts"
import * as FlagKinds from "../../settings/FlagKinds.ts"
import * as FormatFlags from "./FormatFlags.ts"

export const cluster = FlagKinds.secret(
  "cluster",
  "<url>",
  "The PostgreSQL of the cluster, postgres://user:password@host/database. Other users of this machine can see flags: prefer SLUICE_CLUSTER"
)

export const backfillFlags = {
  output: DownloadFlags.output.pipe(Flag.withAlias("to"), FlagKinds.optional),
  format: FormatFlags.fileFlags("ndjson, and parquet with --into"),
  split: DownloadFlags.splitFlags,
  into: FlagKinds.text(
    "into",
    "<folder|database>",
    "In place of --output: the folder of a dataset, or a PostgreSQL, postgres://user@host/database, with PGPASSWORD in the environment. `sluice sync` goes on there"
  ),
  table: FlagKinds.text(
    "table",
    "<name>",
    "With --into of a database: the table; created if missing, in a database that exists"
  ),
  layout: DatasetFlags.layoutFlags,
  update: DatasetFlags.updateFlags,
  cluster,
  priority: FlagKinds.whole(
    "priority",
    "Which backfill of the cluster gets the next free slot of a worker: the one with the highest; default 0"
  ),
  concurrency: FlagKinds.whole(
    "concurrency",
    "Files written at the same time, in a cluster over all workers; default 10 for each process"
  )
}

export type BackfillInput = Command.Command.Config.Infer<typeof backfillFlags> & Given

export const workerFlags = {
  cluster,
  into: FlagKinds.text(
    "into",
    "<database>",
    "The PostgreSQL with the tables of backfills, postgres://user@host/database, with PGPASSWORD in the environment; default that of the cluster"
  ),
  name: FlagKinds.text(
    "name",
    "<name>",
    "What `sluice backfill status` calls this worker; default SLUICE_WORKER_NAME, or else the machine and the process, such as db1/4711"
  ),
  host: FlagKinds.text(
    "host",
    "<name>",
    "Name or address by which other workers reach this one; default the name of this machine. Other than 127.0.0.1 it needs SLUICE_CLUSTER_SECRET, the same for all workers"
  ),
  port: FlagKinds.whole("port", "Port for other workers; default a free one", 65_535),
  listen: FlagKinds.address("listen", `Also ${DatasetFlags.listenMeans}`),
  all: FlagKinds.text(
    "all",
    "<file>",
    "Also keeps the datasets of a TOML file up to date, as `sluice sync --all <file> --watch` does. Of several workers one keeps a dataset, and another goes on when that one ends"
  ),
  keep: FlagKinds.durationOrAll(
    "keep",
    "For how long the cluster keeps what it knows of a backfill that has ended; `all` for ever; default 30d"
  ),
  concurrency: DownloadFlags.concurrency
}

export type WorkerInput = Command.Command.Config.Infer<typeof workerFlags>

/** The words after `backfill` that name no endpoint. */
export const actions = ["status", "pause", "resume", "cancel", "retry", "forget"] as const

export type Action = (typeof actions)[number]
