/**
 * A dataset as a table: the same columns in every database.
 */
import * as Parameter from "@sluice/core/Parameter"
import * as Result from "effect/Result"
import type { Numbers } from "@sluice/files/Format"
import * as Definition from "../model/Definition.ts"
import type { Series } from "../model/Store.ts"
import * as Columns from "@sluice/core/internal/columns/Column"
import * as ColumnType from "@sluice/core/internal/columns/ColumnType"
import * as Ddl from "@sluice/files/internal/format/Ddl"
import type { BadFormat } from "@sluice/core/internal/columns/FormatError"

/** How records become rows. */
export interface TableOptions {
  /**
   * What numbers are: `double`, the default, for calculating; `decimal`, which keeps their digits; or `text`. Fixed with the
   * first sync.
   */
  readonly numbers?: Numbers | undefined
  /** Whether reviewable metrics have their `<metric>-status` and `<metric>-status-time` as columns. Default false. */
  readonly statusColumns?: boolean | undefined
}

/** Where a table is. */
export interface TableAddress {
  readonly schema: string
  readonly table: string
}

/** A column of a table. */
export interface TableColumn extends Columns.Column {
  readonly type: ColumnType.ColumnType
}

/** A table. */
export interface Table extends Pick<ColumnType.Options, "numbers"> {
  readonly columns: ReadonlyArray<TableColumn>
  /** Columns whose values a new record takes over from the one it replaces. */
  readonly carried: ReadonlyArray<string>
  /** The column of the entity, and of the time of a record. */
  readonly entity: string
  readonly time: string
  /** Columns that no two records have the same values of; absent where only all columns together tell records apart. */
  readonly key: ReadonlyArray<string> | undefined
  /**
   * Whether records are at the instants of a frequency or of blocks, so that their times are whole microseconds. Trades, quotes
   * and other events have nanoseconds.
   */
  readonly isGrid: boolean
}

/** The table of a dataset. Fails where its columns are not known before the records. */
export const of = (
  { endpoint, entity, identity, time }: Series,
  { params, ...definition }: Definition.Definition,
  { numbers, statusColumns }: TableOptions
): Result.Result<Table, BadFormat> =>
  Result.map(Columns.of(endpoint, params), (all) => {
    const columns = (statusColumns === true ? all : Columns.withoutStatus(all)).map((column): TableColumn => ({
      ...column,
      type: ColumnType.of(column, { numbers })
    }))
    const key = identity?.length === 0 ? undefined : [...new Set([entity, time, ...(identity ?? [])])]
    const carried = Definition.carriedOf(definition)
    const isKnown = key?.every((name) => columns.some((column) => column.name === name && !column.nullable))
    return {
      columns,
      carried: columns.map(({ name }) => name).filter((name) => carried.includes(name)),
      numbers,
      entity,
      time,
      key: isKnown === true ? key : undefined,
      isGrid: Parameter.find(endpoint.parameters, "Frequency") !== undefined
    }
  })

/** A column as statements define it. */
export const columnOf = ({ name, nullable, type }: TableColumn, dialect: Ddl.Dialect): string =>
  `${Ddl.identifier(name)} ${Ddl.typeOf(type, dialect)}${nullable ? "" : " NOT NULL"}`

/** A table as statements name it. */
export const nameOf = ({ schema, table }: TableAddress): string => `${Ddl.identifier(schema)}.${Ddl.identifier(table)}`

/** The statements that add the columns which a table of a former definition has not. */
export const extend = (place: TableAddress, before: Table, now: Table, dialect: Ddl.Dialect): ReadonlyArray<string> => {
  const had = new Set(before.columns.map(({ name }) => name))
  return now.columns
    .filter(({ name }) => !had.has(name))
    .map((column) => `ALTER TABLE ${nameOf(place)} ADD COLUMN ${columnOf(column, dialect)}`)
}
