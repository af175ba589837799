/**
 * The SQL of a dataset in DuckDB.
 */
import * as Table from "../database/Table.ts"
import { identifier } from "../format/Ddl.ts"

const columnOf = (column: Table.TableColumn) => Table.columnOf(column, "duckdb")

/** The staging table for records of a connection, which others do not see. */
export const stage = "sluice_stage"

/** The staging table for spans. */
export const spans = "sluice_spans"

/** The statements of one table. */
export interface Statements {
  readonly create: string
  /** Adds columns that a table of a former definition has not. */
  readonly extend: (before: Table.Table) => ReadonlyArray<string>
  readonly stage: ReadonlyArray<string>
  /** A record that was staged twice; none where nothing tells records apart. */
  readonly twice: string | undefined
  /** Entities of which a record is there twice, a hundred at most; none where nothing tells records apart. */
  readonly repeats: string | undefined
  /** The number of records in the spans, by entity. */
  readonly count: string
  /** Removes the records in the spans. */
  readonly remove: string
  /** Adds the staged records. */
  readonly add: string
}

/** The statements for a table at a place. */
export const of = (table: Table.Table, { schema, table: name }: Table.TableAddress): Statements => {
  const target = `${identifier(schema)}.${identifier(name)}`
  const [entity, time] = [identifier(table.entity), identifier(table.time)]
  const names = table.columns.map((column) => identifier(column.name)).join(", ")
  const staged = `temp.main.${stage}`
  const within = `t.${entity} = p.entity AND t.${time} >= p.lo AND t.${time} < p.hi`
  const repeated = (from: string) =>
    table.key === undefined
      ? undefined
      : `SELECT ${entity} AS entity FROM ${from} GROUP BY ${table.key.map(identifier).join(", ")} HAVING count(*) > 1`
  const twice = repeated(staged)
  const repeats = repeated(target)
  return {
    create: `CREATE TABLE ${target} (${table.columns.map(columnOf).join(", ")})`,
    extend: (before) => Table.extend(target, before, table, "duckdb"),
    stage: [
      `CREATE TEMP TABLE ${stage} AS SELECT ${names} FROM ${target} LIMIT 0`,
      `CREATE TEMP TABLE ${spans} (entity VARCHAR, lo TIMESTAMP_NS, hi TIMESTAMP_NS)`
    ],
    twice: twice === undefined ? undefined : `${twice} LIMIT 1`,
    repeats: repeats === undefined ? undefined : `SELECT DISTINCT entity FROM (${repeats}) LIMIT 100`,
    count: `SELECT t.${entity} AS entity, count(*)::VARCHAR AS rows FROM ${target} t JOIN temp.main.${spans} p ON ${within} GROUP BY ALL`,
    remove: `DELETE FROM ${target} t USING temp.main.${spans} p WHERE ${within}`,
    add: `INSERT INTO ${target} (${names}) SELECT ${names} FROM ${staged}`
  }
}

/** The number of staged records by entity. */
export const countStaged = ({ entity }: Pick<Table.Table, "entity">) =>
  `SELECT ${identifier(entity)} AS entity, count(*)::VARCHAR AS rows FROM temp.main.${stage} GROUP BY ALL`

/** Number of rows, first and last time, by entity. */
export const held = ({ schema, table }: Table.TableAddress, entity: string) =>
  `SELECT ${identifier(entity)} AS entity, count(*)::VARCHAR AS rows, ${textOf("min")} AS first, ${textOf("max")} AS last
  FROM ${identifier(schema)}.${identifier(table)} GROUP BY ${identifier(entity)} ORDER BY ${identifier(entity)}`

/** A time as the service writes it. */
const textOf = (bound: "min" | "max") => `strftime(${bound}(time), '%Y-%m-%dT%H:%M:%S.%n') || 'Z'`
