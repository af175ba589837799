/**
 * The flags of the commands that write to one place, and the names that no parameter may have.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { Given } from "./About.ts"
import { backfillFlags } from "./BackfillFlags.ts"
import { syncFlags } from "./DatasetFlags.ts"
import { downloadFlags } from "./DownloadFlags.ts"
import * as FlagKinds from "./FlagKinds.ts"
import * as FormatFlags from "./FormatFlags.ts"

const query = Flag.KeyValuePair("query").pipe(
  Flag.withMetavar("<name=value>"),
  Flag.withDescription("Sends a parameter, or a value, that is newer than this program; not checked"),
  Flag.withDefault({})
)

/** Flags of `get`, beside the parameters of the endpoint. */
export const getFlags = {
  ...FormatFlags.outputFlags,
  limit: Flag.String("limit").pipe(
    Flag.filterMap(
      (text) => (/^([1-9]\d{0,14}|none)$/.test(text) ? Option.some(text) : Option.none()),
      (text) => `Expected a whole number from 1 up, or none, got ${text}`
    ),
    Flag.withMetavar("<n>"),
    Flag.withDescription(
      "Stops after this many records, counted from the oldest of a series, and requests no more than needed; `none` reads all"
    ),
    Flag.optional
  ),
  query
}

/** Flags of `tail`, beside the parameters of the operation. */
export const tailFlags = {
  output: FormatFlags.output(
    "<file>",
    "New file for the records, which grows as they come; default standard output"
  ).pipe(Flag.optional),
  format: FormatFlags.recordFormat(
    ["table", "ndjson", "csv", "messages"],
    ". messages: NDJSON of records with their origin, and of gaps, connections and warnings between them"
  ),
  columns: FormatFlags.columns("Table and CSV"),
  since: Flag.String("since").pipe(
    Flag.withMetavar("<time>"),
    Flag.withDescription(
      "Reads the series from this time to now first, then goes on live: a time as --start_time takes it, such as -1h"
    ),
    Flag.optional
  ),
  limit: FlagKinds.whole("limit").pipe(Flag.withDescription("Stops after this many records"), Flag.optional),
  order: FlagKinds.choice("order", ["series", "arrival"]).pipe(
    Flag.withDescription(
      "After a broken connection: what was missed comes first (default), or each record as it arrives and what was missed behind it"
    ),
    Flag.withDefault("series")
  ),
  "when-full": FlagKinds.choice("when-full", ["suspend", "drop-oldest", "fail"]).pipe(
    Flag.withDescription(
      "When the output is slower than the service: hold the service back (default), drop the oldest records and say how many, or fail"
    ),
    Flag.withDefault("suspend")
  ),
  capacity: FlagKinds.whole("capacity").pipe(
    Flag.withDescription("The records held for a slow output; default 10000"),
    Flag.optional
  ),
  query
}

/** Flags of `types`. */
export const typesFlags = {
  output: FormatFlags.output("<file>", "File for the types, such as metrics.d.ts; default standard output").pipe(
    Flag.withAlias("out"),
    Flag.optional
  ),
  assets: Flag.String("assets").pipe(
    Flag.withMetavar("<list>"),
    Flag.withDescription("Of these assets only; default all that the key may read"),
    Flag.atLeast(0)
  )
}

const ofSchema = "DuckDB and PostgreSQL"

/** Flags of `schema`, beside the parameters of the endpoint. */
export const schemaFlags = {
  as: FlagKinds.choice("as", ["json-schema", "duckdb", "postgres"]).pipe(
    Flag.withDescription(
      "JSON Schema of a record (default), or the statements that create a table in DuckDB or PostgreSQL"
    ),
    Flag.withDefault("json-schema")
  ),
  table: Flag.String("table").pipe(
    Flag.withMetavar("<name>"),
    Flag.withDescription(`${ofSchema}: name of the table; default the last part of the path`),
    Flag.optional
  ),
  numbers: FormatFlags.numbers(ofSchema),
  decimal: FormatFlags.decimal(ofSchema),
  columns: FormatFlags.columns(),
  "status-columns": FormatFlags.statusColumns("not")
}

/** Names of the flags that are not parameters of an endpoint. */
export const ownFlags: ReadonlySet<string> = new Set(
  [getFlags, downloadFlags, backfillFlags, syncFlags, tailFlags, schemaFlags].flatMap((flags) => Object.keys(flags))
)

/** Flags of `types`. */
export type TypesInput = Command.Command.Config.Infer<typeof typesFlags>

/** Arguments and flags of `tail`. */
export type TailInput = Command.Command.Config.Infer<typeof tailFlags> & Given

/** Arguments and flags of `get`. */
export type GetInput = Command.Command.Config.Infer<typeof getFlags> & Given

/** Arguments and flags of `schema`. */
export type SchemaInput = Command.Command.Config.Infer<typeof schemaFlags> & Given

/** Arguments and flags of `jobs results`. */
export interface ResultsInput extends FormatFlags.OutputInput {
  readonly kind: string
  readonly id: string
}
