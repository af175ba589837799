/**
 * Which format has which option, and what holds where it is not given.
 */
import type * as Schema from "effect/Schema"
import * as ColumnType from "./ColumnType.ts"
import type { Name, Options } from "./Options.ts"

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
const whole = "always writes whole records"

const table: { readonly [option in Option]-?: Row<NonNullable<Options[option]>> } = {
  compression: { in: { ndjson: undefined, csv: undefined, parquet: "zstd" }, elsewhere: "" },
  columns: { in: { csv: undefined, parquet: undefined }, elsewhere: whole },
  statusColumns: { in: { csv: true, parquet: false }, elsewhere: whole },
  guardFormulas: { in: { csv: false }, elsewhere: "is not read by spreadsheets", same: false },
  numbers: { in: { parquet: undefined }, elsewhere: asText, same: "text" },
  decimal: { in: { parquet: undefined }, elsewhere: asText }
}

// Type boundary: an object literal has the keys of its type, and no others.
const rows = Object.entries(table) as ReadonlyArray<[Option, Row<Schema.Json>]>

/** The first option that does not fit the format, and why. */
export const misfit = (given: Options) => {
  const found = rows.find(([option, row]) => !(given.as in row.in) && ![undefined, row.same].includes(given[option]))
  return found && { option: found[0], reason: `${given.as} ${found[1].elsewhere}` }
}

/**
 * The options of a format with every default, for what is kept: a job that gives a default is the same as one that does not, and
 * a version with other defaults does not mistake it. A misfit stays one.
 */
export const withDefaults = (given: Options): Options & Schema.JsonObject => {
  const { as, columns, decimal, numbers } = given
  const derived: { readonly [option in Option]?: unknown } = {
    // Columns that are chosen say which there are.
    ...(columns !== undefined && { statusColumns: undefined }),
    ...(as === "parquet" && ColumnType.withDefaults({ decimal, numbers }))
  }
  const options = rows.flatMap(([option, row]) => {
    const value = option in derived ? derived[option] : (given[option] ?? row.in[as])
    return value === undefined || (value === row.same && !(as in row.in)) ? [] : [[option, value]]
  })
  // Type boundary: each value is of its option, and plain data.
  return { as, ...Object.fromEntries(options) } as Options & Schema.JsonObject
}
