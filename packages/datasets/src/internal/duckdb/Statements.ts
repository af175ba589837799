/**
 * The SQL of a dataset in DuckDB.
 */
import * as Effect from "effect/Effect"
import type { Dialect } from "../database/Dialect.ts"
import type { Current } from "../database/Statements.ts"
import * as Table from "../database/Table.ts"
import { identifier } from "@sluice/files/internal/format/Ddl"

/** The staging table for records of a connection, which others do not see. */
export const stage = "sluice_stage"

const staged = `temp.main.${stage}`

/** The spans of a change. */
const spans = "temp.main.sluice_spans"

const rowsOf: Dialect["rowsOf"] = (json, columns) =>
  `(SELECT unnest(from_json(${json}::text::json, '[${JSON.stringify(columns)}]'), max_depth := 2)) AS n`

/** The language. */
export const dialect: Dialect = {
  name: "duckdb",
  statements: (table, place) => {
    const target = Table.nameOf(place)
    const [entity, time] = [identifier(table.entity), identifier(table.time)]
    const names = table.columns.map((column) => identifier(column.name)).join(", ")
    const within = `t.${entity} = p.entity AND t.${time} >= p.lo AND t.${time} < p.hi`
    const twice = repeated(table, staged)
    return {
      create: [
        `CREATE TABLE ${target} (${table.columns.map((column) => Table.columnOf(column, "duckdb")).join(", ")})`
      ],
      stage: [`CREATE TEMP TABLE ${stage} AS SELECT ${names} FROM ${target} LIMIT 0`],
      twice: twice === undefined ? undefined : `${twice} LIMIT 1`,
      remove: [
        `CREATE TEMP TABLE sluice_spans AS SELECT entity, make_timestamp_ns(lo_ns) AS lo, make_timestamp_ns(hi_ns) AS hi
        FROM ${rowsOf("$1", { entity: "text", lo_ns: "bigint", hi_ns: "bigint" })}`,
        `SELECT t.${entity} AS entity, count(*)::text AS rows FROM ${target} t JOIN ${spans} p ON ${within} GROUP BY ALL`,
        `DELETE FROM ${target} t USING ${spans} p WHERE ${within}`
      ],
      add: [
        `INSERT INTO ${target} (${names}) SELECT ${names} FROM ${staged}`,
        `SELECT ${entity} AS entity, count(*)::text AS rows FROM ${staged} GROUP BY ALL`
      ]
    }
  },
  timeOf: (bound) => `strftime(${bound}(time), '%Y-%m-%dT%H:%M:%S.%n') || 'Z'`,
  tableExists:
    "SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = $1 AND table_name = $2",
  // No other process has the file.
  forShare: "",
  rowsOf,
  lockSchema: () => Effect.void,
  badName: () => undefined
}

/** Entities of which a record is in a table twice; nothing where nothing tells records apart. */
const repeated = ({ entity, key }: Table.Table, from: string) =>
  key === undefined
    ? undefined
    : `SELECT ${identifier(entity)} AS entity FROM ${from} GROUP BY ${key.map(identifier).join(", ")} HAVING count(*) > 1`

/** Entities of which a record is there twice, a hundred at most; nothing where nothing tells records apart. */
export const repeats = ({ table }: Current, place: Table.TableAddress): string | undefined => {
  const all = repeated(table, Table.nameOf(place))
  return all === undefined ? undefined : `SELECT DISTINCT entity FROM (${all}) LIMIT 100`
}
