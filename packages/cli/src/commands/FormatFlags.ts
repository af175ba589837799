/**
 * The flags that say where records go and how they are written. Every command that has them lists them in this order.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as FlagKinds from "./FlagKinds.ts"

/** `--output`. */
export const output = (metavar: "<file>" | "<folder>", what: string) =>
  Flag.String("output").pipe(Flag.withAlias("o"), Flag.withMetavar(metavar), Flag.withDescription(what))

/** `--format`, of files that a command writes into a folder. */
export const fileFormat = (usual: "ndjson" | "parquet") =>
  FlagKinds.choice("format", ["ndjson", "csv", "parquet"]).pipe(
    Flag.withDescription(`Format of the files; default ${usual}`)
  )

/** `--format`, of records in one place; `more` explains further formats. */
export const recordFormat = <const Word extends string>(formats: readonly [Word, ...Array<Word>], more = "") =>
  FlagKinds.choice("format", formats).pipe(
    Flag.withDescription(
      `Format of the records; default that of the file's name, else table on a terminal, ndjson elsewhere${more}`
    ),
    Flag.optional
  )

/** `--compression`. */
export const compression = FlagKinds.choice("compression", ["gzip", "zstd"]).pipe(
  Flag.withDescription("Compresses the output; parquet: the pages inside"),
  Flag.optional
)

/** `--numbers`; `of` are the formats that it is for. */
export const numbers = (of: string) =>
  FlagKinds.choice("numbers", ["double", "decimal", "text"]).pipe(
    Flag.withDescription(
      `${of}: decimals as the nearest DOUBLE (default), DECIMAL(38, 18) or text; decimal and text keep every digit`
    ),
    Flag.optional
  )

const shapeOf = (text: string) => {
  const [, precision, scale] = /^(\d{1,2}),(\d{1,2})$/.exec(text) ?? []
  return precision === undefined ? Option.none() : Option.some({ precision: Number(precision), scale: Number(scale) })
}

/** `--decimal`; `of` are the formats that it is for. */
export const decimal = (of: string) =>
  Flag.String("decimal").pipe(
    Flag.filterMap(shapeOf, (text) => `Expected precision and scale such as 38,18, got ${JSON.stringify(text)}`),
    Flag.withMetavar("<precision,scale>"),
    Flag.withDescription(`${of}: decimals as DECIMAL(precision, scale)`),
    Flag.optional
  )

/** `--columns`; `of` are the formats that it is for, where they are not all. */
export const columns = (of?: string) =>
  FlagKinds.list("columns").pipe(
    Flag.withDescription(`${of === undefined ? "T" : `${of}: t`}hese columns, in this order; default all`),
    Flag.optional
  )

/** `--status-columns`; `usual` is what it is by default. */
export const statusColumns = (usual: string) =>
  Flag.Boolean("status-columns").pipe(
    Flag.withDescription(`The review status of metrics as columns too; --no-status-columns: not; default ${usual}`),
    Flag.optional
  )

/** What `--status-columns` is by default where there are several formats. */
export const inCsvAlone = "in csv alone"

/** `--guard-formulas`. */
export const guardFormulas = Flag.Boolean("guard-formulas").pipe(
  Flag.withDescription("CSV: begins text that a spreadsheet would run as a formula with an apostrophe; default not"),
  Flag.optional
)

/** The flags of files in a folder. */
export const fileFlags = {
  format: fileFormat("ndjson").pipe(Flag.withDefault("ndjson")),
  compression,
  numbers: numbers("Parquet"),
  decimal: decimal("Parquet"),
  columns: columns("CSV and Parquet"),
  "status-columns": statusColumns(inCsvAlone),
  "guard-formulas": guardFormulas
}

/** The flags of records in one place: a file, or standard output. */
export const outputFlags = {
  output: output(
    "<file>",
    "File for the records, which gets its name when it is complete; default standard output"
  ).pipe(Flag.optional),
  format: recordFormat(["table", "ndjson", "csv", "parquet"]),
  compression,
  numbers: numbers("Parquet"),
  decimal: decimal("Parquet"),
  columns: columns("Table, CSV and Parquet"),
  "status-columns": statusColumns(inCsvAlone),
  "guard-formulas": guardFormulas
}

/** What these flags say of a format, beside its name. */
export const formatOf = (input: FormatInput) => ({
  columns: input.columns === undefined ? undefined : Option.getOrUndefined(input.columns),
  numbers: Option.getOrUndefined(input.numbers),
  decimal: Option.getOrUndefined(input.decimal),
  statusColumns: Option.getOrUndefined(input["status-columns"]),
  guardFormulas: input["guard-formulas"] === undefined ? undefined : Option.getOrUndefined(input["guard-formulas"])
})

/** What the flags of {@link outputFlags} say. */
export type OutputInput = Command.Command.Config.Infer<typeof outputFlags>

/** A dataset has all columns. */
type FormatInput = Pick<OutputInput, "decimal" | "numbers" | "status-columns"> &
  Partial<Pick<OutputInput, "columns" | "guard-formulas">>
