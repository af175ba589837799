/**
 * The store of a cluster, in PostgreSQL: a row for each backfill, and one for each lowest span of its parts.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { Backfill, BackfillStore, Failure, BackfillStoreFailed } from "../BackfillStore.ts"
import { mostFailures } from "./MemoryStore.ts"

const Rows = Schema.Array(Backfill)
const decode = Schema.decodeUnknownEffect(Rows)
const decodeFailures = Schema.decodeUnknownEffect(Schema.Array(Failure))

const failed = (error: SqlError | Schema.SchemaError) =>
  new BackfillStoreFailed({
    reason: isSqlError(error) ? reasonOf(error) : "its tables were made by another version of Sluice",
    transient: isSqlError(error) && !lasting.has(error.reason._tag)
  })

/**
 * What PostgreSQL will answer again. Others, such as that it stops, starts or has no connection left, come as `UnknownError`,
 * which SqlError's own `isRetryable` takes as lasting.
 */
const lasting: ReadonlySet<SqlError["reason"]["_tag"]> = new Set([
  "AuthenticationError",
  "AuthorizationError",
  "SqlSyntaxError",
  "UniqueViolation",
  "ConstraintError"
] as const)

/** The reason without the statement, whose parameters have the request. */
const reasonOf = ({ reason }: SqlError): string => `${reason._tag}: ${reason.message}`

const stored = <A, R>(self: Effect.Effect<A, SqlError | Schema.SchemaError, R>) => Effect.mapError(self, failed)

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
    })
  )

  const columns = sql.literal(
    // PostgreSQL's 64-bit integers would come as bigint.
    "id, generation, state, reason, request, parts, submitted::float8 AS submitted, ended::float8 AS ended"
  )
  const find = (id: string) =>
    sql`SELECT ${columns} FROM sluice_backfills WHERE id = ${id}`.pipe(
      Effect.flatMap(decode),
      Effect.map(([found]) => found),
      stored
    )
  return BackfillStore.of({
    find,
    add: Effect.fnUntraced(function* (backfill) {
      const { generation, id, request, state, submitted } = backfill
      yield* stored(
        sql`INSERT INTO sluice_backfills (id, generation, state, request, submitted)
          VALUES (${id}, ${generation}, ${state}, ${JSON.stringify(request)}::jsonb, ${submitted})
          ON CONFLICT (id) DO NOTHING`
      )
      return (yield* find(id)) ?? backfill
    }),
    all: sql`SELECT ${columns} FROM sluice_backfills ORDER BY sluice_backfills.submitted DESC`.pipe(
      Effect.flatMap(decode),
      stored
    ),
    change: (id, generation, states, change) =>
      sql`UPDATE sluice_backfills SET ${sql.update(change)}
        WHERE id = ${id} AND generation = ${generation} AND ${sql.in("state", states)} RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        stored
      ),
    note: (id, { bytes, done, failed, first, generation, parts, records }) =>
      sql`INSERT INTO sluice_backfill_parts (backfill, first, parts, generation, done, records, bytes, failed)
        VALUES (${id}, ${first}, ${parts}, ${generation}, ${done}, ${records}, ${bytes}, ${JSON.stringify(failed)}::jsonb)
        ON CONFLICT (backfill, first) DO UPDATE SET parts = EXCLUDED.parts, generation = EXCLUDED.generation, done = EXCLUDED.done,
          records = EXCLUDED.records, bytes = EXCLUDED.bytes, failed = EXCLUDED.failed`.pipe(Effect.asVoid, stored),
    totals: Effect.fnUntraced(function* (id) {
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
    }, stored),
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
      )
  })
})

/** The store of a cluster. Makes its tables where they are missing. */
export const layer: Layer.Layer<BackfillStore, BackfillStoreFailed, SqlClient.SqlClient> = Layer.effect(
  BackfillStore,
  Effect.mapError(make, failed)
)
