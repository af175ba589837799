/**
 * A DuckLake catalog in PostgreSQL, with a table for each dataset. A version is a snapshot, made in one transaction; the catalog alone says
 * what there is, so what a kill prevented is made by the next run.
 *
 * Files have no ids of their columns, so a mapping gives them by their names, and the entity by that of a folder. A column has one id for
 * ever, as a metric that was left out may come back.
 */
import type { ColumnType } from "@sluice/core/internal/columns/ColumnType"
import * as Ddl from "@sluice/files/internal/format/Ddl"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Shape from "@sluice/node/internal/options/Shape"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import type { ConnectionOptions } from "node:tls"
import * as StoreOptions from "../database/StoreOptions.ts"
import { StoreFailed } from "../model/DatasetError.ts"
import * as Moment from "../model/Moment.ts"
import { kept, type Lake, type LakeTable, type Next, type OpenLake, type Version } from "../model/VersionLog.ts"
import { tables } from "./DuckLakeTables.ts"
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

const Named = Schema.Struct({ path: Schema.String, at: Schema.Finite })

/** What the catalog has of a dataset, and from where it goes on. */
const Found = Schema.fromJsonString(
  Schema.Struct({
    table: Schema.NullOr(Schema.Int),
    /** A snapshot of somebody else that has changed the table. */
    foreign: Schema.NullOr(Schema.Int),
    /** The last that has changed it; 0 where there is no table, though files of a former one are known. */
    snapshot: Schema.Int,
    at: Schema.NullOr(Schema.Finite),
    columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
    files: Schema.Array(Named),
    gone: Schema.Array(Named),
    nextRow: Schema.NullOr(Schema.Int),
    mapping: Schema.NullOr(Schema.Int),
    /** Ids of all columns that the table ever had. */
    ids: Schema.NullOr(Schema.Record(Schema.String, Schema.Int)),
    head: Schema.Struct({
      snapshot_id: Schema.Int,
      schema_version: Schema.Int,
      next_catalog_id: Schema.Int,
      next_file_id: Schema.Int
    })
  })
)
const decode = Schema.decodeUnknownEffect(Found)

const types = {
  Text: "varchar",
  Json: "varchar",
  Boolean: "boolean",
  Int64: "int64",
  Double: "float64",
  Time: "timestamptz"
} as const

const typeOf = (type: ColumnType): string =>
  type._tag === "Decimal" ? `decimal(${type.shape.precision},${type.shape.scale})` : types[type._tag]

/** Columns as the catalog has them. That of a folder comes first. */
const columnsOf = (columns: Next["columns"], entity: string | undefined) => [
  ...(entity === undefined ? [] : [{ name: entity, type: "varchar" }]),
  ...columns.map(({ name, type }) => ({ name, type: typeOf(type) }))
]

/** Time as DuckDB writes it, in whole microseconds: files have no finer ones. */
const bound = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 26)}+00`

/**
 * A DuckLake catalog in PostgreSQL, for `snapshots` of a dataset in a folder: each version of its files is a snapshot, and the name of the
 * folder is that of the table. Datasets may share a catalog, which Sluice makes itself. Its snapshots go after a week.
 */
export const duckLake = (options: LakeOptions): Lake => over(options, (name) => Session.open(options, name))

/** The same over connections of any kind. */
export const over = (
  options: LakeOptions,
  connect: (name: string) => Effect.Effect<Session.PostgresSession, StoreFailed, Scope.Scope>
): Lake => {
  const name = `the DuckLake catalog ${options.schema ?? "public"}`
  const lake: OpenLake = {
    name,
    versionsOf: (table) => {
      const use = <A>(run: (catalog: Catalog) => Effect.Effect<A, StoreFailed>, how: "snapshot" | "transaction") =>
        Effect.scoped(
          Effect.gen(function* () {
            yield* check(options)
            const session = yield* connect(name)
            return yield* session[how](run(catalogOf(session, options.schema ?? "public", name, table)))
          })
        )
      let last: Version | undefined
      /** The snapshot of it. */
      let snapshot = 0
      /** Whether that is what the catalog has: the answer to a commit may have been lost. */
      let isKnown = false
      /** Whether files are missing: the dataset was moved, or somebody has removed them. The table begins anew. */
      let isLost: boolean | undefined
      const read = Effect.map(
        use(({ look }) => look, "snapshot"),
        (found) => {
          snapshot = found?.snapshot ?? 0
          const known = found === undefined ? [] : [...found.files, ...found.gone]
          isLost ??= known.some(({ path }) => !table.names.has(path))
          last = isLost ? undefined : found
          isKnown = true
          return last
        }
      )
      return {
        settle: Effect.suspend(() => (isKnown ? Effect.succeed(last) : read)),
        schemaOf: (columns) => JSON.stringify(columnsOf(columns, table.entity)),
        commit: Effect.fnUntraced(function* (next: Next) {
          const footers = yield* Effect.forEach(next.added, ({ path }) => table.footerOf(path), { concurrency: 16 })
          isKnown = false
          snapshot = yield* use(({ commit }) => commit(next, footers, snapshot, isLost === true), "transaction")
          isLost = false
          last = next
          isKnown = true
        })
      }
    }
  }
  return lake
}

type Catalog = ReturnType<typeof catalogOf>

const catalogOf = (session: Session.PostgresSession, schema: string, name: string, { entity, root }: LakeTable) => {
  const [, parent = "", folder = "", table = ""] = /^(.*[/\\])(([^/\\]+)\.ducklake)$/s.exec(root) ?? []
  const q = (table: string) => `${Ddl.identifier(schema)}.ducklake_${table}`
  const run = (sql: string, ...values: ReadonlyArray<string>) => session.run("make a version", sql, ...values)
  const refuse = (reason: string) =>
    new StoreFailed({ dataset: name, operation: "make a version", kind: "occupied", reason })
  const insert = (table: string, ...rows: ReadonlyArray<object>) => {
    const all = `json_populate_recordset(NULL::${q(table)}, $1::text::json)`
    return rows.length === 0 ? Effect.void : run(`INSERT INTO ${q(table)} SELECT * FROM ${all}`, JSON.stringify(rows))
  }

  /** Where the files of the catalog are, where there is one. */
  const dataPath = Effect.gen(function* () {
    const [{ found } = {}] = yield* run("SELECT to_regclass($1::text)::text AS found", q("metadata"))
    if (found === null) return undefined
    const rows = yield* run(`SELECT key, value FROM ${q("metadata")} WHERE scope IS NULL`)
    const of = Object.fromEntries(rows.map(({ key, value }) => [key, value]))
    if (of["created_by"] === author && of["version"] === version) return String(of["data_path"])
    return yield* refuse(
      `it was made by ${of["created_by"]} in version ${of["version"]}, and not by Sluice in ${version}`
    )
  })

  /** The tables of the folder, and that of them which is current. */
  const mine = `(SELECT table_id FROM ${q("table")} WHERE path = $1 AND path_is_relative::text = $2)`
  const live = `(SELECT table_id FROM ${q("table")} WHERE path = $1 AND path_is_relative::text = $2 AND end_snapshot IS NULL)`

  const look = Effect.gen(function* () {
    const path = yield* dataPath
    if (path === undefined) return undefined
    const isBelow = path === parent
    const place = [`${isBelow ? folder : root}/`, String(isBelow)] as const
    const others = `table_name = $3 AND end_snapshot IS NULL AND table_id NOT IN ${mine}`
    const [other] = yield* run(`SELECT path FROM ${q("table")} WHERE ${others}`, ...place, table)
    if (other !== undefined) {
      return yield* refuse(`its table ${table} is of the folder ${other["path"]}; name another schema, or drop it`)
    }
    const time = "(extract(epoch FROM snapshot_time) * 1000)::bigint"
    const [row] = yield* run(
      `SELECT json_build_object(
        'table', ${live},
        'foreign', (
          SELECT max(snapshot_id) FROM ${q("snapshot_changes")}
          WHERE author IS DISTINCT FROM '${author}' AND changes_made ~ (':' || ${live} || '(,|$)')
        ),
        'snapshot', id, 'at', (SELECT ${time} FROM ${q("snapshot")} WHERE snapshot_id = id),
        'columns', (
          SELECT coalesce(json_agg(json_build_object('name', column_name, 'type', column_type) ORDER BY column_order), '[]')
          FROM ${q("column")} WHERE table_id = ${live} AND end_snapshot IS NULL
        ),
        'files', (
          SELECT coalesce(json_agg(json_build_object('path', path, 'at', 0)), '[]')
          FROM ${q("data_file")} WHERE table_id = ${live} AND end_snapshot IS NULL
        ),
        'gone', (
          SELECT coalesce(json_agg(ended), '[]') FROM (
            SELECT path, coalesce(max(${time}), 0) AS at
            FROM ${q("data_file")} LEFT JOIN ${q("snapshot")} ON snapshot_id = end_snapshot
            WHERE table_id IN ${mine} GROUP BY path HAVING bool_and(end_snapshot IS NOT NULL)
          ) AS ended
        ),
        'nextRow', (SELECT next_row_id FROM ${q("table_stats")} WHERE table_id = ${live}),
        'mapping', (SELECT max(mapping_id) FROM ${q("column_mapping")} WHERE table_id = ${live}),
        'ids', (SELECT json_object_agg(column_name, column_id) FROM ${q("column")} WHERE table_id = ${live}),
        'head', (SELECT row_to_json(s) FROM ${q("snapshot")} AS s ORDER BY snapshot_id DESC LIMIT 1)
      )::text AS found FROM (
        SELECT coalesce(greatest(max(begin_snapshot), max(end_snapshot)), 0) AS id FROM (
          SELECT table_id, begin_snapshot, end_snapshot FROM ${q("data_file")}
          UNION ALL SELECT table_id, begin_snapshot, end_snapshot FROM ${q("column")}
        ) AS every WHERE table_id = ${live}
      ) AS latest`,
      ...place
    )
    const found = yield* Effect.mapError(decode(row?.["found"]), () =>
      refuse(`what it says of the table ${table} cannot be read; drop the table to begin another`)
    )
    if (found.foreign === null) return { ...found, at: found.at ?? 0, schema: JSON.stringify(found.columns), place }
    const reason = `its snapshot ${found.foreign} is of somebody else; drop the table ${table} to begin another, and change copies of it alone`
    return yield* refuse(reason)
  })

  /** Makes the tables, with a snapshot that has none of a dataset, and lets nobody else make snapshots until the end of the transaction. */
  const begin = Effect.fnUntraced(function* (at: string) {
    yield* Lock.schema(session, schema)
    if ((yield* dataPath) === undefined) {
      yield* run(`CREATE SCHEMA IF NOT EXISTS ${Ddl.identifier(schema)}`)
      for (const one of tables) yield* run(`CREATE TABLE ${q(one)}`)
      const pairs = Object.entries({ version, created_by: author, data_path: parent, encrypted: "false" })
      yield* insert("metadata", ...pairs.map(([key, value]) => ({ key, value })))
      const main = { schema_id: 0, schema_uuid: randomUUID(), begin_snapshot: 0, schema_name: "main" }
      yield* insert("schema", { ...main, path: "", path_is_relative: true })
      const next = { schema_version: 0, next_catalog_id: 1, next_file_id: 0 }
      yield* insert("snapshot", { snapshot_id: 0, snapshot_time: at, ...next })
      yield* insert("snapshot_changes", { snapshot_id: 0, changes_made: 'created_schema:"main"', author })
    }
    yield* run(`LOCK TABLE ${q("snapshot")} IN EXCLUSIVE MODE`)
  })

  const commit = Effect.fnUntraced(function* (
    next: Next,
    footers: ReadonlyArray<number>,
    after: number,
    isLost: boolean
  ) {
    const at = Moment.ofMillis(next.at)
    yield* begin(at)
    const found = yield* look
    if (found?.snapshot !== after) {
      return yield* refuse(`its table ${table} has a version of another process by now`)
    }
    const { head, place } = found
    if (isLost) {
      for (const one of ["column_mapping", "table_stats", "file_column_stats", "data_file", "column", "table"]) {
        yield* run(`DELETE FROM ${q(one)} WHERE table_id IN ${mine}`, ...place)
      }
    }
    const { table: former, ...before } = isLost ? { table: null, nextRow: 0, mapping: 0, ids: {} } : found
    const snapshot = head.snapshot_id + 1
    let { next_catalog_id, next_file_id, schema_version } = head
    let { mapping, nextRow } = { mapping: before.mapping, nextRow: before.nextRow ?? 0 }
    const table_id = former ?? next_catalog_id++
    const begun = { table_id, begin_snapshot: snapshot, path_is_relative: true }
    const ids = new Map(Object.entries(before.ids ?? {}))
    const end = (table: string, where = "", ...values: ReadonlyArray<string>) => {
      const current = `table_id = ${table_id} AND end_snapshot IS NULL ${where}`
      return run(`UPDATE ${q(table)} SET end_snapshot = ${snapshot} WHERE ${current}`, ...values)
    }
    const changes: Array<string> = []
    if (former === null) {
      const [path, isBelow] = place
      const named = { schema_id: 0, table_uuid: randomUUID(), table_name: table, path, path_is_relative: isBelow }
      yield* insert("table", { ...begun, ...named })
      yield* insert("table_stats", { table_id, record_count: 0, next_row_id: 0, file_size_bytes: 0 })
      changes.push(`created_table:"main".${Ddl.identifier(table)}`)
    }
    if (next.isOther) {
      const columns = columnsOf(next.columns, entity)
      for (const { name } of columns) if (!ids.has(name)) ids.set(name, ids.size + 1)
      yield* end("column")
      const rows = columns.map(({ name, type }, column_order) => {
        const column = { column_name: name, column_type: type, column_order, nulls_allowed: true }
        return { ...begun, column_id: ids.get(name), ...column }
      })
      yield* insert("column", ...rows)
      // The specification does not say of which of the two counts ids of mappings are.
      mapping = Math.max(next_catalog_id, next_file_id)
      next_catalog_id = next_file_id = mapping + 1
      yield* insert("column_mapping", { mapping_id: mapping, table_id, type: "map_by_name" })
      const names = [...ids].map(([source_name, target_field_id], column_id) => {
        return { mapping_id: mapping, column_id, source_name, target_field_id, is_partition: source_name === entity }
      })
      yield* insert("name_mapping", ...names)
      schema_version += 1
      yield* insert("schema_versions", { begin_snapshot: snapshot, schema_version, table_id })
      if (former !== null) changes.push(`altered_table:${table_id}`)
    }
    if (next.removed.length > 0) {
      const paths = "AND path IN (SELECT json_array_elements_text($1::text::json))"
      yield* end("data_file", paths, JSON.stringify(next.removed))
      changes.push(`deleted_from_table:${table_id}`)
    }
    const bounds: Array<object> = []
    const files = next.added.map(({ entry, path }, index) => {
      const data_file_id = next_file_id++
      const row_id_start = nextRow
      const { bytes, first, last, rows } = entry
      nextRow += rows
      const known = { data_file_id, table_id, value_count: rows, null_count: 0 }
      bounds.push({ ...known, column_id: ids.get("time"), min_value: bound(first), max_value: bound(last) })
      if (entity !== undefined) {
        bounds.push({ ...known, column_id: ids.get(entity), min_value: entry.entity, max_value: entry.entity })
      }
      const sizes = { record_count: rows, file_size_bytes: bytes, footer_size: footers[index] }
      return { ...begun, data_file_id, path, file_format: "parquet", ...sizes, row_id_start, mapping_id: mapping }
    })
    yield* insert("data_file", ...files)
    yield* insert("file_column_stats", ...bounds)
    if (files.length > 0) changes.push(`inserted_into_table:${table_id}`)
    // A reader leaves out a file of which nothing is said of a column that it asks for.
    yield* run(
      `INSERT INTO ${q("file_column_stats")} (data_file_id, table_id, column_id)
      SELECT data_file_id, table_id, column_id FROM ${q("data_file")} AS f JOIN ${q("column")} AS c USING (table_id)
      WHERE table_id = ${table_id} AND f.end_snapshot IS NULL AND c.end_snapshot IS NULL
      EXCEPT SELECT data_file_id, table_id, column_id FROM ${q("file_column_stats")} WHERE table_id = ${table_id}`
    )
    yield* run(
      `UPDATE ${q("table_stats")} SET (record_count, file_size_bytes, next_row_id) = (
        SELECT coalesce(sum(record_count), 0), coalesce(sum(file_size_bytes), 0), ${nextRow}
        FROM ${q("data_file")} WHERE table_id = ${table_id} AND end_snapshot IS NULL
      ) WHERE table_id = ${table_id}`
    )
    const counts = { schema_version, next_catalog_id, next_file_id }
    yield* insert("snapshot", { snapshot_id: snapshot, snapshot_time: at, ...counts })
    yield* insert("snapshot_changes", { snapshot_id: snapshot, changes_made: changes.join(","), author })

    // The last one that is old enough is what there was then.
    const old = `SELECT max(snapshot_id) FROM ${q("snapshot")} WHERE snapshot_time <= $1::text::timestamptz`
    yield* run(`DELETE FROM ${q("snapshot")} WHERE snapshot_id < (${old})`, Moment.ofMillis(next.at - kept))
    const first = `(SELECT min(snapshot_id) FROM ${q("snapshot")})`
    yield* run(`DELETE FROM ${q("snapshot_changes")} WHERE snapshot_id < ${first}`)
    yield* run(
      `WITH old AS (DELETE FROM ${q("data_file")} WHERE table_id IN ${mine} AND end_snapshot <= ${first} RETURNING data_file_id)
      DELETE FROM ${q("file_column_stats")} AS s USING old WHERE s.data_file_id = old.data_file_id`,
      ...place
    )
    return snapshot
  })

  return { look, commit }
}
