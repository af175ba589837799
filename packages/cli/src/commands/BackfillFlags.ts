/**
 * The flags of backfills, and what can be asked of one.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Given } from "./About.ts"
import * as DatasetFlags from "./DatasetFlags.ts"
import * as DownloadFlags from "./DownloadFlags.ts"
import * as FormatFlags from "./FormatFlags.ts"

/** `--cluster`. */
export const cluster = Flag.Redacted("cluster").pipe(
  Flag.withMetavar("<url>"),
  Flag.withDescription(
    "The PostgreSQL of the cluster, postgres://user:password@host/database. Other users of this machine can see flags: prefer SLUICE_CLUSTER"
  ),
  Flag.optional
)

/** `--into` of a worker. */
export const into = Flag.String("into").pipe(
  Flag.withMetavar("<database>"),
  Flag.withDescription(
    "The PostgreSQL with the tables of backfills, postgres://user@host/database, with PGPASSWORD in the environment; default that of the cluster"
  ),
  Flag.optional
)

/** Flags of `backfill`, beside the parameters of the endpoint. */
export const backfillFlags = {
  ...DownloadFlags.folderFlags,
  output: DownloadFlags.folderFlags.output.pipe(Flag.withAlias("to"), Flag.optional),
  into: Flag.String("into").pipe(
    Flag.withMetavar("<folder|database>"),
    Flag.withDescription(
      "In place of --output: the folder of a dataset, or a PostgreSQL, postgres://user@host/database, with PGPASSWORD in the environment. `sluice sync` goes on there"
    ),
    Flag.optional
  ),
  table: Flag.String("table").pipe(
    Flag.withMetavar("<name>"),
    Flag.withDescription("With --into of a database: the table; created if missing, in a database that exists"),
    Flag.optional
  ),
  format: FormatFlags.fileFormat("ndjson").pipe(
    Flag.withDescription("Format of the files; default ndjson, and parquet with --into"),
    Flag.optional
  ),
  ...DatasetFlags.layoutFlags,
  cluster,
  concurrency: DownloadFlags.concurrency
}

/** Arguments and flags of `backfill`. */
export type BackfillInput = Command.Command.Config.Infer<typeof backfillFlags> & Given

/** The words after `backfill` that name no endpoint. */
export const actions = ["status", "pause", "resume", "cancel", "retry", "forget"] as const

/** What can be asked of a backfill. */
export type Action = (typeof actions)[number]
