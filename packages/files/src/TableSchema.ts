/**
 * The schema of the records of an endpoint: as JSON Schema, and as the statements that create a table for them in DuckDB or
 * PostgreSQL.
 *
 * **Example** (Creating a table for daily prices)
 *
 * ```ts
 * const program = Effect.gen(function* () {
 *   const schema = yield* TableSchema.make(Timeseries.assetMetrics, { assets: "*", metrics: ["PriceUSD"] })
 *   return TableSchema.ddl(schema, { dialect: "postgres", table: "prices" }).join(";\n")
 * })
 * ```
 */
import "@sluice/node/internal/runtime/NodeVersion"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Format from "./Format.ts"
import * as Columns from "@sluice/core/internal/columns/Column"
import * as ColumnType from "@sluice/core/internal/columns/ColumnType"
import * as Ddl from "./internal/format/Ddl.ts"
import { BadFormat } from "@sluice/core/internal/columns/FormatError"
import * as JsonSchema from "./internal/format/JsonSchema.ts"
import * as Key from "./internal/format/Key.ts"
import * as FormatOptions from "./internal/format/Options.ts"
import * as OptionShape from "@sluice/node/internal/options/Shape"

export type { ColumnType, Shape } from "@sluice/core/internal/columns/ColumnType"
export type { Table as TableName } from "./internal/format/Ddl.ts"
export { BadFormat }

/**
 * What a table of records is like. The options are those of a format, and mean the same: `columns`, `numbers`, `decimal` and
 * `statusColumns`. So the options of a Parquet file may be given as they are: `as` and `compression` are not used.
 */
export interface Options extends Omit<Format.Options, "as"> {
  /** Not used: also with `"csv"` the columns are those of a Parquet file. */
  readonly as?: Format.Name | undefined
  /** What columns say, by their names. */
  readonly descriptions?: Readonly<Record<string, string>> | undefined
}

const faultOf = OptionShape.faultOf(
  OptionShape.of<Options>()({
    ...FormatOptions.Options.fields,
    as: Schema.optional(FormatOptions.Name),
    descriptions: Schema.optional(Schema.Record(Schema.String, Schema.String))
  })
)

/** A column of a table. */
export interface Column extends Columns.Column {
  /** The type of its values in a database. */
  readonly type: ColumnType.ColumnType
  /** What its values say, where that is known. */
  readonly description?: string | undefined
}

/** The schema of the records of one endpoint for some parameters. */
export interface TableSchema {
  /** Path of the endpoint. */
  readonly endpoint: string
  /** The columns, in the order of the record. */
  readonly columns: ReadonlyArray<Column>
  /**
   * The columns of which no two records have the same values: the entity, the time, and what tells records of one time
   * apart. Empty where only all columns do, where a list documents none, and where one of them was not chosen.
   */
  readonly key: ReadonlyArray<string>
  /** JSON Schema of a record as the service sends it, and NDJSON has it. */
  readonly json: Schema.JsonObject
}

/**
 * Builds the schema of an endpoint's records.
 *
 * **Details**
 *
 * Columns follow from the interface and the parameters as those of a Parquet file do (`Format.columns`), with the same types:
 * decimals are doubles unless `numbers` says otherwise, whole numbers have 64 bits, and the review status of metrics has columns
 * with `statusColumns: true`. Fails with `BadFormat` where the columns are not known before the data.
 */
export const make = Effect.fnUntraced(function* (
  endpoint: Columns.Source,
  params: object,
  options: Options = {}
): Effect.fn.Return<TableSchema, BadFormat> {
  const fault = faultOf(options)
  if (fault !== undefined) return yield* new BadFormat({ option: fault.option || "options", reason: fault.reason })
  const { columns: chosen, decimal, descriptions = {}, numbers, statusColumns = false } = options
  yield* Effect.fromResult(ColumnType.check({ decimal, numbers }))
  yield* Effect.fromResult(Columns.checkNamed(endpoint, params))
  const found = Columns.of(endpoint, params, chosen)
  const all = yield* Effect.fromResult(
    chosen !== undefined || statusColumns ? found : Result.map(found, Columns.withoutStatus)
  )
  const describe = (name: string) => (Object.hasOwn(descriptions, name) ? descriptions[name] : undefined)
  const columns = all.map((column): Column => ({
    ...column,
    type: ColumnType.of(column, { decimal, numbers }),
    description: describe(column.name)
  }))
  return {
    endpoint: endpoint.path,
    columns,
    key: Key.of(endpoint, params, columns),
    json: JsonSchema.of(endpoint, params, columns)
  }
})

/** Schema of {@link Dialect}. */
export const Dialect = Schema.Literals(["duckdb", "postgres"])

/** A database, by its language. */
export type Dialect = typeof Dialect.Type

/** How a table is created. */
export interface DdlOptions {
  /** The database that the statement is for. */
  readonly dialect: Dialect
  /** Name of the table, or of its schema and the table. Default: the last part of the endpoint's path. */
  readonly table?: Ddl.Table | undefined
  /** Whether the key of the schema is the primary key. Default true. */
  readonly primaryKey?: boolean | undefined
  /** Whether to leave a table alone that is there already. Default false. */
  readonly ifNotExists?: boolean | undefined
}

/**
 * The statements that create a table for these records, and comment on its columns, without semicolons.
 *
 * **Details**
 *
 * Columns of the primary key cannot be null. Values with structure are `JSON` in DuckDB and `jsonb` in PostgreSQL.
 * `DECIMAL(38, 18)` is `numeric` without bounds in PostgreSQL, which holds every number of the service; `decimal` gives
 * it bounds.
 *
 * **Gotchas**
 *
 * PostgreSQL has times to the microsecond; DuckDB keeps all nine digits. Quotes and trades that differ in fewer are told apart by
 * their ids.
 */
export const ddl = (schema: TableSchema, options: DdlOptions): ReadonlyArray<string> => Ddl.statements(schema, options)

/** The type of a column in a database, such as `double precision`: for `ALTER TABLE … ADD COLUMN`. */
export const typeOf = (column: Column, dialect: Dialect): string => Ddl.typeOf(column.type, dialect)

/** A name as SQL has it, in quotes. */
export const identifier = (name: string): string => Ddl.identifier(name)
