/**
 * The tables that have the definitions and cursors of datasets, in the schema of their tables.
 */
import { listValue } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import * as Bookkeeping from "../database/Bookkeeping.ts"
import type { TableAddress } from "../database/Table.ts"
import type { Definition } from "../dataset/Definition.ts"
import { identifier } from "../format/Ddl.ts"
import type { Session } from "./Session.ts"

/** A table of the connection, with the changes of cursors. */
const changed = "sluice_changed"

/** The bookkeeping of one table, named `dataset` in errors. */
export const make = ({ schema, table }: TableAddress, dataset: string) => {
  const datasets = `${identifier(schema)}.sluice_datasets`
  const cursors = `${identifier(schema)}.sluice_cursors`

  const exists = (session: Session, name: string) =>
    Effect.map(
      session.run(
        "look for tables",
        "SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = $1 AND table_name = $2",
        schema,
        name
      ),
      (found) => found.length > 0
    )

  const begun = [
    `CREATE SCHEMA IF NOT EXISTS ${identifier(schema)}`,
    `CREATE TABLE IF NOT EXISTS ${datasets} (name VARCHAR PRIMARY KEY, version INTEGER NOT NULL, kept VARCHAR NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS ${cursors} (
      dataset VARCHAR, entity VARCHAR, rows BIGINT NOT NULL, cursor VARCHAR, PRIMARY KEY (dataset, entity))`
  ]

  return {
    /** What is kept; nothing where there is no dataset. */
    read: Effect.fnUntraced(function* (session: Session) {
      if (!(yield* exists(session, "sluice_datasets"))) return undefined
      const sql = `SELECT version, kept FROM ${datasets} WHERE name = $1`
      const [found] = yield* session.run("read the definition", sql, table)
      if (found === undefined) return undefined
      const { definition, settings } = yield* Bookkeeping.read(dataset, Number(found["version"]), found["kept"])
      const texts = yield* session.run(
        "read the cursors",
        `SELECT cursor FROM ${cursors} WHERE dataset = $1 AND cursor IS NOT NULL`,
        table
      )
      const all = yield* Bookkeeping.readCursors(
        dataset,
        texts.map((row) => row["cursor"])
      )
      return { definition, settings, cursors: all }
    }),

    /** Keeps a new dataset, with the table that the statement makes. To be run in a transaction. */
    create: Effect.fnUntraced(function* (
      session: Session,
      definition: Definition,
      settings: Bookkeeping.Settings,
      statement: string
    ) {
      for (const sql of begun) yield* session.run("create the tables of Sluice", sql)
      if (yield* exists(session, table)) {
        return yield* Bookkeeping.occupiedBy(dataset)
      }
      yield* session.run("create the table", statement)
      yield* session.run(
        "keep the definition",
        `INSERT INTO ${datasets} VALUES ($1, $2, $3)`,
        table,
        Bookkeeping.version,
        Bookkeeping.write(definition, settings)
      )
    }),

    define: (session: Session, definition: Definition, settings: Bookkeeping.Settings) =>
      session.run(
        "keep the definition",
        `UPDATE ${datasets} SET kept = $2 WHERE name = $1`,
        table,
        Bookkeeping.write(definition, settings)
      ),

    keep: Effect.fnUntraced(function* (session: Session, changes: ReadonlyArray<Bookkeeping.EntityChange>) {
      if (changes.length === 0) return
      yield* session.run(
        "keep the cursors",
        `CREATE TEMP TABLE ${changed} (entity VARCHAR, rows BIGINT, cursor VARCHAR)`
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const appender = yield* session.appender("keep the cursors", changed)
          yield* session.at("keep the cursors", () => {
            for (const { cursor, entity, rows } of changes) {
              appender.appendVarchar(entity)
              appender.appendBigInt(BigInt(rows))
              if (cursor === null) appender.appendNull()
              else appender.appendVarchar(JSON.stringify(cursor))
              appender.endRow()
            }
          })
        })
      )
      yield* session.run(
        "keep the cursors",
        `INSERT INTO ${cursors} AS c SELECT $1, entity, rows, cursor FROM temp.main.${changed} ON CONFLICT (dataset, entity)
        DO UPDATE SET rows = c.rows + EXCLUDED.rows, cursor = coalesce(EXCLUDED.cursor, c.cursor)`,
        table
      )
    }),

    /** Forgets cursors. The number of rows stays while there are any. */
    forget: Effect.fnUntraced(function* (session: Session, entities: ReadonlyArray<string>) {
      if (entities.length === 0) return
      const named = "WHERE dataset = $1 AND list_contains($2, entity)"
      const names = listValue([...entities])
      yield* session.run("forget cursors", `UPDATE ${cursors} SET cursor = NULL ${named}`, table, names)
      yield* session.run("forget cursors", `DELETE FROM ${cursors} ${named} AND rows = 0`, table, names)
    }),

    /** The rows of each entity, as they were counted when they were written. */
    written: (session: Session) =>
      Effect.map(
        session.run(
          "read the cursors",
          `SELECT entity, rows::VARCHAR AS rows FROM ${cursors} WHERE dataset = $1`,
          table
        ),
        Bookkeeping.countsOf
      )
  }
}
