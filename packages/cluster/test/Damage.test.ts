// What becomes of a cluster whose PostgreSQL ends a connection, or has a backfill that cannot be read.
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Backfill, Cluster, Worker } from "@sluice/cluster"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as SqlClient from "effect/sql/SqlClient"
import { ended, endpoints, job, temporary, world } from "./Harness.ts"
import * as Postgres from "./Postgres.ts"

/** Ends every connection of a cluster that waits for a table, while an effect asks for it; gives how that ends. */
const cut = <A, E, R>(postgres: Postgres.Postgres, table: string, asking: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = Context.get(
      yield* Layer.build(Layer.fresh(PgClient.layer({ url: postgres.url, applicationName: "test" }))),
      SqlClient.SqlClient
    )
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`LOCK TABLE ${sql(table)} IN ACCESS EXCLUSIVE MODE`
        const asked = yield* Effect.forkChild(Effect.exit(asking))
        const end = postgres.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice' AND wait_event_type = 'Lock'"
        )
        yield* Effect.repeat(Effect.delay(end, "20 millis"), { until: () => asked.pollUnsafe() !== undefined })
        return yield* Fiber.join(asked)
      })
    )
  }).pipe(Effect.scoped)

const logged = (log: Array<string>) =>
  Logger.layer([
    Logger.make(({ logLevel, message }) => {
      log.push(`${logLevel}: ${String(message)}`)
    })
  ])

describe.skipIf(!Postgres.isInstalled)("a cluster around a real PostgreSQL", () => {
  it.live("says so where PostgreSQL ends the connection in the middle of something", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres.make
      const folder = yield* temporary
      const client = Cluster.layerClient({ url: postgres.url })
      const joining = Effect.scoped(Layer.build(Layer.fresh(client)))
      yield* joining
      const joined = yield* cut(postgres, "sluice_migrations", joining)
      assert.isTrue(joined._tag === "Failure")
      assert.deepInclude(yield* Effect.flip(joined), { _tag: "ClusterUnavailable" })
      yield* Effect.gen(function* () {
        const submit = Backfill.submit({ ...job, to: `${folder}/many` })
        const failed = { _tag: "BackfillStoreFailed", transient: true } as const
        assert.deepInclude(yield* Effect.flip(yield* cut(postgres, "sluice_messages", submit)), failed)
        // The same once more does it.
        const id = yield* submit
        assert.deepInclude(yield* Effect.flip(yield* cut(postgres, "sluice_messages", Backfill.cancel(id))), failed)
        assert.deepInclude(yield* Effect.flip(yield* cut(postgres, "sluice_messages", Backfill.retry(id))), failed)
      }).pipe(Effect.provide(client))
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.live("goes on with the others where one backfill cannot be read", () => {
    const log: Array<string> = []
    return Effect.gen(function* () {
      const postgres = yield* Postgres.make
      const folder = yield* temporary
      const client = Cluster.layerClient({ url: postgres.url })
      const submit = (name: string) => Backfill.submit({ ...job, to: `${folder}/${name}` })
      const [damaged, other] = yield* Effect.provide(Effect.all([submit("damaged"), submit("other")]), client)
      yield* postgres.query(`UPDATE sluice_backfills SET state = 'waiting' WHERE id = '${damaged}'`)
      // A worker that starts now meets it.
      const working = Worker.run({ endpoints, name: "db1" }).pipe(
        Effect.provide(Cluster.layerWorker({ url: postgres.url, host: "127.0.0.1" }))
      )
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* Effect.raceFirst(working, ended(other))).state, "finished")
        assert.deepStrictEqual(
          (yield* Backfill.list).map(({ id }) => id),
          [other]
        )
        const error = yield* Effect.flip(Backfill.status(damaged))
        assert.deepInclude(error, { _tag: "BackfillStoreFailed", transient: false, backfill: damaged })
        assert.include(error.message, `what it has of backfill ${damaged} cannot be read`)
      }).pipe(Effect.provide(Layer.fresh(client)))
      assert.isTrue(
        log.some((line) => line.startsWith(`Warn: Backfill ${damaged} is left to other workers: the worker db1`))
      )
      assert.isTrue(log.some((line) => line.startsWith("Warn: the store of backfills failed: what it has of backfill")))
    }).pipe(Effect.scoped, Effect.provide(world), Effect.provide(logged(log)))
  })
})
