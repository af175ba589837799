/** What a backfill of many small parts costs in PostgreSQL: `node packages/cluster/benchmark/Cost.ts [parts]`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Client, Timeseries } from "@sluice/core"
import { Backfill, Cluster, Worker } from "@sluice/cluster"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { argv } from "node:process"
import { minutesBefore } from "../test/Days.ts"
import * as Postgres from "../test/Postgres.ts"

const parts = Number(argv[2] ?? 8_192)

const job = (to: string): Backfill.Job<typeof Timeseries.assetMetrics> => ({
  ...minutesBefore(new Date(Date.UTC(2024, 0, 1) + parts * 60_000)),
  split: { every: "1 minute" },
  to,
  format: { as: "ndjson" }
})

const tables = ["sluice_messages", "sluice_replies", "sluice_backfill_parts"]

const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    yield* self
    return (yield* Clock.currentTimeMillis) - before
  })

const run = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const postgres = yield* Postgres.make
  const folder = yield* fs.makeTempDirectoryScoped()
  const client = Layer.unwrap(
    Effect.map(Sandbox.Sandbox, ({ url }) => Client.layer({ root: url, apiKey: Redacted.make("sandbox-download") }))
  )
  const worker = Worker.layer({ endpoints: [Timeseries.assetMetrics] }).pipe(
    Layer.provideMerge(Cluster.layerWorker({ url: postgres.url, host: "127.0.0.1" })),
    Layer.provideMerge(client)
  )
  yield* Effect.gen(function* () {
    const time = yield* timed(Backfill.run(job(`${folder}/data`)))
    yield* Console.log(`${parts} parts in ${(time / 1_000).toFixed(0)} s`)
    for (const table of tables) {
      const size = yield* postgres.query(`SELECT count(*), pg_total_relation_size('${table}') FROM ${table}`)
      const [rows = 0, bytes = 0] = size.split("|").map(Number)
      yield* Console.log(
        `${table}: ${(rows / parts).toFixed(3)} rows and ${(bytes / parts).toFixed(0)} bytes for each part`
      )
    }
    // As many rows as a million parts have there.
    yield* postgres.query(
      `INSERT INTO sluice_backfill_parts SELECT id, n * 8, 8, 1, 0, true, 8, 800, 80000, '[]'::jsonb FROM sluice_backfills, generate_series(100000, 225000) n`
    )
    yield* Console.log(
      `status of a million parts: ${yield* timed(Backfill.list)} ms, again ${yield* timed(Backfill.list)} ms`
    )
    const size = yield* postgres.query("SELECT pg_total_relation_size('sluice_backfill_parts')")
    yield* Console.log(`sluice_backfill_parts then: ${size} bytes`)
  }).pipe(Effect.provide(worker))
}).pipe(Effect.scoped, Effect.provide(Layer.fresh(Sandbox.layerMemory())), Effect.provide(NodeServices.layer))

NodeRuntime.runMain(run)
