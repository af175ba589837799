/**
 * The flags of the commands that read records.
 */
import type * as Bulk from "@sluice/core/Bulk"
import type { Entry, JobEntry, LiveEntry } from "@sluice/core/Endpoints"
import type * as Parameter from "@sluice/core/Parameter"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type * as Descriptions from "../endpoints/Descriptions.ts"
import type * as Parameters from "../endpoints/Parameters.ts"

/** The endpoint, the live operation or the job that an invocation names. */
export interface About<E extends Entry | LiveEntry | JobEntry = Entry> {
  readonly entry: E
  readonly parameters: Parameter.Parameters
  /** Its parameters as flags. */
  readonly flags: Parameters.Flags
  /** Its description; absent unless help is shown. */
  readonly described: Descriptions.Endpoint | undefined
}

/** What an invocation names, if anything. */
export interface Named {
  readonly about?: About
  readonly live?: About<LiveEntry>
  readonly job?: About<JobEntry>
}

const choice = <const Word extends string>(name: string, words: readonly [Word, ...Array<Word>]) => {
  const flag: Flag.Flag<Word> = Flag.Literals(name, words)
  return flag.pipe(Flag.withMetavar(`<${words.join("|")}>`))
}

/** A flag that takes a whole number from 1 up. */
export const whole = (name: string) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (value) => value >= 1,
      (value) => `Expected a whole number from 1 up, got ${value}`
    ),
    Flag.withMetavar("<n>")
  )

const list = (name: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("<list>"),
    Flag.map((text) => text.split(",").map((item) => item.trim()))
  )

const toggle = (name: string) => Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDefault(false))

const units: Readonly<Record<string, Duration.Duration>> = {
  s: Duration.seconds(1),
  m: Duration.minutes(1),
  h: Duration.hours(1),
  d: Duration.days(1),
  w: Duration.weeks(1)
}

/** A period of the calendar, such as `1month` or `1y`. */
const period = (text: string): Option.Option<Bulk.Period> => {
  const [, amount, unit = ""] = /^([1-9]\d{0,3}) ?(mo|months?|y|years?)$/.exec(text) ?? []
  if (amount === undefined) return Option.none()
  return Option.some<Bulk.Period>(unit.startsWith("y") ? `${Number(amount)} years` : `${Number(amount)} months`)
}

const duration = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  const one = units[unit]
  return amount === undefined || one === undefined ? Option.none() : Option.some(Duration.times(one, Number(amount)))
}

const decimal = (text: string) => {
  const [, precision, scale] = /^(\d{1,2}),(\d{1,2})$/.exec(text) ?? []
  return precision === undefined ? Option.none() : Option.some({ precision: Number(precision), scale: Number(scale) })
}

const columns = list("columns").pipe(
  Flag.withDescription("Columns of table, csv or parquet, in this order; default all"),
  Flag.optional
)

const output = (metavar: string, what: string) =>
  Flag.String("output").pipe(Flag.withAlias("o"), Flag.withMetavar(metavar), Flag.withDescription(what))

const compression = choice("compression", ["gzip", "zstd"]).pipe(
  Flag.withDescription("Compresses the output; parquet: the pages inside"),
  Flag.optional
)

const decimalFlag = Flag.String("decimal").pipe(
  Flag.filterMap(decimal, (text) => `Expected precision and scale such as 38,18, got ${JSON.stringify(text)}`),
  Flag.withMetavar("<precision,scale>"),
  Flag.withDescription("Parquet: writes decimals as DECIMAL(precision, scale)"),
  Flag.optional
)

const numbers = choice("numbers", ["double", "decimal", "text"]).pipe(
  Flag.withDescription(
    "Parquet: decimals as the nearest DOUBLE (default), DECIMAL(38, 18) or text; decimal and text keep every digit"
  ),
  Flag.optional
)

const statusColumns = Flag.Boolean("status-columns").pipe(
  Flag.withDescription("Columns of the review status of metrics, or none; default none, but of csv"),
  Flag.optional
)

/** Flags of the commands that write records to one place. */
export const outputFlags = {
  format: choice("format", ["table", "ndjson", "csv", "parquet"]).pipe(
    Flag.withDescription("Output format; default that of the file's name, else table on a terminal, ndjson elsewhere"),
    Flag.optional
  ),
  output: output(
    "<file>",
    "File for the records, which gets its name when it is complete; default standard output"
  ).pipe(Flag.optional),
  compression,
  numbers,
  decimal: decimalFlag,
  columns,
  "status-columns": statusColumns
}

/** What these flags say of a format, beside its name. */
export const formatOf = (input: FormatInput) => ({
  columns: input.columns === undefined ? undefined : Option.getOrUndefined(input.columns),
  numbers: Option.getOrUndefined(input.numbers),
  decimal: Option.getOrUndefined(input.decimal),
  statusColumns: Option.getOrUndefined(input["status-columns"])
})

/** Flags of `get`, beside the parameters of the endpoint. */
export const getFlags = {
  ...outputFlags,
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
  query: Flag.KeyValuePair("query").pipe(
    Flag.withMetavar("<name=value>"),
    Flag.withDescription("Sends a parameter, or a value, that is newer than this program; not checked"),
    Flag.withDefault({})
  )
}

/** Flags of `download`, beside the parameters of the endpoint. */
export const downloadFlags = {
  output: output("<folder>", "Folder for the files; created if missing"),
  format: choice("format", ["ndjson", "csv", "parquet"]).pipe(
    Flag.withDescription("Format of the files; default ndjson"),
    Flag.withDefault("ndjson")
  ),
  compression,
  numbers,
  decimal: decimalFlag,
  columns,
  "status-columns": statusColumns,
  split: Flag.String("split").pipe(
    Flag.withMetavar("<parameter>"),
    Flag.withDescription("Splits the request by this list, such as assets: one file for each item"),
    Flag.optional
  ),
  size: Flag.String("size").pipe(
    Flag.filterMap(
      (text) => {
        if (text === "all") return Option.some(Infinity)
        return /^[1-9]\d{0,5}$/.test(text) ? Option.some(Number(text)) : Option.none()
      },
      (text) => `Expected a whole number from 1 up, or all, got ${JSON.stringify(text)}`
    ),
    Flag.withMetavar("<n|all>"),
    Flag.withDescription("With --split: items in each file, or `all` for as many as fit into a request; default 1"),
    Flag.optional
  ),
  every: Flag.String("every").pipe(
    Flag.filterMap(
      (text): Option.Option<Bulk.Period | Duration.Duration> =>
        Option.orElse(period(text), () => duration(text.replace(/ ?weeks?$/, "w"))),
      (text) =>
        `Expected a time such as 1year, 1month, 1week, 30d, 12h, 90m or 30s (y, mo and w for short), got ${JSON.stringify(text)}`
    ),
    Flag.withMetavar("<time>"),
    Flag.withDescription(
      "Splits the time range too: 1month, 1year (of the calendar), 30d, 12h in each file; needs --start_time and --end_time"
    ),
    Flag.optional
  ),
  resume: toggle("resume").pipe(
    Flag.withDescription("Continues the download in the folder; starts it if there is none")
  ),
  verify: toggle("verify").pipe(
    Flag.withDescription("First compares the finished files with their checksums; without --resume, does only that")
  ),
  "keep-going": toggle("keep-going").pipe(
    Flag.withDescription("Reads the other parts when one fails, and lists the failures at the end")
  ),
  concurrency: whole("concurrency").pipe(
    Flag.withDescription("Files written at the same time; default 10"),
    Flag.optional
  )
}

/** Flags that say where a dataset is kept, and how its numbers are written there. */
const placeFlags = {
  output: output("<folder>", "Folder of the dataset; created if missing").pipe(Flag.optional),
  into: Flag.String("into").pipe(
    Flag.withMetavar("<database>"),
    Flag.withDescription(
      "In place of a folder: a URL such as postgres://user@host/database, with PGPASSWORD in the environment, or a file such as market.duckdb"
    ),
    Flag.optional
  ),
  table: Flag.String("table").pipe(
    Flag.withMetavar("<name>"),
    Flag.withDescription(
      "With --into: the table; created if missing, in a database that exists (a DuckDB file is created)"
    ),
    Flag.optional
  ),
  numbers,
  "status-columns": statusColumns
}

/** Flags of `verify`. */
export const verifyFlags = { table: placeFlags.table }

/** Flags of `sync`, beside the parameters of the endpoint. */
export const syncFlags = {
  ...placeFlags,
  check: toggle("check").pipe(Flag.withDescription("Says what would be requested and why, and changes nothing")),
  "look-back": Flag.String("look-back").pipe(
    Flag.filterMap(duration, (text) => `Expected a time such as 7d, 12h or 90m, got ${JSON.stringify(text)}`),
    Flag.withMetavar("<time>"),
    Flag.withDescription(
      "Reads so much before the last record of each entity again, since it may be revised; default by frequency: 1w of days, 1d of hours, 1h of minutes, else 2m"
    ),
    Flag.optional
  ),
  gone: choice("gone", ["keep", "remove"]).pipe(
    Flag.withDescription("What happens to records of an entity that the service no longer has; default keep"),
    Flag.optional
  ),
  period: choice("period", ["day", "month", "year", "none"]).pipe(
    Flag.withDescription("Folders of the calendar, such as year=2025; default year"),
    Flag.optional
  ),
  "by-entity": Flag.Boolean("by-entity").pipe(
    Flag.withDescription("Whether each entity has a folder, such as asset=btc; default yes"),
    Flag.optional
  ),
  rows: whole("rows").pipe(
    Flag.withDescription("Records after which another file begins; default 1000000"),
    Flag.optional
  ),
  format: choice("format", ["ndjson", "csv", "parquet"]).pipe(
    Flag.withDescription("Format of the files; default parquet"),
    Flag.optional
  ),
  compression,
  decimal: decimalFlag,
  concurrency: whole("concurrency").pipe(
    Flag.withDescription("Requests read at the same time; default 10"),
    Flag.optional
  )
}

/** Flags of `tail`, beside the parameters of the operation. */
export const tailFlags = {
  since: Flag.String("since").pipe(
    Flag.withMetavar("<time>"),
    Flag.withDescription(
      "Reads the series from this time to now first, then goes on live: a time as --start_time takes it, such as -1h"
    ),
    Flag.optional
  ),
  format: choice("format", ["table", "ndjson", "csv", "messages"]).pipe(
    Flag.withDescription(
      "Output format; default csv for a file of that name, table on a terminal, ndjson elsewhere. messages: NDJSON of records with their origin, and of gaps, connections and warnings between them"
    ),
    Flag.optional
  ),
  output: output("<file>", "New file for the records, which grows as they come; default standard output").pipe(
    Flag.optional
  ),
  limit: whole("limit").pipe(Flag.withDescription("Stops after this many records"), Flag.optional),
  columns,
  "when-full": choice("when-full", ["suspend", "drop-oldest", "fail"]).pipe(
    Flag.withDescription(
      "When the output is slower than the service: hold the service back (default), drop the oldest records and say how many, or fail"
    ),
    Flag.withDefault("suspend")
  ),
  capacity: whole("capacity").pipe(
    Flag.withDescription("The records held for a slow output; default 10000"),
    Flag.optional
  ),
  query: getFlags.query
}

/** Flags of `types`. */
export const typesFlags = {
  assets: Flag.String("assets").pipe(
    Flag.withMetavar("<list>"),
    Flag.withDescription("Of these assets only; default all that the key may read"),
    Flag.atLeast(0)
  ),
  output: output("<file>", "File for the types, such as metrics.d.ts; default standard output").pipe(
    Flag.withAlias("out"),
    Flag.optional
  )
}

/** Flags of `schema`, beside the parameters of the endpoint. */
export const schemaFlags = {
  as: choice("as", ["json-schema", "duckdb", "postgres"]).pipe(
    Flag.withDescription(
      "JSON Schema of a record (default), or the statements that create a table in DuckDB or PostgreSQL"
    ),
    Flag.withDefault("json-schema")
  ),
  table: Flag.String("table").pipe(
    Flag.withMetavar("<name>"),
    Flag.withDescription("Name of the table; default the last part of the path"),
    Flag.optional
  ),
  numbers,
  decimal: decimalFlag,
  columns,
  "status-columns": statusColumns
}

/** Names of the flags that are not parameters of an endpoint. */
export const ownFlags: ReadonlySet<string> = new Set(
  [getFlags, downloadFlags, syncFlags, tailFlags, schemaFlags].flatMap((flags) => Object.keys(flags))
)

/** What the flags of {@link outputFlags} say. */
export type OutputInput = Command.Command.Config.Infer<typeof outputFlags>

/** A dataset has all columns. */
type FormatInput = Pick<OutputInput, "decimal" | "numbers" | "status-columns"> & Partial<Pick<OutputInput, "columns">>

/** Flags of `types`. */
export type TypesInput = Command.Command.Config.Infer<typeof typesFlags>

/** Arguments and flags of `tail`. */
export type TailInput = Command.Command.Config.Infer<typeof tailFlags> & Common

/** Arguments and flags of `get`. */
export type GetInput = Command.Command.Config.Infer<typeof getFlags> & Common

/** Arguments and flags of `schema`. */
export type SchemaInput = Command.Command.Config.Infer<typeof schemaFlags> & Common

/** Arguments and flags of `download`. */
export type DownloadInput = Command.Command.Config.Infer<typeof downloadFlags> & Common

/** What the flags say of the place of a dataset. */
export type PlaceInput = Command.Command.Config.Infer<typeof placeFlags>

/** Arguments and flags of `verify`. */
export interface VerifyInput extends Pick<PlaceInput, "table"> {
  /** A folder or a database. */
  readonly place: string
}

/** Arguments and flags of `sync`. The endpoint is absent where the folder says it. */
export interface SyncInput extends Omit<Common, "endpoint">, Command.Command.Config.Infer<typeof syncFlags> {
  readonly endpoint: Option.Option<string>
}

/** Arguments and flags of `jobs results`. */
export interface ResultsInput extends OutputInput {
  readonly kind: string
  readonly id: string
}

interface Common {
  readonly endpoint: string
  /** Parameters of the endpoint, by the wire's name. */
  readonly parameters: Readonly<Record<string, Option.Option<unknown>>>
}
