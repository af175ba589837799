/**
 * The SQL of a dataset in PostgreSQL.
 */
import * as Table from "../database/Table.ts"
import { identifier } from "../format/Ddl.ts"

/** The column that has the whole time of an event, in nanoseconds since 1970: PostgreSQL keeps microseconds. */
export const nanosColumn = "time_ns"

/** Tables of the bookkeeping, in the schema of the tables. */
export const bookkeeping = (schema: string) => ({
  datasets: `${identifier(schema)}.sluice_datasets`,
  cursors: `${identifier(schema)}.sluice_cursors`,
  loads: `${identifier(schema)}.sluice_loads`,
  loadParts: `${identifier(schema)}.sluice_load_parts`
})

/** The longest name in bytes. PostgreSQL would cut a longer one without an error. */
export const longestName = 63

/** Why a name is refused. */
export const badName = `names of PostgreSQL have 1 to ${longestName} bytes, and it would cut a longer one`

const columnOf = (column: Table.TableColumn) => Table.columnOf(column, "postgres")

const list = (parts: ReadonlyArray<string>, separator = ", ") => parts.join(separator)

/** The statements of one table. */
export interface Statements {
  readonly create: ReadonlyArray<string>
  /** Adds columns that a table of a former definition has not. */
  readonly extend: (before: Table.Table) => ReadonlyArray<string>
  readonly stage: string
  readonly copy: string
  /** Removes rows of spans that no staged row replaces. One parameter, the spans as JSON. Gives their number by entity. */
  readonly remove: string
  /**
   * Adds the staged rows, and changes those that differ. Rows that are the same are left out before: a conflict alone would lock
   * them, which writes to their pages. Gives the number of new rows by entity.
   */
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
export const of = (table: Table.Table, { schema, table: name }: Table.TableAddress): Statements => {
  const target = `${identifier(schema)}.${identifier(name)}`
  const [entity, time] = [identifier(table.entity), identifier(table.time)]
  const names = [...table.columns.map((column) => identifier(column.name)), ...(table.isGrid ? [] : [nanosColumn])]
  const columns = [...table.columns.map(columnOf), ...(table.isGrid ? [] : [`${nanosColumn} bigint NOT NULL`])]
  const key = keyOf(table)?.map(identifier)
  const others = names.filter((one) => key?.includes(one) !== true)
  const byKey = (key ?? [entity, time]).map((one) => `t.${one} = s.${one}`)

  const within = table.isGrid
    ? `t.${entity} = p.entity AND t.${time} >= p.lo_up AND t.${time} < p.hi_up`
    : `t.${entity} = p.entity AND t.${time} >= p.lo AND t.${time} <= p.hi AND t.${nanosColumn} >= p.lo_ns AND t.${nanosColumn} < p.hi_ns`
  const kept = key === undefined ? "" : ` AND NOT EXISTS (SELECT FROM ${stage} s WHERE ${list(byKey, " AND ")})`
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
    extend: (before) => Table.extend(target, before, table, "postgres"),
    stage: `CREATE TEMP TABLE IF NOT EXISTS sluice_stage (LIKE ${target})`,
    copy: `COPY ${stage} (${list(names)}) FROM STDIN`,
    remove: counted(`DELETE FROM ${target} t USING ${spans} WHERE ${within}${kept} RETURNING t.${entity} AS entity`),
    upsert: `WITH changed AS (
      INSERT INTO ${target} AS t (${list(names)}) SELECT ${list(names)} FROM ${stage} s${news}${conflict}
      RETURNING t.${entity} AS entity, xmax = 0 AS is_new
    ) SELECT entity, count(*)::text AS rows FROM changed WHERE is_new GROUP BY entity`
  }
}

/** Number of rows, first and last time, by entity. */
export const held = (
  { schema, table }: Table.TableAddress,
  { entity, isGrid }: Pick<Table.Table, "entity" | "isGrid">
): string =>
  `SELECT ${identifier(entity)} AS entity, count(*)::text AS rows, ${textOf("min", isGrid)} AS first, ${textOf("max", isGrid)} AS last
  FROM ${identifier(schema)}.${identifier(table)} GROUP BY ${identifier(entity)} ORDER BY ${identifier(entity)} COLLATE "C"`

/** The columns of the primary key of a table, found by its schema and its name. */
export const primaryKey = `SELECT a.attname AS name
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (k.conkey)
  WHERE k.contype = 'p' AND n.nspname = $1 AND c.relname = $2`

/** Columns that no two rows of a table have the same values of; absent where only all columns together tell rows apart. */
export const keyOf = ({ isGrid, key, time }: Table.Table) =>
  key?.flatMap((one) => (one === time && !isGrid ? [one, nanosColumn] : [one]))

/** A time as the service writes it. */
const textOf = (bound: "min" | "max", isGrid: boolean) => {
  const digits = isGrid ? "'000'" : `lpad(mod(${bound}(${nanosColumn}), 1000)::text, 3, '0')`
  return `to_char(${bound}(time) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || ${digits} || 'Z'`
}
