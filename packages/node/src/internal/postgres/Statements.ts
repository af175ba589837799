/**
 * The SQL of a dataset in PostgreSQL.
 */
import type { Table, TableColumn } from "../database/Table.ts"
import * as Ddl from "../format/Ddl.ts"

/** Where a table is. */
export interface Place {
  readonly schema: string
  readonly table: string
}

/** The column that has the whole time of an event, in nanoseconds since 1970: PostgreSQL keeps microseconds. */
export const nanosColumn = "time_ns"

/** A name as SQL has it. */
export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Tables of the bookkeeping, in the schema of the tables. */
export const bookkeeping = (schema: string) => ({
  datasets: `${quote(schema)}.sluice_datasets`,
  cursors: `${quote(schema)}.sluice_cursors`
})

/** The longest name in bytes. PostgreSQL would cut a longer one without an error. */
export const longestName = 63

const columnOf = ({ name, nullable, type }: TableColumn) =>
  `${quote(name)} ${Ddl.typeOf(type, "postgres")}${nullable ? "" : " NOT NULL"}`

const list = (parts: ReadonlyArray<string>, separator = ", ") => parts.join(separator)

/** The statements of one table. */
export interface Statements {
  readonly create: ReadonlyArray<string>
  /** Adds columns that a table of a former definition has not. */
  readonly extend: (before: Table) => ReadonlyArray<string>
  readonly stage: string
  readonly copy: string
  /** Removes rows of spans that no staged row replaces. One parameter, the spans as JSON. Gives their number by entity. */
  readonly remove: string
  /** Adds the staged rows, and changes those that differ. Gives the number of new rows by entity. */
  readonly upsert: string
}

/** A table of the session, which others do not see. */
const stage = "pg_temp.sluice_stage"

/** Forgets a staging table of other columns. */
export const unstage = `DROP TABLE IF EXISTS ${stage}`

/** Forgets staged rows. */
export const clearStage = `TRUNCATE ${stage}`

/**
 * The spans of a change, from JSON; a time without a bound is infinite. Where times are whole microseconds, bounds that are
 * rounded up leave out what is before them and nothing else. Where they are not, bounds that are rounded down find rows by the
 * index, and the nanoseconds decide.
 */
const spans = `(SELECT entity, lo, hi, lo_ns, hi_ns,
    lo + lo_up * interval '1 microsecond' AS lo_up, hi + hi_up * interval '1 microsecond' AS hi_up
  FROM json_to_recordset($1::text::json)
    AS s(entity text, lo timestamptz, hi timestamptz, lo_up integer, hi_up integer, lo_ns bigint, hi_ns bigint)) AS p`

/** A statement whose rows are counted by entity. */
const counted = (change: string) =>
  `WITH changed AS (${change}) SELECT entity, count(*)::text AS rows FROM changed GROUP BY entity`

/** The statements for a table at a place. */
export const of = (table: Table, { schema, table: name }: Place): Statements => {
  const target = `${quote(schema)}.${quote(name)}`
  const [entity, time] = [quote(table.entity), quote(table.time)]
  const names = [...table.columns.map((column) => quote(column.name)), ...(table.isGrid ? [] : [nanosColumn])]
  const columns = [...table.columns.map(columnOf), ...(table.isGrid ? [] : [`${nanosColumn} bigint NOT NULL`])]
  const key = table.key?.flatMap((one) =>
    one === table.time && !table.isGrid ? [quote(one), nanosColumn] : [quote(one)]
  )
  const others = names.filter((one) => key?.includes(one) !== true)
  const byKey = (key ?? [entity, time]).map((one) => `t.${one} = s.${one}`)

  const within = table.isGrid
    ? `t.${entity} = p.entity AND t.${time} >= p.lo_up AND t.${time} < p.hi_up`
    : `t.${entity} = p.entity AND t.${time} >= p.lo AND t.${time} <= p.hi AND t.${nanosColumn} >= p.lo_ns AND t.${nanosColumn} < p.hi_ns`
  const kept = key === undefined ? "" : ` AND NOT EXISTS (SELECT FROM ${stage} s WHERE ${list(byKey, " AND ")})`
  const differs = `(${list(others.map((one) => `t.${one}`))}) IS DISTINCT FROM (${list(others.map((one) => `EXCLUDED.${one}`))})`
  const conflict =
    key === undefined
      ? ""
      : ` ON CONFLICT (${list(key)}) DO ${
          others.length === 0
            ? "NOTHING"
            : `UPDATE SET ${list(others.map((one) => `${one} = EXCLUDED.${one}`))} WHERE ${differs}`
        }`

  return {
    create: [
      `CREATE TABLE ${target} (${list([...columns, ...(key === undefined ? [] : [`PRIMARY KEY (${list(key)})`])])})`,
      ...(key === undefined ? [`CREATE INDEX ON ${target} (${entity}, ${time})`] : [])
    ],
    extend: (before) => {
      const had = new Set(before.columns.map(({ name }) => name))
      return table.columns
        .filter(({ name }) => !had.has(name))
        .map((column) => `ALTER TABLE ${target} ADD COLUMN ${columnOf(column)}`)
    },
    stage: `CREATE TEMP TABLE IF NOT EXISTS sluice_stage (LIKE ${target})`,
    copy: `COPY ${stage} (${list(names)}) FROM STDIN`,
    remove: counted(`DELETE FROM ${target} t USING ${spans} WHERE ${within}${kept} RETURNING t.${entity} AS entity`),
    upsert: `WITH changed AS (
      INSERT INTO ${target} AS t (${list(names)}) SELECT ${list(names)} FROM ${stage}${conflict}
      RETURNING t.${entity} AS entity, xmax = 0 AS is_new
    ) SELECT entity, count(*)::text AS rows FROM changed WHERE is_new GROUP BY entity`
  }
}

/** Number of rows, first and last time, by entity. */
export const held = ({ schema, table }: Place, { entity, isGrid }: Pick<Table, "entity" | "isGrid">): string =>
  `SELECT ${quote(entity)} AS entity, count(*)::text AS rows, ${textOf("min", isGrid)} AS first, ${textOf("max", isGrid)} AS last
  FROM ${quote(schema)}.${quote(table)} GROUP BY ${quote(entity)} ORDER BY ${quote(entity)} COLLATE "C"`

/** A time as the service writes it. */
const textOf = (bound: "min" | "max", isGrid: boolean) => {
  const digits = isGrid ? "'000'" : `lpad(mod(${bound}(${nanosColumn}), 1000)::text, 3, '0')`
  return `to_char(${bound}(time) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || ${digits} || 'Z'`
}
