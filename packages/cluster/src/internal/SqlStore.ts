/** The store of a cluster, in PostgreSQL: a row for each backfill, and one for each lowest span of its parts. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import {
  Backfill,
  BackfillStore,
  type BackfillStoreFailed,
  type Extent,
  type Gap,
  Failure,
  Unable
} from "../BackfillStore.ts"
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

/** A row without members that a backfill may lack, which are null there. */
const without = ({ concurrency, priority, ...row }: Readonly<Record<string, unknown>>) => ({
  ...row,
  ...(priority === null ? {} : { priority }),
  ...(concurrency === null ? {} : { concurrency })
})

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
        ended bigint,
        priority integer,
        concurrency integer,
        begun jsonb
      )`
      yield* sql`CREATE TABLE IF NOT EXISTS sluice_backfill_parts (
        backfill text NOT NULL REFERENCES sluice_backfills ON DELETE CASCADE,
        first integer NOT NULL,
        parts integer NOT NULL,
        generation integer NOT NULL,
        pieces integer NOT NULL,
        whole boolean NOT NULL,
        done integer NOT NULL,
        records bigint NOT NULL,
        bytes bigint NOT NULL,
        failed jsonb NOT NULL,
        PRIMARY KEY (backfill, first)
      )`
      // Tables of a version without them. What its workers have noted is whole. Where nothing lacks, nothing is locked that workers use.
      const [newest] = yield* sql<{
        readonly isHere: boolean
      }>`SELECT to_regclass('sluice_backfill_parts_apart') IS NOT NULL
        AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('sluice_backfills') AND attname = 'begun') AS "isHere"`
      if (newest?.isHere !== true) {
        yield* sql`ALTER TABLE sluice_backfills ADD COLUMN IF NOT EXISTS priority integer,
          ADD COLUMN IF NOT EXISTS concurrency integer, ADD COLUMN IF NOT EXISTS begun jsonb`
        yield* sql`ALTER TABLE sluice_backfill_parts ADD COLUMN IF NOT EXISTS pieces integer NOT NULL DEFAULT 0,
          ADD COLUMN IF NOT EXISTS whole boolean NOT NULL DEFAULT true`
        yield* sql`CREATE INDEX IF NOT EXISTS sluice_backfill_parts_apart ON sluice_backfill_parts (backfill) WHERE NOT whole`
      }
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
    "id, generation, state, reason, error, request, parts, submitted::float8 AS submitted, ended::float8 AS ended, priority, concurrency"
  )
  const find = (id: string) =>
    sql<Readonly<Record<string, unknown>>>`SELECT ${columns} FROM sluice_backfills WHERE id = ${id}`.pipe(
      Effect.flatMap((rows) => decode(rows.map(without))),
      Effect.map(([found]) => found),
      read(id)
    )
  const extent = (id: string, generation: number, first: number) =>
    sql<Extent>`SELECT parts, pieces, whole AS "isWhole" FROM sluice_backfill_parts
      WHERE backfill = ${id} AND first = ${first} AND generation = ${generation}`.pipe(
      Effect.map(([found]) => found),
      stored
    )
  return BackfillStore.of({
    isShared: true,
    find,
    add: Effect.fnUntraced(function* (backfill) {
      const { concurrency = null, generation, id, priority = null, request, state, submitted } = backfill
      yield* stored(
        sql`INSERT INTO sluice_backfills (id, generation, state, request, submitted, priority, concurrency)
          SELECT ${id}, ${generation}::integer + coalesce(max(generation), 0), ${state}, ${JSON.stringify(request)}::jsonb,
            ${submitted}::bigint, ${priority}::integer, ${concurrency}::integer FROM sluice_backfills_forgotten WHERE id = ${id}
          ON CONFLICT (id) DO NOTHING`
      )
      return (yield* find(id)) ?? backfill
    }),
    all: idsOf(sql<{ readonly id: string }>`SELECT id FROM sluice_backfills ORDER BY submitted DESC`),
    open: idsOf(sql<{ readonly id: string }>`SELECT id FROM sluice_backfills WHERE ended IS NULL`),
    change: (id, generation, states, { request, ...change }) =>
      sql`UPDATE sluice_backfills SET ${sql.update(request === undefined ? change : { ...change, request: JSON.stringify(request) })}
        WHERE id = ${id} AND generation = ${generation} AND ${sql.in("state", states)} RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        stored
      ),
    endedBefore: (time) =>
      stored(
        sql<{ readonly id: string; readonly generation: number }>`SELECT id, generation FROM sluice_backfills
          WHERE ended < ${time}::bigint ORDER BY ended`
      ),
    forget: (id, generation) =>
      Effect.gen(function* () {
        const gone = yield* sql`WITH gone AS (
          DELETE FROM sluice_backfills WHERE id = ${id} AND generation = ${generation} AND ended IS NOT NULL
          RETURNING id, generation
        ) INSERT INTO sluice_backfills_forgotten (id, generation) SELECT id, generation FROM gone
        ON CONFLICT (id) DO UPDATE SET generation = EXCLUDED.generation RETURNING id`
        if (gone.length === 0) return false
        // What the engine has of its workflows and their activities, which have the same entity.
        yield* sql`DELETE FROM sluice_messages AS message USING (
            SELECT DISTINCT entity_type, entity_id FROM sluice_messages
            WHERE entity_type LIKE 'Workflow/Sluice/%' AND tag = 'run' AND payload LIKE ${`%"id":"${id}"%`}
          ) AS run WHERE message.entity_type = run.entity_type AND message.entity_id = run.entity_id`
        // A reply follows its message; one may have come after its backfill was forgotten.
        yield* sql`DELETE FROM sluice_replies AS reply
          WHERE NOT EXISTS (SELECT FROM sluice_messages AS message WHERE message.id = reply.request_id)`
        return true
      }).pipe(sql.withTransaction, stored),
    begin: (id, generation, found, gaps) =>
      Effect.gen(function* () {
        const begun = JSON.stringify({ generation, gaps })
        const isFirst = yield* sql`UPDATE sluice_backfills SET begun = ${begun}::jsonb WHERE id = ${id}
          AND generation = ${generation} AND begun->'generation' IS DISTINCT FROM to_jsonb(${generation}::integer) RETURNING id`
        if (isFirst.length > 0) {
          yield* sql`DELETE FROM sluice_backfill_parts WHERE backfill = ${id}`
          yield* sql`INSERT INTO sluice_backfill_parts (backfill, first, parts, generation, pieces, whole, done, records, bytes, failed)
            SELECT ${id}, first, parts, ${generation}::integer, 0, true, done, records, bytes, '[]'::jsonb
            FROM jsonb_to_recordset(${JSON.stringify(found)}::jsonb)
              AS found(first integer, parts integer, done integer, records bigint, bytes bigint)`
        }
        const [held] = yield* sql<{
          readonly gaps: ReadonlyArray<Gap>
        }>`SELECT begun->'gaps' AS gaps FROM sluice_backfills
          WHERE id = ${id} AND generation = ${generation}`
        return held?.gaps
      }).pipe(sql.withTransaction, stored),
    note: Effect.fnUntraced(function* (id, generation, outcome) {
      const { bytes, done, failed, first, isWhole, parts, pieces, records } = outcome
      const noted = yield* sql<Extent>`INSERT INTO sluice_backfill_parts AS noted
          (backfill, first, parts, generation, pieces, whole, done, records, bytes, failed)
        SELECT id, ${first}::integer, ${parts}::integer, ${generation}::integer, ${pieces}::integer, ${isWhole}::boolean,
          ${done}::integer, ${records}::bigint, ${bytes}::bigint, ${JSON.stringify(failed)}::jsonb
        FROM sluice_backfills WHERE id = ${id} AND generation = ${generation} FOR SHARE
        ON CONFLICT (backfill, first) DO UPDATE SET whole = EXCLUDED.whole, done = EXCLUDED.done,
          records = EXCLUDED.records, bytes = EXCLUDED.bytes, failed = EXCLUDED.failed
          WHERE NOT noted.whole AND noted.parts = EXCLUDED.parts
        RETURNING parts, pieces, whole AS "isWhole"`.pipe(stored)
      return noted[0] ?? (yield* extent(id, generation, first)) ?? outcome
    }),
    extent,
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
    tried: (id, generation) =>
      sql<{ readonly tried: number }>`SELECT CASE
          WHEN EXISTS (SELECT FROM sluice_backfill_parts WHERE backfill = ${id} AND NOT whole) THEN 0
          ELSE (SELECT coalesce(sum(parts), 0)::integer FROM sluice_backfill_parts
            WHERE backfill = ${id} AND generation = ${generation}) END AS tried`.pipe(
        Effect.map(([row]) => row?.tried ?? 0),
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
