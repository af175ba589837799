/** The flags of the commands that write to one place. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Struct from "effect/Struct"
import type { Given } from "./About.ts"
import * as FlagKinds from "../../settings/FlagKinds.ts"
import * as FormatFlags from "./FormatFlags.ts"

const query = Flag.KeyValuePair("query").pipe(
  Flag.withMetavar("<name=value>"),
  Flag.withDescription("Sends a parameter, or a value, that is newer than this program; not checked"),
  Flag.withDefault({})
)

const limitOf = (text: string) => (/^([1-9]\d{0,14}|none)$/.test(text) ? Option.some(text) : Option.none())

export const getFlags = {
  ...FormatFlags.outputFlags,
  limit: FlagKinds.parsed(
    "limit",
    "<n>",
    limitOf,
    "a whole number from 1 up, or none",
    "Stops after this many records, counted from the oldest of a series, and requests no more than needed; `none` reads all"
  ),
  from: FlagKinds.text(
    "from",
    "<place>",
    "The folder of a dataset, or the database of its --table: what it has is read there, what it lacks from the service, and kept; begun where there is none. Without an endpoint all that it holds"
  ),
  table: FlagKinds.text("table", "<name>", "With --from and a database: the table of the dataset"),
  offline: FlagKinds.toggle(
    "offline",
    "With --from or --cache: asks the service nothing, and fails where the dataset lacks something of the range, which without an end is up to the last sync"
  ),
  cache: FlagKinds.text(
    "cache",
    "<folder>",
    "Stores records in this folder, and reads from it what it has; requests of the call only what is not there"
  ),
  maxAge: FlagKinds.duration(
    "max-age",
    "With --from or --cache: requests what the service may still change only when the last sync is older than this, such as 1d; default 1m"
  ),
  asOf: FlagKinds.text(
    "as-of",
    "<time>",
    "With --from: the records as a program would have got them then, of a dataset that keeps versions; a date is its first moment, in UTC"
  ),
  asUrl: FlagKinds.toggle("as-url", "Prints the URL of the first request, without the key, and sends nothing"),
  asCode: FlagKinds.choice(
    "as-code",
    ["ts", "python", "sql"],
    "Prints a program that reads the same, and sends nothing: TypeScript on Effect, Python on the official client, or SQL of DuckDB over the file that the command writes, or alone with --from over the versions of a folder"
  ),
  query
}

export const plotFlags = {
  output: FlagKinds.text("output", "<file.svg>", "Draws an SVG into this file; default text on standard output").pipe(
    Flag.withAlias("o")
  ),
  fields: FlagKinds.list(
    "fields",
    "The fields to draw as lines; default the metrics, else candles where there are prices of them, else the price or the first number"
  ).pipe(Flag.withAlias("field"), Flag.withAlias("columns")),
  width: FlagKinds.whole(
    "width",
    "Columns of the text, default those of the terminal; pixels of an SVG, default 800",
    4_000
  ),
  height: FlagKinds.whole("height", "Lines of a chart of text, default 16; pixels of an SVG, default 400", 2_000),
  log: FlagKinds.toggle("log", "A logarithmic scale of values, which has those above 0 alone"),
  ascii: FlagKinds.toggle("ascii", "Draws with ASCII alone, as it does for a locale without UTF-8"),
  table: FlagKinds.text("table", "<name>", "The table of a dataset, where the source or --from is a database"),
  ...Struct.pick(getFlags, ["limit", "from", "offline", "maxAge", "asOf", "query"])
}

export const tailFlags = {
  output: FormatFlags.outputFile("New file for the records, which grows as they come"),
  format: FormatFlags.recordFormat(
    ["table", "ndjson", "csv", "messages"],
    ". messages: NDJSON of records with their origin, and of gaps, connections and warnings between them"
  ),
  columns: FormatFlags.columns("Table and CSV"),
  since: FlagKinds.text(
    "since",
    "<time>",
    "Reads the series from this time to now first, then goes on live: a time as --start_time takes it, such as -1h"
  ),
  limit: FlagKinds.whole("limit", "Stops after this many records"),
  for: FlagKinds.duration("for", "Stops after this time, such as 10s"),
  order: FlagKinds.choice(
    "order",
    ["series", "arrival"],
    "After a broken connection: what was missed comes first (default), or each record as it arrives and what was missed behind it"
  ),
  whenFull: Flag.map(
    FlagKinds.choice(
      "when-full",
      ["suspend", "drop-oldest", "fail"],
      "When the output is slower than the service: hold the service back (default), drop the oldest records and say how many, or fail"
    ),
    (policy) => (policy === "drop-oldest" ? "dropOldest" : policy)
  ),
  capacity: FlagKinds.whole("capacity", "The records held for a slow output; default 10000"),
  query
}

export const typesFlags = {
  output: FormatFlags.outputFile("File for the types, such as metrics.d.ts").pipe(Flag.withAlias("out")),
  assets: Flag.String("assets").pipe(
    Flag.withMetavar("<list>"),
    Flag.withDescription("Of these assets only; default all that the key may read"),
    Flag.atLeast(0)
  )
}

const ofSchema = "DuckDB and PostgreSQL"

export const schemaFlags = {
  as: FlagKinds.choice(
    "as",
    ["json-schema", "duckdb", "postgres"],
    "JSON Schema of a record (default), or the statements that create a table in DuckDB or PostgreSQL"
  ),
  table: FlagKinds.text("table", "<name>", `${ofSchema}: name of the table; default the last part of the path`),
  format: {
    numbers: FormatFlags.numbers(ofSchema),
    decimal: FormatFlags.decimal(ofSchema),
    columns: FormatFlags.columns(),
    statusColumns: FormatFlags.statusColumns("not")
  }
}

export type TypesInput = Command.Command.Config.Infer<typeof typesFlags>

export type TailInput = Command.Command.Config.Infer<typeof tailFlags> & Given

export interface GetInput extends Omit<Given, "endpoint">, Command.Command.Config.Infer<typeof getFlags> {
  /** Absent where all of a dataset is meant. */
  readonly endpoint: string | undefined
}

/** Whether records are to be those of a dataset or a cache. */
export const areHeld = (
  input: Pick<GetInput, "asOf" | "from" | "maxAge" | "offline"> & Partial<Pick<GetInput, "cache" | "table">>
): boolean =>
  input.offline || [input.asOf, input.cache, input.from, input.maxAge, input.table].some(Predicate.isNotUndefined)

export type PlotInput = Command.Command.Config.Infer<typeof plotFlags> &
  Omit<Given, "endpoint"> & { readonly source: string }

export type SchemaInput = Command.Command.Config.Infer<typeof schemaFlags> & Given

export interface ResultsInput extends FormatFlags.OutputInput {
  readonly kind: string
  readonly id: string
}
