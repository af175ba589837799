/**
 * The options of a format: which format has which, what holds where one is not given, and the check of what a program gave.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Shape from "@sluice/node/internal/options/Shape"
import * as ColumnType from "@sluice/core/internal/columns/ColumnType"
import { BadFormat } from "@sluice/core/internal/columns/FormatError"

/** Schema of {@link Name}. */
export const Name = Schema.Literals(["ndjson", "csv", "parquet", "arrow", "arrows"])
/**
 * A format: newline-delimited JSON, comma-separated values, Apache Parquet, or Apache Arrow: `arrow` is its IPC file format,
 * `arrows` its IPC stream format.
 */
export type Name = typeof Name.Type

/** Schema of {@link Compression}. */
export const Compression = Schema.Literals(["gzip", "zstd"])
/** How bytes are compressed. */
export type Compression = typeof Compression.Type

/**
 * What the decimals of a Parquet or Arrow file are: the nearest `DOUBLE`, which keeps 15 to 17 digits; `DECIMAL`, exact up to 38 digits;
 * or text, which holds every decimal.
 */
export const Numbers = Schema.Literals(["double", "decimal", "text"])
/** What the decimals of a Parquet or Arrow file are. */
export type Numbers = typeof Numbers.Type

/** Schema of {@link Times}. */
export const Times = Schema.Literals(["nanos", "micros"])
/** What the times of a Parquet file count: nanoseconds, or microseconds, which are all that Delta, Iceberg and Spark read. */
export type Times = typeof Times.Type

/** Schema of {@link Options}. */
export const Options = Schema.Struct({
  as: Name,
  /**
   * Compresses the file; of Parquet, the pages inside it, which are always compressed (default `zstd`). Arrow is not compressed.
   */
  compression: Schema.optional(Compression),
  /**
   * Parquet and Arrow: what decimals are. Default `"double"`. With `"double"` and `"decimal"` whole numbers, such as block heights, are
   * `INT64`; with `"text"` they are text too. CSV and NDJSON always have the service's text.
   */
  numbers: Schema.optional(Numbers),
  /**
   * Parquet and Arrow: `numbers` is `"decimal"`, of `precision` digits, `scale` of them after the point. Default, with `"decimal"` alone,
   * 38 and 18.
   */
  decimal: Schema.optional(Schema.Struct({ precision: Schema.Int, scale: Schema.Int })),
  /**
   * Parquet: what times count. Default `"nanos"`, `TIMESTAMP(NANOS)`. With `"micros"` they are `TIMESTAMP(MICROS)` marked as UTC, and a
   * record whose time has nanoseconds fails with `Unwritable`.
   */
  times: Schema.optional(Times),
  /** All but NDJSON: these columns, in this order. Default: for CSV all {@link columns}, else those without review status. */
  columns: Schema.optional(Schema.Array(Schema.String)),
  /**
   * All but NDJSON: whether metrics have columns of their review status, `<metric>-status` and `<metric>-status-time`, where
   * `columns` does not choose. Default true for CSV, else false.
   */
  statusColumns: Schema.optional(Schema.Boolean),
  /**
   * CSV: begins text with an apostrophe where a spreadsheet would run it as a formula: text that begins with `=`, `+`, `-`, `@`, a tab
   * or an apostrophe and is no number. Default false: text as the service sent it. Datasets read it back without.
   */
  guardFormulas: Schema.optional(Schema.Boolean)
})
/** How records are written; plain data, so it can be stored beside the file. */
export interface Options extends Schema.Schema.Type<typeof Options> {}

type Option = Exclude<keyof Options, "as">

interface Row<Value> {
  /** The formats that have it, each with its default. Those of numbers depend on each other, and are in `ColumnType`. */
  readonly in: { readonly [name in Name]?: Value | undefined }
  /** What holds for the other formats. */
  readonly elsewhere: string
  /** The value that says just that, and so is accepted there. */
  readonly same?: Value
}

const asText = "always writes decimals as text"
const wholeRecords = "always writes whole records"

const typed = { parquet: undefined, arrow: undefined, arrows: undefined }

const table: { readonly [option in Option]-?: Row<NonNullable<Options[option]>> } = {
  compression: { in: { ndjson: undefined, csv: undefined, parquet: "zstd" }, elsewhere: "is not compressed" },
  numbers: { in: typed, elsewhere: asText, same: "text" },
  decimal: { in: typed, elsewhere: asText },
  times: { in: { parquet: undefined }, elsewhere: "always has times as they are" },
  columns: { in: { csv: undefined, ...typed }, elsewhere: wholeRecords },
  statusColumns: { in: { csv: true, parquet: false, arrow: false, arrows: false }, elsewhere: wholeRecords },
  guardFormulas: { in: { csv: false }, elsewhere: "is not read by spreadsheets", same: false }
}

// Type boundary: an object literal has the keys of its type, and no others.
const rows = Object.entries(table) as ReadonlyArray<[Option, Row<Schema.Json>]>

const expected = 'an object such as { as: "csv" }'

/** Options of files that are read back, of which those that are absent are as they were before. Arrow is not read back. */
export const partial = Schema.Struct({
  ...Options.fields,
  as: Schema.optionalKey(
    Name.check(Schema.makeFilter((as) => !as.startsWith("arrow"), { expected: '"ndjson", "csv" or "parquet"' }))
  )
}).annotate({ expected })

/** Options of which none was before. */
export const whole = Options.annotate({ expected })

/** The error of an option of a format, which is that of another object at `format`; nothing for a fault of anything else. */
export const refusalOf = ({ option, reason }: Shape.Fault): BadFormat | undefined =>
  option === "format" || option.startsWith("format.")
    ? new BadFormat({ option: option.replace("format.", ""), reason })
    : undefined

const faultOf = Shape.faultOf(whole)

/** Fails at the first option that no format has, that has none of its values, or that this format has not. */
export const check = (given: Options): Effect.Effect<void, BadFormat> =>
  Effect.suspend(() => {
    const fault = faultOf(given)
    if (fault !== undefined) return refuse(fault.option === "" ? "format" : fault.option, fault.reason)
    const { as } = given
    const misfit = rows.find(([option, row]) => !(as in row.in) && ![undefined, row.same].includes(given[option]))
    return misfit === undefined ? Effect.void : refuse(misfit[0], `${as} ${misfit[1].elsewhere}`)
  })

const refuse = (option: string, reason: string) => Effect.fail(new BadFormat({ option, reason }))

/**
 * The options of a format with every default, for what is kept: a job that gives a default is the same as one that does not, and
 * a version with other defaults does not mistake it. A misfit stays one.
 */
export const withDefaults = (given: Options): Options & Schema.JsonObject => {
  const { as, columns, decimal, numbers, times } = given
  const derived: { readonly [option in Option]?: unknown } = {
    // Columns that are chosen say which there are.
    ...(columns !== undefined && { statusColumns: undefined }),
    // Not written out: what was kept by versions without it would be another job.
    ...(times === "nanos" && { times: undefined }),
    ...(as in typed && ColumnType.withDefaults({ decimal, numbers }))
  }
  const options = rows.flatMap(([option, row]) => {
    const value = option in derived ? derived[option] : (given[option] ?? row.in[as])
    return value === undefined || (value === row.same && !(as in row.in)) ? [] : [[option, value]]
  })
  // Type boundary: each value is of its option, and plain data.
  return { as, ...Object.fromEntries(options) } as Options & Schema.JsonObject
}
