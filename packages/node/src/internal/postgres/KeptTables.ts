/**
 * The tables that have the definitions and cursors of datasets, in the schema of their tables.
 */
import * as Effect from "effect/Effect"
import * as Bookkeeping from "../database/Bookkeeping.ts"
import type { TableAddress } from "../database/Table.ts"
import { StoreInUse } from "../dataset/DatasetError.ts"
import type { Definition } from "../dataset/Definition.ts"
import { identifier } from "../format/Ddl.ts"
import * as Lock from "./Lock.ts"
import type { Session } from "./Session.ts"
import { bookkeeping } from "./Statements.ts"

/** The bookkeeping of one table, named `dataset` in errors. */
export const make = ({ schema, table }: TableAddress, dataset: string) => {
  const { cursors, datasets, loads } = bookkeeping(schema)
  const lock = Lock.ofTable({ schema, table })
  const target = `${identifier(schema)}.${identifier(table)}`

  const exists = (session: Session, name: string) =>
    Effect.map(
      session.run(
        "look for tables",
        "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2",
        schema,
        name
      ),
      (found) => found.length > 0
    )

  /** What is kept; nothing where there is no dataset. */
  const read = Effect.fnUntraced(function* (session: Session) {
    if (!(yield* exists(session, "sluice_datasets"))) return undefined
    const [found] = yield* session.run(
      "read the definition",
      `SELECT version::text, kept::text FROM ${datasets} WHERE name = $1`,
      table
    )
    if (found === undefined) return undefined
    const { definition, settings } = yield* Bookkeeping.read(dataset, Number(found["version"]), found["kept"])
    const texts = yield* session.run(
      "read the cursors",
      `SELECT cursor::text FROM ${cursors} WHERE dataset = $1 AND cursor IS NOT NULL`,
      table
    )
    return {
      definition,
      settings,
      cursors: yield* Bookkeeping.readCursors(
        dataset,
        texts.map((row) => row["cursor"])
      )
    }
  })

  /** Makes the schema and the tables of all datasets where they are missing. To be run in a transaction. */
  const prepare = Effect.fnUntraced(function* (session: Session) {
    if (yield* exists(session, "sluice_cursors")) return
    // Of two that make the same table at once one would fail, whatever IF NOT EXISTS says.
    yield* Lock.wait(session, "lock the schema", Lock.ofSchema(schema))
    const [found] = yield* session.run("look for the schema", "SELECT FROM pg_namespace WHERE nspname = $1", schema)
    const make = [
      ...(found === undefined ? [`CREATE SCHEMA IF NOT EXISTS ${identifier(schema)}`] : []),
      `CREATE TABLE IF NOT EXISTS ${datasets} (
        name text PRIMARY KEY, version integer NOT NULL, run bigint NOT NULL, kept jsonb NOT NULL)`,
      `CREATE TABLE IF NOT EXISTS ${cursors} (
        dataset text, entity text, rows bigint NOT NULL, cursor jsonb, PRIMARY KEY (dataset, entity))`
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
        `INSERT INTO ${datasets} VALUES ($1, $2::text::integer, 0, $3::text::jsonb)`,
        table,
        String(Bookkeeping.version),
        Bookkeeping.write(definition, settings)
      )
    }),

    define: (session: Session, definition: Definition, settings: Bookkeeping.Settings) =>
      session.run(
        "keep the definition",
        `UPDATE ${datasets} SET kept = $2::text::jsonb WHERE name = $1`,
        table,
        Bookkeeping.write(definition, settings)
      ),

    /** Takes the dataset for as long as the connection is open. Fails where another connection has it, or a backfill. */
    take: Effect.fnUntraced(function* (session: Session) {
      if (!(yield* Lock.take(session, lock, "connection"))) return yield* new StoreInUse({ dataset })
      if (!(yield* exists(session, "sluice_loads"))) return
      const held = `SELECT holder FROM ${loads} WHERE name = $1 AND holder IS NOT NULL`
      const [load] = yield* session.run("look for a backfill", held, table)
      if (load !== undefined) return yield* new StoreInUse({ dataset, by: String(load["holder"]) })
    }),

    /** Leaves the dataset to the next: a server may notice the end of a connection later than its client. */
    leave: (session: Session) => Lock.leave(session, lock).pipe(Effect.timeout("1 second"), Effect.ignore),

    /** Begins a run. No run before may change anything after that, even where its connection only seemed to have ended. */
    begin: Effect.fnUntraced(function* (session: Session) {
      const sql = `UPDATE ${datasets} SET run = run + 1 WHERE name = $1 RETURNING run::text`
      const [row] = yield* session.run("begin a run", sql, table)
      return String(row?.["run"])
    }),

    /** The run that is the last. */
    run: Effect.fnUntraced(function* (session: Session) {
      const [row] = yield* session.run("look for the run", `SELECT run::text FROM ${datasets} WHERE name = $1`, table)
      if (row === undefined) return yield* new StoreInUse({ dataset })
      return String(row["run"])
    }),

    /** Fails in a run that another has followed. Until the end of the transaction none can follow. */
    fence: Effect.fnUntraced(function* (session: Session, run: string) {
      const sql = `SELECT FROM ${datasets} WHERE name = $1 AND run = $2::text::bigint FOR SHARE`
      const found = yield* session.run("keep the table", sql, table, run)
      if (found.length === 0) return yield* new StoreInUse({ dataset })
    }),

    keep: (session: Session, changes: ReadonlyArray<Bookkeeping.EntityChange>) =>
      session.run(
        "keep the cursors",
        `INSERT INTO ${cursors} AS c (dataset, entity, rows, cursor)
        SELECT $1, n.entity, n.rows, n.cursor FROM json_to_recordset($2::text::json) AS n(entity text, rows bigint, cursor jsonb)
        ON CONFLICT (dataset, entity) DO UPDATE SET rows = c.rows + EXCLUDED.rows, cursor = coalesce(EXCLUDED.cursor, c.cursor)`,
        table,
        JSON.stringify(changes)
      ),

    /** Forgets cursors. The number of rows stays while there are any. */
    forget: Effect.fnUntraced(function* (session: Session, entities: ReadonlyArray<string>) {
      const named = "dataset = $1 AND entity IN (SELECT json_array_elements_text($2::text::json))"
      const names = JSON.stringify(entities)
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
        session.run("read the cursors", `SELECT entity, rows::text FROM ${cursors} WHERE dataset = $1`, table),
        Bookkeeping.countsOf
      )
  }
}
