/**
 * A DuckLake catalog in PostgreSQL, of version 1.0 of its specification, with a table for each dataset.
 *
 * A version is a snapshot, made in one transaction. Files have no ids of their columns, so a mapping gives them by their names, and the
 * entity by that of a folder. A column has one id for ever, as a metric that was left out may come back.
 */
import * as Ddl from "@sluice/files/internal/format/Ddl"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Shape from "@sluice/node/internal/options/Shape"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import type { ConnectionOptions } from "node:tls"
import * as StoreOptions from "../database/StoreOptions.ts"
import { StoreFailed } from "../model/DatasetError.ts"
import type { Lake, LakeChange, LakeFile, LakePlace, LakeTable } from "../model/Lake.ts"
import * as Moment from "../model/Moment.ts"
import * as Lock from "./Lock.ts"
import * as Session from "./Session.ts"

/** Where the catalog is. */
export interface LakeOptions extends Session.Connection {
  /** The schema of its tables; created if missing. Default `public`, where DuckDB looks for them. */
  readonly schema?: string | undefined
}

const check = StoreOptions.checker(
  Shape.of<LakeOptions>()({
    url: Kinds.redacted,
    tls: Schema.optional(Kinds.object<ConnectionOptions>()),
    schema: Schema.optional(Kinds.text)
  })
)

const version = "1.0"

/** Who has made the catalog, and its snapshots. */
const author = "sluice"

/** What each table of the specification has: most stay empty. Each stands for `ducklake_` and its name. */
const tables = `
metadata(key VARCHAR NOT NULL, value VARCHAR NOT NULL, scope VARCHAR, scope_id BIGINT)
snapshot(snapshot_id BIGINT PRIMARY KEY, snapshot_time TIMESTAMPTZ, schema_version BIGINT, next_catalog_id BIGINT, next_file_id BIGINT)
snapshot_changes(snapshot_id BIGINT PRIMARY KEY, changes_made VARCHAR, author VARCHAR, commit_message VARCHAR, commit_extra_info VARCHAR)
schema(schema_id BIGINT PRIMARY KEY, schema_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, schema_name VARCHAR, path VARCHAR, path_is_relative BOOLEAN)
table(table_id BIGINT, table_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, schema_id BIGINT, table_name VARCHAR, path VARCHAR, path_is_relative BOOLEAN)
view(view_id BIGINT, view_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, schema_id BIGINT, view_name VARCHAR, dialect VARCHAR, sql VARCHAR, column_aliases VARCHAR)
tag(object_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, key VARCHAR, value VARCHAR)
column_tag(table_id BIGINT, column_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, key VARCHAR, value VARCHAR)
data_file(data_file_id BIGINT PRIMARY KEY, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, file_order BIGINT, path VARCHAR, path_is_relative BOOLEAN, file_format VARCHAR, record_count BIGINT, file_size_bytes BIGINT, footer_size BIGINT, row_id_start BIGINT, partition_id BIGINT, encryption_key VARCHAR, mapping_id BIGINT, partial_max BIGINT)
file_column_stats(data_file_id BIGINT, table_id BIGINT, column_id BIGINT, column_size_bytes BIGINT, value_count BIGINT, null_count BIGINT, min_value VARCHAR, max_value VARCHAR, contains_nan BOOLEAN, extra_stats VARCHAR)
file_variant_stats(data_file_id BIGINT, table_id BIGINT, column_id BIGINT, variant_path VARCHAR, shredded_type VARCHAR, column_size_bytes BIGINT, value_count BIGINT, null_count BIGINT, min_value VARCHAR, max_value VARCHAR, contains_nan BOOLEAN, extra_stats VARCHAR)
delete_file(delete_file_id BIGINT PRIMARY KEY, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, data_file_id BIGINT, path VARCHAR, path_is_relative BOOLEAN, format VARCHAR, delete_count BIGINT, file_size_bytes BIGINT, footer_size BIGINT, encryption_key VARCHAR, partial_max BIGINT)
column(column_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, table_id BIGINT, column_order BIGINT, column_name VARCHAR, column_type VARCHAR, initial_default VARCHAR, default_value VARCHAR, nulls_allowed BOOLEAN, parent_column BIGINT, default_value_type VARCHAR, default_value_dialect VARCHAR)
table_stats(table_id BIGINT, record_count BIGINT, next_row_id BIGINT, file_size_bytes BIGINT)
table_column_stats(table_id BIGINT, column_id BIGINT, contains_null BOOLEAN, contains_nan BOOLEAN, min_value VARCHAR, max_value VARCHAR, extra_stats VARCHAR)
partition_info(partition_id BIGINT, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT)
partition_column(partition_id BIGINT, table_id BIGINT, partition_key_index BIGINT, column_id BIGINT, transform VARCHAR)
file_partition_value(data_file_id BIGINT, table_id BIGINT, partition_key_index BIGINT, partition_value VARCHAR)
files_scheduled_for_deletion(data_file_id BIGINT, path VARCHAR, path_is_relative BOOLEAN, schedule_start TIMESTAMPTZ)
inlined_data_tables(table_id BIGINT, table_name VARCHAR, schema_version BIGINT)
column_mapping(mapping_id BIGINT, table_id BIGINT, type VARCHAR)
name_mapping(mapping_id BIGINT, column_id BIGINT, source_name VARCHAR, target_field_id BIGINT, parent_column BIGINT, is_partition BOOLEAN)
schema_versions(begin_snapshot BIGINT, schema_version BIGINT, table_id BIGINT)
macro(schema_id BIGINT, macro_id BIGINT, macro_name VARCHAR, begin_snapshot BIGINT, end_snapshot BIGINT)
macro_impl(macro_id BIGINT, impl_id BIGINT, dialect VARCHAR, sql VARCHAR, type VARCHAR)
macro_parameters(macro_id BIGINT, impl_id BIGINT, column_id BIGINT, parameter_name VARCHAR, parameter_type VARCHAR, default_value VARCHAR, default_value_type VARCHAR)
sort_info(sort_id BIGINT, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT)
sort_expression(sort_id BIGINT, table_id BIGINT, sort_key_index BIGINT, expression VARCHAR, dialect VARCHAR, sort_direction VARCHAR, null_order VARCHAR)`

/** What the catalog has of a dataset. */
const Found = Schema.fromJsonString(
  Schema.Struct({
    table: Schema.NullOr(Schema.Int),
    /** A snapshot of somebody else that has changed the table. */
    foreign: Schema.NullOr(Schema.Int),
    snapshot: Schema.Int,
    at: Schema.NullOr(Schema.Finite),
    columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
    files: Schema.Array(Schema.String),
    gone: Schema.Array(Schema.Struct({ path: Schema.String, at: Schema.Finite }))
  })
)

/** From where the next snapshot goes on, and the table in it. */
const Head = Schema.fromJsonString(
  Schema.Struct({
    snapshot: Schema.Int,
    schemaVersion: Schema.Int,
    nextCatalog: Schema.Int,
    nextFile: Schema.Int,
    nextRow: Schema.NullOr(Schema.Int),
    mapping: Schema.NullOr(Schema.Int),
    /** Ids of all columns that the table ever had. */
    ids: Schema.NullOr(Schema.Record(Schema.String, Schema.Int))
  })
)

const [decodeFound, decodeHead] = [Schema.decodeUnknownEffect(Found), Schema.decodeUnknownEffect(Head)] as const

const millis = (time: string) => `(extract(epoch FROM ${time}) * 1000)::bigint`

/** Time as DuckDB writes it, whole microseconds of which files have no finer ones. */
const bound = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 26)}+00`

/**
 * A DuckLake catalog in PostgreSQL, for `snapshots` of a dataset in a folder: each version of its files is a snapshot, and the name of the
 * folder is that of the table. Datasets may share a catalog, which Sluice makes itself. Snapshots of it go after a week.
 */
export const duckLake = (options: LakeOptions): Lake => {
  const schema = options.schema ?? "public"
  const name = `the DuckLake catalog ${schema}`
  return {
    name,
    open: (place) => {
      const use = <A>(run: (session: Session.PostgresSession) => Effect.Effect<A, StoreFailed>) =>
        Effect.scoped(Effect.andThen(check(options), Effect.flatMap(Session.open(options, name), run)))
      const table: LakeTable = {
        read: use((session) => session.snapshot(of(session, schema, name, place).look)),
        commit: (change) => use((session) => session.transaction(of(session, schema, name, place).commit(change)))
      }
      return table
    }
  }
}

const of = (session: Session.PostgresSession, schema: string, name: string, place: LakePlace) => {
  const { entity, folder, parent, table } = place
  const q = (table: string) => `${Ddl.identifier(schema)}.ducklake_${table}`
  const run = (sql: string, ...values: ReadonlyArray<string | number>) =>
    session.run("make a version", sql, ...values.map(String))
  const refuse = (reason: string) =>
    new StoreFailed({ dataset: name, operation: "make a version", kind: "occupied", reason })
  const insert = (table: string, rows: ReadonlyArray<object>) => {
    const all = `json_populate_recordset(NULL::${q(table)}, $1::text::json)`
    return rows.length === 0 ? Effect.void : run(`INSERT INTO ${q(table)} SELECT * FROM ${all}`, JSON.stringify(rows))
  }

  /** What the catalog is, where there is one. */
  const metadata = Effect.gen(function* () {
    const [{ found } = {}] = yield* run("SELECT to_regclass($1::text)::text AS found", q("metadata"))
    if (found === null) return undefined
    const rows = yield* run(`SELECT key, value FROM ${q("metadata")} WHERE scope IS NULL`)
    const { created_by, data_path, version: found_ } = Object.fromEntries(rows.map(({ key, value }) => [key, value]))
    if (created_by === author && found_ === version) return { root: String(data_path) }
    return yield* refuse(`it was made by ${created_by}, of version ${found_}, and not by Sluice, of version ${version}`)
  })

  const look = Effect.gen(function* () {
    const catalog = yield* metadata
    if (catalog === undefined) return undefined
    const isRelative = catalog.root === parent
    const path = isRelative ? folder : parent + folder
    const [other] = yield* run(
      `SELECT path FROM ${q("table")} WHERE table_name = $1 AND end_snapshot IS NULL AND (path, path_is_relative::text) <> ($2, $3)`,
      table,
      path,
      String(isRelative)
    )
    if (other !== undefined) {
      return yield* refuse(
        `its table ${table} is of the folder ${other["path"]}; name another schema, or drop the table`
      )
    }
    const live = "table_id = (SELECT table_id FROM mine WHERE is_live)"
    const [row] = yield* run(
      `WITH mine AS (
        SELECT table_id, end_snapshot IS NULL AS is_live FROM ${q("table")} WHERE path = $1 AND path_is_relative::text = $2
      ), last AS (
        SELECT coalesce(greatest(max(begin_snapshot), max(end_snapshot)), 0) AS id FROM (
          SELECT begin_snapshot, end_snapshot FROM ${q("data_file")} WHERE ${live}
          UNION ALL SELECT begin_snapshot, end_snapshot FROM ${q("column")} WHERE ${live}
        ) AS all_
      )
      SELECT json_build_object(
        'table', (SELECT table_id FROM mine WHERE is_live),
        'foreign', (
          SELECT max(snapshot_id) FROM ${q("snapshot_changes")}, mine
          WHERE is_live AND author IS DISTINCT FROM '${author}' AND changes_made ~ (':' || table_id || '(,|$)')
        ),
        'snapshot', last.id,
        'at', (SELECT ${millis("snapshot_time")} FROM ${q("snapshot")} WHERE snapshot_id = last.id),
        'columns', (
          SELECT coalesce(json_agg(json_build_object('name', column_name, 'type', column_type) ORDER BY column_order), '[]')
          FROM ${q("column")} WHERE ${live} AND end_snapshot IS NULL
        ),
        'files', (SELECT coalesce(json_agg(path), '[]') FROM ${q("data_file")} WHERE ${live} AND end_snapshot IS NULL),
        'gone', (
          SELECT coalesce(json_agg(json_build_object('path', path, 'at', at)), '[]') FROM (
            SELECT f.path, coalesce(max(${millis("snapshot_time")}), 0) AS at
            FROM ${q("data_file")} AS f LEFT JOIN ${q("snapshot")} AS s ON snapshot_id = end_snapshot
            WHERE table_id IN (SELECT table_id FROM mine) GROUP BY f.path HAVING bool_and(end_snapshot IS NOT NULL)
          ) AS ended
        )
      )::text AS found FROM last`,
      path,
      String(isRelative)
    )
    const { foreign, ...found } = yield* Effect.orDie(decodeFound(row?.["found"]))
    if (foreign !== null) {
      const reason = `its snapshot ${foreign} is of somebody else; drop the table ${table} to begin another, and change copies of it alone`
      return yield* refuse(reason)
    }
    return { ...found, at: found.at ?? 0, path, isRelative }
  })

  /** Makes the tables, with a snapshot that has none of a dataset. */
  const create = Effect.fnUntraced(function* (at: string) {
    yield* Lock.schema(session, schema)
    if ((yield* metadata) === undefined) {
      yield* run(`CREATE SCHEMA IF NOT EXISTS ${Ddl.identifier(schema)}`)
      for (const one of tables.trim().split("\n")) {
        const end = one.indexOf("(")
        yield* run(`CREATE TABLE ${q(one.slice(0, end))} ${one.slice(end)}`)
      }
      const pairs = { version, created_by: author, data_path: parent, encrypted: "false" }
      yield* insert(
        "metadata",
        Object.entries(pairs).map(([key, value]) => ({ key, value }))
      )
      const begun = { begin_snapshot: 0, path: "", path_is_relative: true }
      yield* insert("schema", [{ ...begun, schema_id: 0, schema_uuid: randomUUID(), schema_name: "main" }])
      yield* insert("snapshot", [
        { snapshot_id: 0, snapshot_time: at, schema_version: 0, next_catalog_id: 1, next_file_id: 0 }
      ])
      yield* insert("snapshot_changes", [{ snapshot_id: 0, changes_made: 'created_schema:"main"', author }])
    }
    // Whoever else makes a snapshot waits, and readers do not.
    yield* run(`LOCK TABLE ${q("snapshot")} IN EXCLUSIVE MODE`)
  })

  /** Ends a row of the catalog that is current. */
  const end = (table: string, id: number, snapshot: number, where = "", ...values: ReadonlyArray<string>) =>
    run(
      `UPDATE ${q(table)} SET end_snapshot = ${snapshot} WHERE table_id = ${id} AND end_snapshot IS NULL ${where}`,
      ...values
    )

  const commit = Effect.fnUntraced(function* (change: LakeChange) {
    const at = Moment.ofMillis(change.at)
    yield* create(at)
    const found = yield* look
    if (found === undefined || found.snapshot !== change.after) {
      return yield* refuse(`its table ${table} has another version by now, of another process`)
    }
    const { isRelative, path } = found
    const mine = `table_id IN (SELECT table_id FROM ${q("table")} WHERE path = $1 AND path_is_relative::text = $2)`
    const ofMine = [path, String(isRelative)] as const
    if (change.isLost) {
      yield* run(
        `DELETE FROM ${q("name_mapping")} WHERE mapping_id IN (SELECT mapping_id FROM ${q("column_mapping")} WHERE ${mine})`,
        ...ofMine
      )
      const all = [
        "column_mapping",
        "schema_versions",
        "table_stats",
        "file_column_stats",
        "data_file",
        "column",
        "table"
      ]
      for (const one of all) yield* run(`DELETE FROM ${q(one)} WHERE ${mine}`, ...ofMine)
    }
    const former = change.isLost ? null : found.table
    const [row] = yield* run(
      `SELECT json_build_object(
        'snapshot', snapshot_id, 'schemaVersion', schema_version, 'nextCatalog', next_catalog_id, 'nextFile', next_file_id,
        'nextRow', (SELECT next_row_id FROM ${q("table_stats")} WHERE table_id = $1::text::bigint),
        'mapping', (SELECT max(mapping_id) FROM ${q("column_mapping")} WHERE table_id = $1::text::bigint),
        'ids', (SELECT json_object_agg(column_name, column_id) FROM ${q("column")} WHERE table_id = $1::text::bigint)
      )::text AS head FROM ${q("snapshot")} ORDER BY snapshot_id DESC LIMIT 1`,
      former ?? -1
    )
    const head = yield* Effect.orDie(decodeHead(row?.["head"]))
    const snapshot = head.snapshot + 1
    let { nextCatalog, nextFile, nextRow, schemaVersion } = { ...head, nextRow: head.nextRow ?? 0 }
    const changes: Array<string> = []
    const id = former ?? nextCatalog++
    const begun = { table_id: id, begin_snapshot: snapshot, path_is_relative: true }
    if (former === null) {
      const named = { schema_id: 0, table_uuid: randomUUID(), table_name: table, path, path_is_relative: isRelative }
      yield* insert("table", [{ ...begun, ...named }])
      yield* insert("table_stats", [{ table_id: id, record_count: 0, next_row_id: 0, file_size_bytes: 0 }])
      changes.push(`created_table:"main"."${table.replaceAll('"', '""')}"`)
    }

    const ids = new Map(Object.entries(head.ids ?? {}))
    let { mapping } = head
    if (former === null || JSON.stringify(found.columns) !== JSON.stringify(change.columns)) {
      for (const { name } of change.columns) if (!ids.has(name)) ids.set(name, ids.size + 1)
      yield* end("column", id, snapshot)
      const columns = change.columns.map(({ name, type }, column_order) => ({
        ...begun,
        column_id: ids.get(name),
        column_order,
        column_name: name,
        column_type: type,
        nulls_allowed: true
      }))
      yield* insert("column", columns)
      // Of neither files nor tables, as which of the two counts mappings is not specified.
      mapping = Math.max(nextCatalog, nextFile)
      nextCatalog = nextFile = mapping + 1
      yield* insert("column_mapping", [{ mapping_id: mapping, table_id: id, type: "map_by_name" }])
      const names = [...ids].map(([source_name, target_field_id], column_id) => ({
        mapping_id: mapping,
        column_id,
        source_name,
        target_field_id,
        is_partition: source_name === entity
      }))
      yield* insert("name_mapping", names)
      schemaVersion += 1
      yield* insert("schema_versions", [{ begin_snapshot: snapshot, schema_version: schemaVersion, table_id: id }])
      if (former !== null) changes.push(`altered_table:${id}`)
    }

    if (change.removed.length > 0) {
      const paths = "AND path IN (SELECT json_array_elements_text($1::text::json))"
      yield* end("data_file", id, snapshot, paths, JSON.stringify(change.removed))
      changes.push(`deleted_from_table:${id}`)
    }
    const bounds: Array<object> = []
    const files = change.added.map((file) => {
      const data_file_id = nextFile++
      const row_id_start = nextRow
      nextRow += file.rows
      for (const [name, min_value, max_value] of boundsOf(file, entity)) {
        const known = { value_count: file.rows, null_count: 0, min_value, max_value }
        bounds.push({ data_file_id, table_id: id, column_id: ids.get(name), ...known })
      }
      return {
        ...begun,
        data_file_id,
        path: file.path,
        file_format: "parquet",
        record_count: file.rows,
        file_size_bytes: file.bytes,
        footer_size: file.footer,
        row_id_start,
        mapping_id: mapping
      }
    })
    yield* insert("data_file", files)
    yield* insert("file_column_stats", bounds)
    // A file of which nothing is said of a column is taken for one without values that are asked for.
    yield* run(
      `INSERT INTO ${q("file_column_stats")} (data_file_id, table_id, column_id)
      SELECT data_file_id, ${id}, column_id FROM ${q("data_file")} AS f JOIN ${q("column")} AS c USING (table_id)
      WHERE table_id = ${id} AND f.end_snapshot IS NULL AND c.end_snapshot IS NULL
      EXCEPT SELECT data_file_id, table_id, column_id FROM ${q("file_column_stats")} WHERE table_id = ${id}`
    )
    if (files.length > 0) changes.push(`inserted_into_table:${id}`)
    yield* run(
      `UPDATE ${q("table_stats")} SET (record_count, file_size_bytes, next_row_id) = (
        SELECT coalesce(sum(record_count), 0), coalesce(sum(file_size_bytes), 0), ${nextRow}
        FROM ${q("data_file")} WHERE table_id = ${id} AND end_snapshot IS NULL
      ) WHERE table_id = ${id}`
    )
    const next = { schema_version: schemaVersion, next_catalog_id: nextCatalog, next_file_id: nextFile }
    yield* insert("snapshot", [{ snapshot_id: snapshot, snapshot_time: at, ...next }])
    yield* insert("snapshot_changes", [{ snapshot_id: snapshot, changes_made: changes.join(","), author }])

    const first = `(SELECT min(snapshot_id) FROM ${q("snapshot")})`
    const expired = Moment.ofMillis(change.expired)
    yield* run(
      `DELETE FROM ${q("snapshot")} WHERE snapshot_id < (
        SELECT max(snapshot_id) FROM ${q("snapshot")} WHERE snapshot_time <= $1::text::timestamptz
      )`,
      expired
    )
    yield* run(`DELETE FROM ${q("snapshot_changes")} WHERE snapshot_id < ${first}`)
    yield* run(
      `WITH old AS (DELETE FROM ${q("data_file")} WHERE ${mine} AND end_snapshot <= ${first} RETURNING data_file_id)
      DELETE FROM ${q("file_column_stats")} AS s USING old WHERE s.data_file_id = old.data_file_id`,
      ...ofMine
    )
    return snapshot
  })

  return { look, commit }
}

/** What is known of the values of a file: its times, and the entity, where its folder names that. */
const boundsOf = (
  { entity, first, last }: LakeFile,
  field: string | undefined
): ReadonlyArray<readonly [string, string, string]> => [
  ["time", bound(first), bound(last)],
  ...(field === undefined || entity === undefined ? [] : [[field, entity, entity] as const])
]
