/**
 * The SQL of a dataset in DuckDB.
 */
import * as Effect from "effect/Effect"
import type { Dialect } from "../database/Dialect.ts"
import type { Current } from "../database/Statements.ts"
import * as Table from "../database/Table.ts"
import { identifier, path } from "@sluice/files/internal/format/Ddl"

/** The records of a change, which only its connection sees. */
const staged = "temp.main.sluice_stage"

/** Makes the staged records those of a Parquet file. */
export const stage = ({ columns }: Table.Table, file: string): string =>
  `CREATE TEMP VIEW sluice_stage AS SELECT ${namesOf(columns)} FROM read_parquet(${path(file)}, hive_partitioning = false)`

const namesOf = (columns: ReadonlyArray<Table.TableColumn>) => columns.map(({ name }) => identifier(name)).join(", ")

/** The spans of a change. */
const spans = "temp.main.sluice_spans"

const rowsOf: Dialect["rowsOf"] = (json, columns) =>
  `(SELECT unnest(from_json(${json}::text::json, '[${JSON.stringify(columns)}]'), max_depth := 2)) AS n`

/** The spans of a change, from JSON. */
const spansOf = (json: string) =>
  `(SELECT entity, make_timestamp_ns(lo_ns) AS lo, make_timestamp_ns(hi_ns) AS hi
    FROM ${rowsOf(json, { entity: "text", lo_ns: "bigint", hi_ns: "bigint" })})`

/** The language. */
export const dialect: Dialect = {
  name: "duckdb",
  statements: (table, place) => {
    const target = Table.nameOf(place)
    const [entity, time] = [identifier(table.entity), identifier(table.time)]
    const names = namesOf(table.columns)
    const carried = table.carried.map(identifier)
    const within = `t.${entity} = p.entity AND t.${time} >= p.lo AND t.${time} < p.hi`
    // Records are in order, so those with one key are among neighbours of one time.
    const moment = `(${entity}, ${time})`
    const before = `SELECT ${entity}, ${time}, lag(${moment}) OVER () AS sluice_before FROM ${staged}`
    const shared = `SELECT DISTINCT ${entity}, ${time} FROM (${before}) WHERE ${moment} = sluice_before`
    const twice = repeated(table, `${staged} SEMI JOIN (${shared}) USING ${moment}`)
    return {
      create: [
        `CREATE TABLE ${target} (${table.columns.map((column) => Table.columnOf(column, "duckdb")).join(", ")})`
      ],
      stage: [],
      carry:
        carried.length === 0
          ? undefined
          : {
              before: [
                `CREATE TEMP TABLE sluice_carried AS SELECT t.${entity}, t.${time}, ${carried.map((one) => `t.${one}`).join(", ")}
                FROM ${target} t JOIN ${spansOf("$1")} p ON ${within}
                WHERE ${carried.map((one) => `t.${one} IS NOT NULL`).join(" OR ")}`
              ],
              after: [
                `UPDATE ${target} t SET ${carried.map((one) => `${one} = c.${one}`).join(", ")}
                FROM temp.main.sluice_carried c WHERE t.${entity} = c.${entity} AND t.${time} = c.${time}`,
                `CREATE TEMP TABLE sluice_stayed AS FROM temp.main.sluice_carried ANTI JOIN ${target} USING ${moment}`,
                `INSERT INTO ${target} BY NAME FROM temp.main.sluice_stayed`,
                `SELECT ${entity} AS entity, count(*)::text AS rows FROM temp.main.sluice_stayed GROUP BY ALL`
              ]
            },
      twice: twice === undefined ? undefined : `${twice} LIMIT 1`,
      remove: [
        `CREATE TEMP TABLE sluice_spans AS FROM ${spansOf("$1")}`,
        `SELECT t.${entity} AS entity, count(*)::text AS rows FROM ${target} t JOIN ${spans} p ON ${within} GROUP BY ALL`,
        `DELETE FROM ${target} t USING ${spans} p WHERE ${within}`
      ],
      add: [
        `INSERT INTO ${target} (${names}) SELECT ${names} FROM ${staged}`,
        `SELECT ${entity} AS entity, count(*)::text AS rows FROM ${staged} GROUP BY ALL`
      ]
    }
  },
  timeText: (_, column = "time", bound = undefined) =>
    `strftime(${bound ?? ""}(${identifier(column)}), '%Y-%m-%dT%H:%M:%S.%n') || 'Z'`,
  timeOrder: () => ["t.time"],
  timeWithin: (_, from, to) =>
    `t.time >= make_timestamp_ns(${from}::text::bigint) AND t.time < make_timestamp_ns(${to}::text::bigint)`,
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
