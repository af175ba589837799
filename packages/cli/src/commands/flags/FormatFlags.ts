/**
 * The flags that say where records go and how they are written. Every command that has them lists them in this order, and hands
 * them on as they are: together they are the options of a format.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import * as FlagKinds from "../../settings/FlagKinds.ts"

/** `--output`, of a command that writes to standard output without it. */
export const outputFile = (means: string) =>
  Flag.withAlias(FlagKinds.text("output", "<file>", `${means}; default standard output`), "o")

/** `--format`, of files that a command writes into a folder. */
const fileFormat = <const Word extends string>(usual: string, formats: readonly [Word, ...Array<Word>]) =>
  FlagKinds.choice("format", formats, `Format of the files; default ${usual}`)

/** `--format`, of records in one place; `more` explains further formats. */
export const recordFormat = <const Word extends string>(formats: readonly [Word, ...Array<Word>], more = "") =>
  FlagKinds.choice(
    "format",
    formats,
    `Format of the records; default that of the file's name, else table on a terminal, ndjson elsewhere${more}`
  )

const compression = FlagKinds.choice(
  "compression",
  ["gzip", "zstd"],
  "Compresses the output; parquet: the pages inside"
)

/** `--numbers`; `of` are the formats that it is for. */
export const numbers = (of: string) =>
  FlagKinds.choice(
    "numbers",
    ["double", "decimal", "text"],
    `${of}: decimals as the nearest DOUBLE (default), DECIMAL(38, 18) or text; decimal and text keep every digit`
  )

const shapeOf = (text: string) => {
  const [, precision, scale] = /^(\d{1,2}),(\d{1,2})$/.exec(text) ?? []
  return precision === undefined ? Option.none() : Option.some({ precision: Number(precision), scale: Number(scale) })
}

/** `--decimal`; `of` are the formats that it is for. */
export const decimal = (of: string) =>
  FlagKinds.parsed(
    "decimal",
    "<precision,scale>",
    shapeOf,
    "precision and scale such as 38,18",
    `${of}: decimals as DECIMAL(precision, scale)`
  )

const times = FlagKinds.choice(
  "times",
  ["nanos", "micros"],
  "Parquet: times in nanoseconds (default), or in microseconds, as Delta and Spark read them"
)

/** `--columns`; `of` are the formats that it is for, where they are not all. */
export const columns = (of?: string) =>
  FlagKinds.list("columns", `${of === undefined ? "T" : `${of}: t`}hese columns, in this order; default all`)

/** `--status-columns`; `usual` is what it is by default. */
export const statusColumns = (usual: string) =>
  FlagKinds.either(
    "status-columns",
    `The review status of metrics as columns too; --no-status-columns: not; default ${usual}`
  )

const ofTables = "Parquet and Arrow"

/** What `--status-columns` is by default where there are several formats. */
const inCsvAlone = "in csv alone"

/** The flags of a format beside `--format`; `ofColumns` are the formats that have columns, `ofNumbers` those that have numbers. */
const optionFlags = (ofColumns: string, ofNumbers: string, ofDecimal = ofNumbers) => ({
  compression,
  numbers: numbers(ofNumbers),
  decimal: decimal(ofDecimal),
  times,
  columns: columns(ofColumns),
  statusColumns: statusColumns(inCsvAlone),
  guardFormulas: FlagKinds.either(
    "guard-formulas",
    "CSV: begins text that a spreadsheet would run as a formula with an apostrophe; default not"
  )
})

/** The flags of the format of files in a folder. */
export const fileFlags = (usual: string) => ({
  as: fileFormat(usual, ["ndjson", "csv", "parquet", "arrow"]),
  ...optionFlags(`CSV, ${ofTables}`, ofTables)
})

/** The flags of the format of a dataset, which has all columns and all text as it came. */
export const datasetFlags = {
  as: fileFormat("parquet", ["ndjson", "csv", "parquet"]),
  ...Struct.omit(optionFlags("CSV and Parquet", "Parquet and tables", "Parquet"), ["columns", "guardFormulas"])
}

/** The flags of records in one place: a file, or standard output. */
export const outputFlags = {
  output: outputFile("File for the records, which gets its name when it is complete"),
  format: {
    as: recordFormat(["table", "ndjson", "csv", "parquet", "arrow"]),
    ...optionFlags(`Table, CSV, ${ofTables}`, ofTables)
  }
}

export type OutputInput = Command.Command.Config.Infer<typeof outputFlags>

/** The types of markets. */
export const marketTypes: ReadonlyArray<string> = ["spot", "future", "option", "bond"]

/** The flags of the commands that list what there is to read. */
export const listFlags = {
  format: FlagKinds.choice(
    "format",
    ["table", "ndjson", "csv"],
    "Format of the rows; default table on a terminal, ndjson elsewhere"
  ),
  limit: FlagKinds.whole("limit", "Lists at most this many")
}

export type ListInput = Command.Command.Config.Infer<typeof listFlags>
