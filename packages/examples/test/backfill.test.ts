import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Cluster } from "@sluice/cluster"
import { Effect, FileSystem, Layer, Option } from "effect"
import { isLong } from "../../core/test/TestMode.ts"
import * as PostgresServer from "../../node/test/database/PostgresServer.ts"
import { ended, intoFolder, intoTable, worker } from "../src/guides/backfill.ts"
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
