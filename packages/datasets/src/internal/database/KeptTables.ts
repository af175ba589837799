/**
 * The tables that have the definitions and cursors of datasets, in the schema of their tables.
 */
import * as Effect from "effect/Effect"
import { StoreInUse } from "../model/DatasetError.ts"
import type { Definition } from "../model/Definition.ts"
import { identifier, typeOf } from "@sluice/files/internal/format/Ddl"
import * as Bookkeeping from "./Bookkeeping.ts"
import type { Dialect } from "./Dialect.ts"
import type { Session } from "./Session.ts"
import * as Table from "./Table.ts"

/** The bookkeeping of one table. */
export type KeptTables = ReturnType<typeof make>

/** Builds the bookkeeping of one table, named `dataset` in errors. */
export const make = (dialect: Dialect, place: Table.TableAddress, dataset: string) => {
  const { schema, table } = place
  const datasets = `${identifier(schema)}.sluice_datasets`
  const cursors = `${identifier(schema)}.sluice_cursors`
  const target = Table.nameOf(place)
  const json = typeOf({ _tag: "Json" }, dialect.name)

  const exists = (session: Session, name: string) =>
    Effect.map(session.run("look for tables", dialect.tableExists, schema, name), (found) => found.length > 0)

  /** What is kept; nothing where there is no dataset. */
  const read = Effect.fnUntraced(function* (session: Session) {
    if (!(yield* exists(session, "sluice_datasets"))) return undefined
    const sql = `SELECT version::text AS version, kept::text AS kept FROM ${datasets} WHERE name = $1`
    const [found] = yield* session.run("read the definition", sql, table)
    if (found === undefined) return undefined
    const { definition, settings } = yield* Bookkeeping.read(dataset, Number(found["version"]), found["kept"])
    const rows = yield* session.run(
      "read the cursors",
      `SELECT cursor::text AS cursor FROM ${cursors} WHERE dataset = $1 AND cursor IS NOT NULL`,
      table
    )
    const texts = rows.map(({ cursor }) => cursor)
    return { definition, settings, cursors: yield* Bookkeeping.readCursors(dataset, texts) }
  })

  /** Makes the schema and the tables of all datasets where they are missing. To be run in a transaction. */
  const prepare = Effect.fnUntraced(function* (session: Session) {
    if (yield* exists(session, "sluice_cursors")) return
    // Of two that make the same table at once one would fail, whatever IF NOT EXISTS says.
    yield* dialect.lockSchema(session, schema)
    const found = yield* session.run(
      "look for the schema",
      "SELECT 1 FROM information_schema.schemata WHERE catalog_name = current_database() AND schema_name = $1",
      schema
    )
    const make = [
      // Who may not make a schema may still use one.
      ...(found.length === 0 ? [`CREATE SCHEMA IF NOT EXISTS ${identifier(schema)}`] : []),
      `CREATE TABLE IF NOT EXISTS ${datasets} (
        name text PRIMARY KEY, version integer NOT NULL, run bigint NOT NULL, kept ${json} NOT NULL)`,
      `CREATE TABLE IF NOT EXISTS ${cursors} (
        dataset text, entity text, rows bigint NOT NULL, cursor ${json}, PRIMARY KEY (dataset, entity))`
    ]
    for (const statement of make) yield* session.run("create the tables of Sluice", statement)
  })

  return {
    read,
    exists,
    prepare,

    /** Keeps a new dataset, with the table that the statements make. To be run in a transaction. */
    create: Effect.fnUntraced(function* (
      session: Session,
      definition: Definition,
      settings: Bookkeeping.Settings,
      statements: ReadonlyArray<string>
    ) {
      yield* prepare(session)
      if (yield* exists(session, table)) return yield* Bookkeeping.occupiedBy(dataset)
      for (const statement of statements) yield* session.run("create the table", statement)
      yield* session.run(
        "keep the definition",
        `INSERT INTO ${datasets} (name, version, run, kept) VALUES ($1, $2::text::integer, 0, $3::text::${json})`,
        table,
        String(Bookkeeping.version),
        Bookkeeping.write(definition, settings)
      )
    }),

    define: (session: Session, definition: Definition, settings: Bookkeeping.Settings) =>
      session.run(
        "keep the definition",
        `UPDATE ${datasets} SET kept = $2::text::${json} WHERE name = $1`,
        table,
        Bookkeeping.write(definition, settings)
      ),

    /** Begins a run. No run before may change anything after that, even where its connection only seemed to have ended. */
    begin: Effect.fnUntraced(function* (session: Session) {
      const sql = `UPDATE ${datasets} SET run = run + 1 WHERE name = $1 RETURNING run::text AS run`
      const [row] = yield* session.run("begin a run", sql, table)
      return String(row?.["run"])
    }),

    /** The run that is the last. */
    run: Effect.fnUntraced(function* (session: Session) {
      const sql = `SELECT run::text AS run FROM ${datasets} WHERE name = $1`
      const [row] = yield* session.run("look for the run", sql, table)
      if (row === undefined) return yield* new StoreInUse({ dataset })
      return String(row["run"])
    }),

    /** Fails in a run that another has followed. Until the end of the transaction none can follow. */
    fence: Effect.fnUntraced(function* (session: Session, run: string) {
      const sql = `SELECT 1 FROM ${datasets} WHERE name = $1 AND run = $2::text::bigint ${dialect.forShare}`
      const found = yield* session.run("keep the table", sql, table, run)
      if (found.length === 0) return yield* new StoreInUse({ dataset })
    }),

    keep: Effect.fnUntraced(function* (session: Session, changes: ReadonlyArray<Bookkeeping.EntityChange>) {
      if (changes.length === 0) return
      yield* session.run(
        "keep the cursors",
        `INSERT INTO ${cursors} AS c (dataset, entity, rows, cursor)
        SELECT $1, n.entity, n.rows, n.cursor
        FROM ${dialect.rowsOf("$2", { entity: "text", rows: "bigint", cursor: json })}
        ON CONFLICT (dataset, entity) DO UPDATE
        SET rows = c.rows + EXCLUDED.rows, cursor = coalesce(EXCLUDED.cursor, c.cursor)`,
        table,
        JSON.stringify(changes)
      )
    }),

    /** Forgets cursors. The number of rows stays while there are any. */
    forget: Effect.fnUntraced(function* (session: Session, entities: ReadonlyArray<string>) {
      if (entities.length === 0) return
      const named = `dataset = $1 AND entity IN (SELECT entity FROM ${dialect.rowsOf("$2", { entity: "text" })})`
      const names = JSON.stringify(entities.map((entity) => ({ entity })))
      yield* session.run("forget cursors", `DELETE FROM ${cursors} WHERE ${named} AND rows = 0`, table, names)
      yield* session.run("forget cursors", `UPDATE ${cursors} SET cursor = NULL WHERE ${named}`, table, names)
    }),

    /** Forgets the dataset, whose table is gone. To be run in a transaction. */
    forgetAll: Effect.fnUntraced(function* (session: Session) {
      yield* session.run("forget cursors", `DELETE FROM ${cursors} WHERE dataset = $1`, table)
      yield* session.run("forget the definition", `DELETE FROM ${datasets} WHERE name = $1`, table)
    }),

    /**
     * Takes the rows that are there for those that were written, and forgets how far entities are. To be run in a
     * transaction.
     */
    recount: Effect.fnUntraced(function* (session: Session, { entity }: Pick<Bookkeeping.Settings, "entity">) {
      yield* session.run("forget cursors", `DELETE FROM ${cursors} WHERE dataset = $1`, table)
      yield* session.run(
        "count the records",
        `INSERT INTO ${cursors} (dataset, entity, rows)
        SELECT $1::text, t.${identifier(entity)}, count(*) FROM ${target} t GROUP BY t.${identifier(entity)}`,
        table
      )
    }),

    /** How many rows the table has. */
    count: Effect.fnUntraced(function* (session: Session) {
      const [row] = yield* session.run("count the records", `SELECT count(*)::text AS rows FROM ${target}`)
      return Number(row?.["rows"])
    }),

    /** The rows of each entity, as they were counted when they were written. */
    written: (session: Session) =>
      Effect.map(
        session.run("read the cursors", `SELECT entity, rows::text AS rows FROM ${cursors} WHERE dataset = $1`, table),
        Bookkeeping.countsOf
      )
  }
}
