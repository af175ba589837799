import { assert, describe, it } from "@effect/vitest"
import { Backfill, Cluster, Worker } from "@sluice/cluster"
import { Dataset } from "@sluice/datasets"
import * as DatasetPostgres from "@sluice/datasets/DatasetPostgres"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { client, ended, endpoints, job, summary, until, world } from "./Harness.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Postgres from "./Postgres.ts"

const { endpoint, params, split } = job

const requests = Effect.flatMap(Sandbox.Sandbox, ({ stats }) => Effect.map(stats, (stats) => stats.requests))

const begin = Effect.gen(function* () {
  const postgres = yield* Postgres.make
  const alone = Worker.layer({ endpoints, concurrency: 4, database: postgres.url }).pipe(
    Layer.provideMerge(Cluster.layerMemory)
  )
  const into = (table: string) => ({ endpoint, params, split, into: { url: postgres.url, table } })
  const { end_inclusive: _, end_time, ...open } = params
  /** Syncs as a program that knows nothing of backfills. */
  const sync = (table: string) =>
    Stream.runDrain(Dataset.sync({ endpoint, params: open, to: DatasetPostgres.make({ url: postgres.url, table }) }))
  /** All rows of a table, or those before a time. */
  const rows = (table: string, before = "infinity") =>
    postgres.query(
      `SELECT md5(string_agg(r::text, '|' ORDER BY asset, time)), count(*) FROM ${table} r WHERE time < '${before}'`
    )
  return { alone, end: end_time, into, postgres, rows, sync }
})

/** They wait for workers, and sync years. */
const longOnly = it.live.skipIf(!TestMode.isLong)

describe.skipIf(!Postgres.isInstalled)("a backfill into a table of PostgreSQL", () => {
  longOnly("holds what a sync holds of the same time, and a sync goes on from there without reading it again", () =>
    Effect.gen(function* () {
      const { alone, end, into, postgres, rows, sync } = yield* begin
      yield* sync("synced")
      const whole = yield* requests
      const status = yield* Effect.provide(Backfill.run(into("loaded")), alone)
      assert.deepStrictEqual(summary(status), { state: "finished", parts: 9, done: 9, failed: 0, records: 363 })
      assert.strictEqual(yield* rows("loaded"), yield* rows("synced", end))
      const before = yield* requests
      yield* sync("loaded")
      assert.isAtMost((yield* requests) - before, whole)
      assert.strictEqual(yield* rows("loaded"), yield* rows("synced"))
      // How far both are is the same too, but for what was read when.
      const cursors = (table: string) =>
        postgres.query(
          `SELECT entity, rows, cursor->'last', cursor->'first', cursor->'from', cursor->'todo' FROM sluice_cursors WHERE dataset = '${table}' ORDER BY entity`
        )
      assert.strictEqual(yield* cursors("loaded"), yield* cursors("synced"))
      yield* Stream.runDrain(Dataset.verify(DatasetPostgres.make({ url: postgres.url, table: "loaded" })))
      const again = yield* Effect.provide(Backfill.run(into("loaded")), alone)
      assert.deepStrictEqual(summary(again), { state: "finished", parts: 9, done: 9, failed: 0, records: 363 })
      const tables = yield* postgres.dump
      assert.include(tables, "sluice_load_parts")
      assert.notInclude(tables, "demo-key")
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  longOnly("is refused a table with something else, and keeps syncs out until it ends", () =>
    Effect.gen(function* () {
      const { alone, into, sync } = yield* begin
      yield* Effect.gen(function* () {
        const id = yield* Backfill.submit(into("loaded"))
        yield* until(id, ({ state }) => state === "paused")
        const refused = yield* Effect.flip(sync("loaded"))
        assert.include(refused.message, `in use by backfill ${id}`)
        yield* Backfill.cancel(id)
        assert.strictEqual((yield* ended(id)).state, "cancelled")
        // What the backfill left, a sync reads.
        yield* sync("loaded")
        const other = yield* Backfill.run({ ...into("loaded"), split: { by: "assets" } })
        assert.deepInclude(other, { state: "refused" })
        assert.include(other.reason ?? "", "differs in split")
        yield* sync("synced")
        const synced = yield* Backfill.run(into("synced"))
        assert.include(synced.reason ?? "", "a sync has begun its dataset")
      }).pipe(Effect.provide(alone))
    }).pipe(Effect.scoped, Effect.provide(client("status=401;after=4;times=1")), Effect.provide(world))
  )

  it.live("notes a part whose rows the table does not take, with the reason, and reads the others", () =>
    Effect.gen(function* () {
      const { alone, into, postgres } = yield* begin
      const run = Effect.provide(Backfill.run(into("loaded")), alone)
      assert.deepInclude(yield* run, { state: "finished", done: 9 })
      yield* postgres.query(
        "TRUNCATE loaded; ALTER TABLE loaded ADD CHECK (asset <> 'eth' OR time <> '2024-02-01T00:00:00Z')"
      )
      const status = yield* run
      assert.deepInclude(status, { state: "incomplete", done: 8, failed: 1 })
      const [failure] = status.failures
      assert.strictEqual(failure?.file, "eth_2024-01-01")
      assert.include(failure?.reason ?? "", "(23514)")
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  longOnly("leaves what failed to a retry, and waits where a worker has another database", () =>
    Effect.gen(function* () {
      const { alone, into, postgres, rows, sync } = yield* begin
      const failed = yield* Effect.provide(Backfill.run(into("loaded")), alone)
      assert.deepInclude(failed, { state: "incomplete", done: 8, failed: 1 })
      yield* Effect.gen(function* () {
        const id = yield* Backfill.submit(into("loaded"))
        assert.deepInclude(yield* ended(id), { state: "finished", done: 9 })
      }).pipe(Effect.provide(alone))
      yield* sync("synced")
      yield* sync("loaded")
      assert.strictEqual(yield* rows("loaded"), yield* rows("synced"))
      const elsewhere = Worker.layer({ endpoints, database: Redacted.make("postgres://me:s3cret@other/db") }).pipe(
        Layer.provideMerge(Cluster.layerMemory)
      )
      const waiting = yield* Effect.gen(function* () {
        const id = yield* Backfill.submit(into("other"))
        return yield* until(id, ({ workers }) => workers.unable.length > 0)
      }).pipe(Effect.provide(elsewhere))
      const { port } = new URL(Redacted.value(postgres.url))
      const [unable] = waiting.workers.unable
      assert.deepInclude(waiting, { state: "running", reason: null })
      assert.include(unable, { setting: "database" })
      assert.include(unable?.reason ?? "", `writes tables into other:5432/db, not into 127.0.0.1:${port}/postgres`)
    }).pipe(Effect.scoped, Effect.provide(client("status=403;after=5;times=1")), Effect.provide(world))
  )
})
