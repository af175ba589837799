import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Cluster } from "@sluice/cluster"
import { Timeseries } from "@sluice/core"
import { Download } from "@sluice/files"
import { Effect, FileSystem, Layer, Option, Stream } from "effect"
import { isLong } from "../../core/test/TestMode.ts"
import * as PostgresServer from "../../datasets/test/database/PostgresServer.ts"
import { ended, finished, intoFolder, intoTable, worker } from "../src/guides/backfill.ts"
import { inMemory, printed } from "./Guides.ts"

const services = Layer.merge(inMemory, NodeServices.layer)

describe("the program with a backfill", () => {
  it.live("leaves a file for each asset and month, and tells how far it is", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const cluster = Layer.provideMerge(worker(), Cluster.layerMemory)
      const lines = yield* printed(Effect.flatMap(intoFolder(folder), ended).pipe(Effect.provide(cluster)))
      assert.strictEqual(lines.at(-1), "finished 6 of 6 ")
      assert.lengthOf(
        (yield* fs.readDirectory(folder)).filter((name) => name.endsWith(".parquet")),
        6
      )
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live("fails where the backfill is refused, so that whoever started it is told", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const params = { assets: ["btc"], metrics: ["PriceUSD"], start_time: "2026-01-01", end_time: "2026-01-31" }
      const other = { endpoint: Timeseries.assetMetrics, params, to: folder, format: { as: "csv" } } as const
      yield* Stream.runDrain(Download.run(other))
      const cluster = Layer.provideMerge(worker(), Cluster.layerMemory)
      const failed = yield* Effect.flatMap(intoFolder(folder), finished).pipe(Effect.provide(cluster), Effect.flip)
      assert.include(failed, { _tag: "Unfinished", message: "the backfill ended refused" })
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  // Starting a server takes a second.
  it.live.skipIf(!isLong || !PostgresServer.isInstalled)(
    PostgresServer.title("fills the table of a dataset, in the database of the cluster"),
    () =>
      Effect.gen(function* () {
        const server = yield* PostgresServer.make
        const url = server.url()
        const cluster = Layer.provideMerge(worker(url), Cluster.layerWorker({ url, host: "127.0.0.1" }))
        const last = yield* Effect.flatMap(intoTable(url), ended).pipe(Effect.provide(cluster))
        assert.deepInclude(Option.getOrThrow(last), { state: "finished", done: 6, records: 180 })
        assert.deepStrictEqual(yield* PostgresServer.query(server, "SELECT count(*)::text AS held FROM prices"), [
          { held: "180" }
        ])
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
