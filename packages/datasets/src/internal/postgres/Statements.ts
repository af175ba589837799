/**
 * The SQL of a dataset in PostgreSQL.
 */
import type { Dialect } from "../database/Dialect.ts"
import type { Statements } from "../database/Statements.ts"
import * as Table from "../database/Table.ts"
import { identifier, typeOf } from "@sluice/files/internal/format/Ddl"
import * as Lock from "./Lock.ts"

/** The column that has the whole time of an event, in nanoseconds since 1970: PostgreSQL keeps microseconds. */
export const nanosColumn = "time_ns"

/** The longest name in bytes. PostgreSQL would cut a longer one without an error. */
const longestName = 63

const badName: Dialect["badName"] = (names) => {
  const name = names.find((one) => one === "" || Buffer.byteLength(one) > longestName)
  if (name === undefined) return undefined
  return { name, reason: `names of PostgreSQL have 1 to ${longestName} bytes, and it would cut a longer one` }
}

const list = (parts: ReadonlyArray<string>, separator = ", ") => parts.join(separator)

/** A table of the session, which others do not see. */
const stage = "pg_temp.sluice_stage"

/** Forgets staged rows. */
export const clearStage = `TRUNCATE ${stage}`

/** Copies rows to the staging table. */
export const copy = (table: Table.Table): string => `COPY ${stage} (${list(namesOf(table))}) FROM STDIN (FORMAT binary)`

const namesOf = (table: Table.Table) => stagingOf(table).map(({ name }) => name)

/** The columns as they are staged. PostgreSQL reads the digits of decimals from their text. */
const stagingOf = ({ columns, isGrid }: Table.Table) => [
  ...columns.map(({ name, type }) => {
    const [own, one] = [typeOf(type, "postgres"), identifier(name)]
    return { name: one, type: type._tag === "Decimal" ? "text" : own, value: `${one}::${own} AS ${one}` }
  }),
  ...(isGrid ? [] : [{ name: nanosColumn, type: "bigint", value: nanosColumn }])
]

const rowsOf: Dialect["rowsOf"] = (json, columns) => {
  const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
  return `json_to_recordset(${json}::text::json) AS n(${list(types)})`
}

/**
 * The spans of a change, from JSON; a time without a bound is infinite. Where times are whole microseconds, bounds that are
 * rounded up leave out what is before them and nothing else. Where they are not, bounds that are rounded down find rows by the
 * index, and the nanoseconds decide.
 */
const spans = `(SELECT entity, lo, hi, lo_ns, hi_ns,
    lo + lo_up * interval '1 microsecond' AS lo_up, hi + hi_up * interval '1 microsecond' AS hi_up
  FROM ${rowsOf("$1", {
    entity: "text",
    lo: "timestamptz",
    hi: "timestamptz",
    lo_up: "integer",
    hi_up: "integer",
    lo_ns: "bigint",
    hi_ns: "bigint"
  })}) AS p`

const statements = (table: Table.Table, place: Table.TableAddress): Statements => {
  const target = Table.nameOf(place)
  const [entity, time] = [identifier(table.entity), identifier(table.time)]
  const names = namesOf(table)
  const staging = stagingOf(table)
  const staged = `(SELECT ${list(staging.map(({ value }) => value))} FROM ${stage}) AS s`
  const columns = [
    ...table.columns.map((column) => Table.columnOf(column, "postgres")),
    ...(table.isGrid ? [] : [`${nanosColumn} bigint NOT NULL`])
  ]
  const key = keyOf(table)?.map(identifier)
  const others = names.filter((one) => key?.includes(one) !== true)
  const carried = table.carried.map(identifier)
  const keyNames = [entity, time]
  const byKey = (key ?? [entity, time]).map((one) => `t.${one} = s.${one}`)

  const within = table.isGrid
    ? `t.${entity} = p.entity AND t.${time} >= p.lo_up AND t.${time} < p.hi_up`
    : `t.${entity} = p.entity AND t.${time} >= p.lo AND t.${time} <= p.hi AND t.${nanosColumn} >= p.lo_ns AND t.${nanosColumn} < p.hi_ns`
  const kept = key === undefined ? "" : ` AND NOT EXISTS (SELECT FROM ${staged} WHERE ${list(byKey, " AND ")})`
  const isSame =
    others.length === 0
      ? ""
      : ` AND (${list(others.map((one) => `t.${one}`))}) IS NOT DISTINCT FROM (${list(others.map((one) => `s.${one}`))})`
  const news =
    key === undefined ? "" : ` WHERE NOT EXISTS (SELECT FROM ${target} t WHERE ${list(byKey, " AND ")}${isSame})`
  const conflict =
    key === undefined
      ? ""
      : ` ON CONFLICT (${list(key)}) DO ${
          others.length === 0 ? "NOTHING" : `UPDATE SET ${list(others.map((one) => `${one} = EXCLUDED.${one}`))}`
        }`

  return {
    create: [
      `CREATE TABLE ${target} (${list([...columns, ...(key === undefined ? [] : [`PRIMARY KEY (${list(key)})`])])})`,
      ...(key === undefined ? [`CREATE INDEX ON ${target} (${entity}, ${time})`] : [])
    ],
    stage: [
      `DROP TABLE IF EXISTS ${stage}`,
      `CREATE TEMP TABLE IF NOT EXISTS sluice_stage (${list(staging.map(({ name, type }) => `${name} ${type}`))})`
    ],
    intoEmpty: {
      // Not with LIMIT, for which all of the table would be read where there are no records.
      find: `SELECT p.entity AS entity FROM ${spans} WHERE EXISTS (SELECT FROM ${target} t WHERE ${within})`,
      add: [
        `INSERT INTO ${target} (${list(names)}) SELECT ${list(names)} FROM ${staged}`,
        `SELECT ${entity} AS entity, count(*)::text AS rows FROM ${stage} GROUP BY ${entity}`
      ]
    },
    carry:
      table.carried.length === 0
        ? undefined
        : {
            // A record that none replaces is staged with these values alone.
            before: [
              `INSERT INTO ${stage} (${list(keyNames)}, ${list(carried)}) SELECT ${list([...keyNames, ...carried].map((one) => `t.${one}`))}
              FROM ${target} t JOIN ${spans} ON ${within}
              WHERE (${list(
                carried.map((one) => `t.${one} IS NOT NULL`),
                " OR "
              )})${kept}`,
              `UPDATE ${stage} s SET ${list(carried.map((one) => `${one} = t.${one}`))}
              FROM ${target} t WHERE t.${entity} = s.${entity} AND t.${time} = s.${time}`
            ],
            after: []
          },
    // Rows that a staged one replaces stay, to be changed.
    remove: [
      `WITH changed AS (DELETE FROM ${target} t USING ${spans} WHERE ${within}${kept} RETURNING t.${entity} AS entity)
      SELECT entity, count(*)::text AS rows FROM changed GROUP BY entity`
    ],
    // Rows that are the same are left out before: a conflict alone would lock them, which writes to their pages.
    add: [
      `WITH changed AS (
        INSERT INTO ${target} AS t (${list(names)}) SELECT ${list(names)} FROM ${staged}${news}${conflict}
        RETURNING t.${entity} AS entity, xmax = 0 AS is_new
      ) SELECT entity, count(*)::text AS rows FROM changed WHERE is_new GROUP BY entity`
    ]
  }
}

/** The time of so many microseconds since 1970. */
const micros = (count: string) => `timestamptz 'epoch' + ${count} * interval '1 microsecond'`

/** The language. */
export const dialect: Dialect = {
  name: "postgres",
  statements,
  timeText: (isGrid, column = "time", bound = undefined) => {
    const of = (name: string) => `${bound ?? ""}(${identifier(name)})`
    const digits = isGrid ? "'000'" : `lpad(mod(${of(nanosColumn)}, 1000)::text, 3, '0')`
    return `to_char(${of(column)} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || ${digits} || 'Z'`
  },
  timeOrder: (isGrid) => (isGrid ? ["t.time"] : ["t.time", `t.${nanosColumn}`]),
  timeWithin: (isGrid, from, to) => {
    // Where times are whole microseconds, a bound that is rounded up leaves out what is before it and nothing else. Where they are not,
    // bounds that are rounded outwards find rows by the index, and the nanoseconds decide.
    const [first, end] = [`${from}::text::bigint`, `${to}::text::bigint`]
    const up = (nanos: string) => micros(`((${nanos} + 999) / 1000)`)
    return isGrid
      ? `t.time >= ${up(first)} AND t.time < ${up(end)}`
      : `t.time >= ${micros(`(${first} / 1000)`)} AND t.time <= ${up(end)} AND t.${nanosColumn} >= ${first} AND t.${nanosColumn} < ${end}`
  },
  tableExists:
    "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2",
  forShare: "FOR SHARE",
  rowsOf,
  lockSchema: Lock.schema,
  badName
}

/** The columns of the primary key of a table, found by its schema and its name. */
export const primaryKey = `SELECT a.attname AS name
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (k.conkey)
  WHERE k.contype = 'p' AND n.nspname = $1 AND c.relname = $2`

/** Columns that no two rows of a table have the same values of; absent where only all columns together tell rows apart. */
export const keyOf = ({ isGrid, key, time }: Table.Table) =>
  key?.flatMap((one) => (one === time && !isGrid ? [one, nanosColumn] : [one]))
