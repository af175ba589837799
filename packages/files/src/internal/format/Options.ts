/**
 * The options of a format, and the check of what a program gave for them.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Shape from "@sluice/node/internal/options/Shape"
import { BadFormat } from "./FormatError.ts"

/** Schema of {@link Name}. */
export const Name = Schema.Literals(["ndjson", "csv", "parquet"])
/** A format: newline-delimited JSON, comma-separated values, or Apache Parquet. */
export type Name = typeof Name.Type

/** Schema of {@link Compression}. */
export const Compression = Schema.Literals(["gzip", "zstd"])
/** How bytes are compressed. */
export type Compression = typeof Compression.Type

/**
 * What the decimals of a Parquet file are: the nearest `DOUBLE`, which keeps 15 to 17 digits; `DECIMAL`, exact up to 38 digits;
 * or text, which holds every decimal.
 */
export const Numbers = Schema.Literals(["double", "decimal", "text"])
/** What the decimals of a Parquet file are. */
export type Numbers = typeof Numbers.Type

/** Schema of {@link Options}. */
export const Options = Schema.Struct({
  as: Name,
  /**
   * Compresses the file; of Parquet, the pages inside it, which are always compressed (default `zstd`).
   */
  compression: Schema.optional(Compression),
  /**
   * Parquet: what decimals are. Default `"double"`. With `"double"` and `"decimal"` whole numbers, such as block heights, are
   * `INT64`; with `"text"` they are text too. CSV and NDJSON always have the service's text.
   */
  numbers: Schema.optional(Numbers),
  /**
   * Parquet: `numbers` is `"decimal"`, of `precision` digits, `scale` of them after the point. Default, with `"decimal"` alone,
   * 38 and 18.
   */
  decimal: Schema.optional(Schema.Struct({ precision: Schema.Int, scale: Schema.Int })),
  /** CSV and Parquet: these columns, in this order. Default all {@link columns}, of Parquet those without review status. */
  columns: Schema.optional(Schema.Array(Schema.String)),
  /**
   * CSV and Parquet: whether metrics have columns of their review status, `<metric>-status` and `<metric>-status-time`, where
   * `columns` does not choose. Default true for CSV, false for Parquet.
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

const expected = 'an object such as { as: "csv" }'

/** Options of which those that are absent are as they were before. */
export const partial = Schema.Struct({ ...Options.fields, as: Schema.optionalKey(Name) }).annotate({ expected })

/** Options of which none was before. */
export const whole = Options.annotate({ expected })

/** The error of an option of a format, which is that of another object at `format`; nothing for a fault of anything else. */
export const refusalOf = ({ option, reason }: Shape.Fault): BadFormat | undefined =>
  option === "format" || option.startsWith("format.")
    ? new BadFormat({ option: option.replace("format.", ""), reason })
    : undefined

const faultOf = Shape.faultOf(whole)

/** Fails at the first option that no format has, or that has none of its values. */
export const check = (given: unknown): Effect.Effect<void, BadFormat> =>
  Effect.suspend(() => {
    const found = faultOf(given)
    if (found === undefined) return Effect.void
    const { option, reason } = found
    return Effect.fail(new BadFormat({ option: option === "" ? "format" : option, reason }))
  })
