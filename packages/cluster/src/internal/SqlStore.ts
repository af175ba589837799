/**
 * The store of a cluster, in PostgreSQL: a row for each backfill, and one for each lowest span of its parts.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Backfill, BackfillStore, type BackfillStoreFailed, Failure, Unable } from "../BackfillStore.ts"
import { believedFor, mostFailures } from "./MemoryStore.ts"
import * as SqlFailure from "./SqlFailure.ts"

const Rows = Schema.Array(Backfill)
const decode = Schema.decodeUnknownEffect(Rows)
const decodeUnable = Schema.decodeUnknownEffect(Schema.Array(Schema.NullOr(Unable)))
const decodeFailures = Schema.decodeUnknownEffect(Schema.Array(Failure))

const stored = <A, R>(self: Effect.Effect<A, SqlError, R>) => Effect.mapError(self, (error) => SqlFailure.failed(error))

/** The same, of what has to be read of a backfill. */
const read =
  (id: string) =>
  <A, R>(self: Effect.Effect<A, SqlError | Schema.SchemaError, R>) =>
    Effect.mapError(self, (error) => SqlFailure.failed(error, id))

const idsOf = (rows: Effect.Effect<ReadonlyArray<{ readonly id: string }>, SqlError>) =>
  stored(Effect.map(rows, (all) => all.map(({ id }) => id)))

const make = Effect.gen(function* () {
  const sql = (yield* SqlClient.SqlClient).withoutTransforms()

  // Several workers may begin at once, and PostgreSQL's IF NOT EXISTS alone is not safe then.
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(hashtext('sluice_backfills'))`
      yield* sql`CREATE TABLE IF NOT EXISTS sluice_backfills (
        id text PRIMARY KEY,
        generation integer NOT NULL,
        state text NOT NULL,
        reason text,
        error text,
        request jsonb NOT NULL,
        parts integer,
        submitted bigint NOT NULL,
        ended bigint
      )`
      yield* sql`CREATE TABLE IF NOT EXISTS sluice_backfill_parts (
        backfill text NOT NULL REFERENCES sluice_backfills ON DELETE CASCADE,
        first integer NOT NULL,
        parts integer NOT NULL,
        generation integer NOT NULL,
        done integer NOT NULL,
        records bigint NOT NULL,
        bytes bigint NOT NULL,
        failed jsonb NOT NULL,
        PRIMARY KEY (backfill, first)
      )`
      yield* sql`CREATE TABLE IF NOT EXISTS sluice_backfill_workers (
        backfill text NOT NULL REFERENCES sluice_backfills ON DELETE CASCADE,
        worker text NOT NULL,
        unable jsonb,
        seen timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (backfill, worker)
      )`
      // The engine keeps what it has run by id and generation: submitted again, a forgotten one needs a later generation.
      yield* sql`CREATE TABLE IF NOT EXISTS sluice_backfills_forgotten (id text PRIMARY KEY, generation integer NOT NULL)`
      // Of workers that were killed.
      yield* sql`DELETE FROM sluice_backfill_workers WHERE seen < now() - interval '1 day'`
    })
  )

  const columns = sql.literal(
    // PostgreSQL's 64-bit integers would come as bigint.
    "id, generation, state, reason, error, request, parts, submitted::float8 AS submitted, ended::float8 AS ended"
  )
  const find = (id: string) =>
    sql`SELECT ${columns} FROM sluice_backfills WHERE id = ${id}`.pipe(
      Effect.flatMap(decode),
      Effect.map(([found]) => found),
      read(id)
    )
  return BackfillStore.of({
    isShared: true,
    find,
    add: Effect.fnUntraced(function* (backfill) {
      const { generation, id, request, state, submitted } = backfill
      yield* stored(
        sql`INSERT INTO sluice_backfills (id, generation, state, request, submitted)
          SELECT ${id}, ${generation}::integer + coalesce(max(generation), 0), ${state}, ${JSON.stringify(request)}::jsonb,
            ${submitted}::bigint FROM sluice_backfills_forgotten WHERE id = ${id}
          ON CONFLICT (id) DO NOTHING`
      )
      return (yield* find(id)) ?? backfill
    }),
    all: idsOf(sql<{ readonly id: string }>`SELECT id FROM sluice_backfills ORDER BY submitted DESC`),
    open: idsOf(sql<{ readonly id: string }>`SELECT id FROM sluice_backfills WHERE ended IS NULL`),
    change: (id, generation, states, change) =>
      sql`UPDATE sluice_backfills SET ${sql.update(change)}
        WHERE id = ${id} AND generation = ${generation} AND ${sql.in("state", states)} RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        stored
      ),
    forget: (id, generation) =>
      sql`WITH gone AS (
          DELETE FROM sluice_backfills WHERE id = ${id} AND generation = ${generation} AND ended IS NOT NULL
          RETURNING id, generation
        ) INSERT INTO sluice_backfills_forgotten (id, generation) SELECT id, generation FROM gone
        ON CONFLICT (id) DO UPDATE SET generation = EXCLUDED.generation RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        stored
      ),
    note: (id, run, { bytes, done, failed, first, generation, parts, records }) =>
      sql`INSERT INTO sluice_backfill_parts (backfill, first, parts, generation, done, records, bytes, failed)
        SELECT id, ${first}::integer, ${parts}::integer, ${generation}::integer, ${done}::integer, ${records}::bigint,
          ${bytes}::bigint, ${JSON.stringify(failed)}::jsonb FROM sluice_backfills WHERE id = ${id} AND generation = ${run} FOR SHARE
        ON CONFLICT (backfill, first) DO UPDATE SET parts = EXCLUDED.parts, generation = EXCLUDED.generation, done = EXCLUDED.done,
          records = EXCLUDED.records, bytes = EXCLUDED.bytes, failed = EXCLUDED.failed`.pipe(Effect.asVoid, stored),
    totals: Effect.fnUntraced(
      function* (id: string) {
        const [sums] = yield* sql<Readonly<Record<"done" | "records" | "bytes" | "failed", string>>>`SELECT
          coalesce(sum(done), 0)::text AS done, coalesce(sum(records), 0)::text AS records,
          coalesce(sum(bytes), 0)::text AS bytes, coalesce(sum(jsonb_array_length(failed)), 0)::text AS failed
        FROM sluice_backfill_parts WHERE backfill = ${id}`
        const rows = yield* sql<{ readonly failed: unknown }>`SELECT failed FROM sluice_backfill_parts
        WHERE backfill = ${id} AND failed <> '[]'::jsonb ORDER BY first LIMIT ${mostFailures}`
        const failures = yield* Effect.forEach(rows, ({ failed }) => decodeFailures(failed))
        return {
          done: Number(sums?.done),
          records: Number(sums?.records),
          bytes: Number(sums?.bytes),
          failed: Number(sums?.failed),
          failures: failures.flat().slice(0, mostFailures)
        }
      },
      (self, id) => read(id)(self)
    ),
    whole: (id, from) =>
      sql<{ readonly first: number }>`SELECT first FROM sluice_backfill_parts
        WHERE backfill = ${id} AND first >= ${from} AND done = parts`.pipe(
        Effect.map((rows) => new Set(rows.map(({ first }) => first))),
        stored
      ),
    ended: (id, generation) =>
      sql<{ readonly ended: number }>`SELECT count(*)::integer AS ended FROM sluice_backfill_parts
        WHERE backfill = ${id} AND (generation = ${generation} OR done = parts)`.pipe(
        Effect.map(([row]) => row?.ended ?? 0),
        stored
      ),
    announce: (worker, verdicts) =>
      sql`INSERT INTO sluice_backfill_workers (backfill, worker, unable)
        SELECT id, ${worker}, told.unable
          FROM jsonb_to_recordset(${JSON.stringify(verdicts)}::jsonb) AS told(backfill text, unable jsonb)
          JOIN sluice_backfills ON id = told.backfill FOR KEY SHARE OF sluice_backfills
        ON CONFLICT (backfill, worker) DO UPDATE SET unable = EXCLUDED.unable, seen = now()`.pipe(
        Effect.asVoid,
        stored
      ),
    leave: (worker) => sql`DELETE FROM sluice_backfill_workers WHERE worker = ${worker}`.pipe(Effect.asVoid, stored),
    workers: (id) =>
      sql<{ readonly unable: unknown }>`SELECT unable FROM sluice_backfill_workers
        WHERE backfill = ${id} AND seen > now() - ${believedFor} * interval '1 millisecond' ORDER BY worker`.pipe(
        Effect.flatMap((rows) => decodeUnable(rows.map(({ unable }) => unable))),
        Effect.map((judged) => {
          const unable = judged.filter((one) => one !== null)
          return { able: judged.length - unable.length, unable }
        }),
        read(id)
      )
  })
})

/** The store of a cluster. Makes its tables where they are missing. */
export const layer: Layer.Layer<BackfillStore, BackfillStoreFailed, SqlClient.SqlClient> = Layer.effect(
  BackfillStore,
  stored(make)
)
