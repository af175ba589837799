/**
 * Reads a DuckLake as its specification tells readers: the queries of its page "Queries", run in PostgreSQL, and the files that they name,
 * read by DuckDB.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"
import * as Duck from "../../../files/test/formats/Duck.ts"

type Row = Readonly<Record<string, unknown>>

const text = (row: Row | undefined, name: string) => String(row?.[name])

/** The path of a row, below that of what has it. */
const below = (parent: string, row: Row) =>
  row["path_is_relative"] === "true" ? parent + text(row, "path") : text(row, "path")

/** Opens a reader of the catalog in a schema, with a connection of its own. */
export const make = Effect.fnUntraced(function* (url: Redacted.Redacted, schema: string) {
  const connection = yield* PgConnection.make({ url, ssl: false })
  const query = (sql: string): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
    Effect.map(connection.query(sql.replaceAll(/\bducklake_/g, `"${schema}".ducklake_`), [], false), ({ rows }) => rows)

  /** Ids of the snapshots, in order. */
  const snapshots = Effect.map(query("SELECT snapshot_id::text FROM ducklake_snapshot ORDER BY 1"), (rows) =>
    rows.map((row) => Number(text(row, "snapshot_id"))).toSorted((a, b) => a - b)
  )

  const current = Effect.map(
    query(
      "SELECT snapshot_id::text FROM ducklake_snapshot WHERE snapshot_id = (SELECT max(snapshot_id) FROM ducklake_snapshot)"
    ),
    ([row]) => Number(text(row, "snapshot_id"))
  )

  /** The tables of a snapshot by name, with their folders. */
  const tables = Effect.fnUntraced(function* (snapshot: number) {
    const is = (of: string) =>
      `${snapshot} >= ${of}begin_snapshot AND (${snapshot} < ${of}end_snapshot OR ${of}end_snapshot IS NULL)`
    const [root] = yield* query("SELECT value FROM ducklake_metadata WHERE key = 'data_path'")
    const schemas = yield* query(
      `SELECT schema_id::text, schema_name, path, path_is_relative::text FROM ducklake_schema WHERE ${is("")}`
    )
    const found = new Map<string, { readonly id: string; readonly path: string }>()
    for (const schema of schemas) {
      const rows = yield* query(
        `SELECT table_id::text, table_name, path, path_is_relative::text FROM ducklake_table
        WHERE schema_id = ${text(schema, "schema_id")} AND ${is("")}`
      )
      for (const row of rows) {
        const path = below(below(text(root, "value"), schema), row)
        found.set(`${text(schema, "schema_name")}.${text(row, "table_name")}`, { id: text(row, "table_id"), path })
      }
    }
    return found
  })

  /** A table in a snapshot: the current one where none is named. */
  const read = Effect.fnUntraced(function* (name: string, at?: number) {
    const snapshot = at ?? (yield* current)
    const table = (yield* tables(snapshot)).get(`main.${name}`)
    if (table === undefined) return undefined
    const columns = yield* query(
      `SELECT column_id::text, column_name, column_type FROM ducklake_column
      WHERE table_id = ${table.id} AND parent_column IS NULL AND
        ${snapshot} >= begin_snapshot AND (${snapshot} < end_snapshot OR end_snapshot IS NULL)
      ORDER BY column_order`
    )
    const files = yield* query(
      `SELECT data.data_file_id::text, data.path AS data_file_path, data.path_is_relative::text, del.path AS delete_file_path,
        data.record_count::text, data.file_size_bytes::text, data.footer_size::text, data.mapping_id::text, data.row_id_start::text
      FROM ducklake_data_file AS data
      LEFT JOIN (
        SELECT * FROM ducklake_delete_file
        WHERE ${snapshot} >= begin_snapshot AND (${snapshot} < end_snapshot OR end_snapshot IS NULL)
      ) AS del USING (data_file_id)
      WHERE data.table_id = ${table.id} AND ${snapshot} >= data.begin_snapshot AND
        (${snapshot} < data.end_snapshot OR data.end_snapshot IS NULL)
      ORDER BY file_order`
    )
    const names = yield* query(
      `SELECT mapping_id::text, source_name, target_field_id::text, is_partition::text FROM ducklake_column_mapping
      JOIN ducklake_name_mapping USING (mapping_id) WHERE table_id = ${table.id} AND type = 'map_by_name'`
    )
    const all = files.map((file) => ({
      id: text(file, "data_file_id"),
      path:
        file["path_is_relative"] === "true" ? table.path + text(file, "data_file_path") : text(file, "data_file_path"),
      rows: Number(file["record_count"]),
      size: Number(file["file_size_bytes"]),
      footer: Number(file["footer_size"]),
      names: names.filter((one) => one["mapping_id"] === file["mapping_id"])
    }))
    return { snapshot, table, columns, files: all }
  })

  /** Files of which an equality says that they may have a value of a column. */
  const pruned = (table: string, column: string, type: string, scalar: string) =>
    Effect.map(
      query(
        `SELECT data_file_id::text FROM ducklake_file_column_stats
        WHERE table_id = ${table} AND column_id = ${column} AND
          ('${scalar}'::${type} >= min_value::${type} OR min_value IS NULL) AND
          ('${scalar}'::${type} <= max_value::${type} OR max_value IS NULL)`
      ),
      (rows) => new Set(rows.map((row) => text(row, "data_file_id")))
    )

  return { query, snapshots, read, pruned }
})

/** A table in a snapshot. */
export type Table = NonNullable<Effect.Success<ReturnType<Effect.Success<ReturnType<typeof make>>["read"]>>>

const types: Readonly<Record<string, string>> = { float64: "double", int64: "bigint" }

/** SQL that reads a table: each file by the mapping of its names, with what the folders say. */
export const source = Effect.fnUntraced(function* ({ columns, files }: Table) {
  const selects: Array<string> = []
  for (const { names, path } of files) {
    const has = new Set((yield* Duck.query(`describe select * from read_parquet('${path}')`)).map(([name]) => name))
    const values = columns.map((column) => {
      const mapped = names.find((one) => one["target_field_id"] === column["column_id"])
      const name = text(mapped, "source_name")
      const folder = new RegExp(`/${name}=([^/]*)/`).exec(path)?.[1]
      const value =
        mapped?.["is_partition"] === "true"
          ? `'${decodeURIComponent(folder!)}'`
          : mapped !== undefined && has.has(name)
            ? `"${name}"`
            : "null"
      const type = text(column, "column_type")
      return `${value}::${types[type] ?? type} as "${text(column, "column_name")}"`
    })
    selects.push(`select ${values.join(", ")} from read_parquet('${path}', hive_partitioning = false)`)
  }
  return `(${selects.join(" union all ")})`
})
