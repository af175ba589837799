/**
 * The tables that have the first load of datasets by several processes: who loads a table, and which parts are there.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { KeptTables } from "../database/KeptTables.ts"
import type { Row, Session } from "../database/Session.ts"
import type { TableAddress } from "../database/Table.ts"
import { DatasetDamaged, StoreInUse } from "../model/DatasetError.ts"
import { Note } from "../load/Load.ts"
import { identifier } from "@sluice/files/internal/format/Ddl"
import * as Lock from "./Lock.ts"

/** A part that is in the table. */
export interface Loaded {
  readonly part: number
  readonly records: number
  readonly bytes: number
  readonly sha256: string
}

/** A load. */
export interface Load {
  /** What decides the records of its parts, as text. */
  readonly identity: string
  /** Who loads; nobody where it has ended. */
  readonly holder: string | undefined
}

const decodeNote = Schema.decodeUnknownEffect(Schema.fromJsonString(Note))

const loadedOf = ({ bytes, part, records, sha256 }: Row): Loaded => ({
  part: Number(part),
  records: Number(records),
  bytes: Number(bytes),
  sha256: String(sha256)
})

/** The bookkeeping of the load of one table, named `dataset` in errors. */
export const make = ({ schema, table }: TableAddress, dataset: string, { exists }: Pick<KeptTables, "exists">) => {
  const loads = `${identifier(schema)}.sluice_loads`
  const loadParts = `${identifier(schema)}.sluice_load_parts`

  /** The load of the table; nothing where there is none. */
  const read = Effect.fnUntraced(function* (session: Session) {
    if (!(yield* exists(session, "sluice_loads"))) return undefined
    const sql = `SELECT identity, holder FROM ${loads} WHERE name = $1`
    const [found] = yield* session.run("read the load", sql, table)
    if (found === undefined) return undefined
    const { holder, identity } = found
    const load: Load = { identity: String(identity), holder: Predicate.isString(holder) ? holder : undefined }
    return load
  })

  const columns = "part::text, records::text, bytes::text, sha256"

  return {
    read,

    /** The parts that are in the table. */
    done: Effect.fnUntraced(function* (session: Session) {
      const sql = `SELECT ${columns} FROM ${loadParts} WHERE name = $1 ORDER BY sluice_load_parts.part`
      return (yield* session.run("read the parts", sql, table)).map(loadedOf)
    }),

    /** A part, if it is in the table. */
    find: Effect.fnUntraced(function* (session: Session, part: number) {
      const sql = `SELECT ${columns} FROM ${loadParts} WHERE name = $1 AND part = $2::text::integer`
      const [found] = yield* session.run("look for a part", sql, table, String(part))
      return found === undefined ? undefined : loadedOf(found)
    }),

    /** Makes the tables of loads, and keeps syncs off until the end of the transaction. Fails where one has the table. */
    prepare: Effect.fnUntraced(function* (session: Session) {
      yield* Lock.schema(session, schema)
      for (const statement of [
        `CREATE TABLE IF NOT EXISTS ${loads} (name text PRIMARY KEY, identity text NOT NULL, holder text)`,
        `CREATE TABLE IF NOT EXISTS ${loadParts} (
          name text, part integer, records bigint NOT NULL, bytes bigint NOT NULL, sha256 text NOT NULL, note text NOT NULL,
          is_kept boolean NOT NULL, PRIMARY KEY (name, part))`
      ]) {
        yield* session.run("create the tables of Sluice", statement)
      }
      // A sync has this lock for as long as it runs.
      const isFree = yield* Lock.take(session, Lock.ofTable({ schema, table }), "transaction")
      if (!isFree) return yield* new StoreInUse({ dataset })
    }),

    /** Keeps that this group loads the table. To be run in a transaction. */
    hold: Effect.fnUntraced(function* (session: Session, identity: string, group: string) {
      const [held] = yield* session.run(
        "take the table",
        `INSERT INTO ${loads} AS l VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET holder = coalesce(l.holder, EXCLUDED.holder) RETURNING holder`,
        table,
        identity,
        group
      )
      if (held?.["holder"] !== group) return yield* new StoreInUse({ dataset, by: String(held?.["holder"]) })
    }),

    /**
     * Fails where the group does not load the table any more; until the end of the transaction it does. Of two
     * processes that have read the same part, the second waits for the first here.
     */
    fence: Effect.fnUntraced(function* (session: Session, group: string, part: number) {
      const sql = `SELECT FROM ${loads} WHERE name = $1 AND holder = $2 FOR SHARE`
      const found = yield* session.run("keep the table", sql, table, group)
      if (found.length === 0) return yield* new StoreInUse({ dataset })
      yield* Lock.wait(session, "lock the part", Lock.ofPart({ schema, table }, part))
    }),

    /** Keeps that a part is in the table. */
    add: (session: Session, { bytes, part, records, sha256 }: Loaded, note: Note) =>
      session.run(
        "keep the part",
        `INSERT INTO ${loadParts} VALUES
          ($1, $2::text::integer, $3::text::bigint, $4::text::bigint, $5, $6, false)
        ON CONFLICT (name, part) DO UPDATE SET records = EXCLUDED.records, bytes = EXCLUDED.bytes, sha256 = EXCLUDED.sha256,
          note = EXCLUDED.note, is_kept = false`,
        table,
        String(part),
        String(records),
        String(bytes),
        sha256,
        JSON.stringify(note)
      ),

    /** Forgets all parts, so that they are read again. */
    forget: (session: Session) => session.run("forget the parts", `DELETE FROM ${loadParts} WHERE name = $1`, table),

    /** What was seen in the parts that no cursor has yet. To be run in a transaction, with what makes the cursors. */
    notes: Effect.fnUntraced(function* (session: Session) {
      const sql = `UPDATE ${loadParts} SET is_kept = true WHERE name = $1 AND NOT is_kept RETURNING part::text, note`
      const found = yield* session.run("read the parts", sql, table)
      const notes = yield* Effect.mapError(
        Effect.forEach(found, ({ note, part }) =>
          Effect.map(decodeNote(note), (note) => [Number(part), note] as const)
        ),
        () => new DatasetDamaged({ dataset, issues: ["a part in sluice_load_parts is none"] })
      )
      return new Map(notes)
    }),

    /** Ends the load. Waits for parts that are being written. Tells whether the group had it. */
    release: Effect.fnUntraced(function* (session: Session, group: string) {
      const sql = `UPDATE ${loads} SET holder = NULL WHERE name = $1 AND holder = $2 RETURNING name`
      return (yield* session.run("release the table", sql, table, group)).length > 0
    })
  }
}
