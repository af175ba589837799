import { assert, describe, it } from "@effect/vitest"
import { Backfill, Cluster, Worker } from "@sluice/cluster"
import { Download } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import * as TestMode from "../../core/test/TestMode.ts"
import { endpoints, job, picture, summary, temporary, world } from "./Harness.ts"
import * as Kills from "./Kills.ts"
import * as Postgres from "./Postgres.ts"

/** `pnpm kills` tries more. */
const seeds = TestMode.isLong ? [1] : []

// Skipped, and so named, where no PostgreSQL is installed.
const onPostgres = it.live.skipIf(!Postgres.isInstalled)

describe("a cluster around a real PostgreSQL", () => {
  onPostgres("leaves what a download leaves, and no key in any table", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres.make
      const folder = yield* temporary
      yield* Stream.runDrain(Download.run({ ...job, to: `${folder}/one` }))
      const worker = Worker.layer({ endpoints }).pipe(
        Layer.provideMerge(Cluster.layerWorker({ url: postgres.url, host: "127.0.0.1" }))
      )
      const status = yield* Backfill.run({ ...job, to: `${folder}/many` }).pipe(Effect.provide(worker))
      assert.deepStrictEqual(summary(status), { state: "finished", parts: 9, done: 9, failed: 0, records: 363 })
      assert.deepStrictEqual(yield* picture(`${folder}/many`), yield* picture(`${folder}/one`))
      const tables = yield* postgres.dump
      assert.include(tables, status.id)
      assert.notInclude(tables, "demo-key")
      // What the engine has of it goes with it.
      yield* Backfill.forget(status.id).pipe(Effect.provide(Cluster.layerClient({ url: postgres.url })))
      for (const table of ["messages", "replies", "backfills", "backfill_parts", "backfill_workers"]) {
        assert.strictEqual(yield* postgres.query(`SELECT count(*) FROM sluice_${table}`), "0", table)
      }
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  if (TestMode.isLong) {
    onPostgres("has the files of one process, although a worker, the submitter, PostgreSQL and Redis were killed", () =>
      Kills.killed(0, ["worker", "redis", "submitter", "postgres"]).pipe(
        Random.withSeed(0),
        Effect.provide(Kills.world)
      )
    )
  }

  if (TestMode.isLong) {
    onPostgres("makes the dataset of one process in a folder, although workers were killed", () =>
      Kills.killed(0, ["worker", "worker"], "dataset").pipe(Random.withSeed(0), Effect.provide(Kills.world))
    )
  }

  for (const seed of seeds) {
    onPostgres(`has them in whatever order they are killed: seed ${seed}`, () => Kills.anyOrder(seed))
  }
})
