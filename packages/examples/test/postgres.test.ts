import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Effect, Layer, Stream } from "effect"
import { isLong } from "../../core/test/TestMode.ts"
import * as PostgresServer from "../../datasets/test/database/PostgresServer.ts"
import { load } from "../src/guides/postgres.ts"
import { inMemory } from "./Guides.ts"

const rows = `SELECT asset, to_char(time AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, "PriceUSD"::text AS usd
  FROM prices ORDER BY asset, time`

describe.skipIf(!PostgresServer.isInstalled)(PostgresServer.title("the load into PostgreSQL"), () => {
  // Starting a server takes a second. That each record is kept once, wherever it is killed, is a test of the datasets.
  it.live.skipIf(!isLong)("keeps what the service has, to the last digit, and asks for news alone", () =>
    Effect.gen(function* () {
      const server = yield* PostgresServer.make
      const run = Stream.runLast(Effect.map(Effect.succeed(server.url()), load).pipe(Stream.unwrap))
      yield* run
      const asked = { assets: ["btc", "eth", "sol"], metrics: ["PriceUSD"], start_time: "2026-01-01" } as const
      const expected = yield* Stream.runCollect(Timeseries.assetMetrics(asked))
      assert.deepStrictEqual(
        yield* PostgresServer.query(server, rows),
        expected.map(({ asset, PriceUSD, time }) => ({ asset, day: time.slice(0, 10), usd: PriceUSD ?? null }))
      )
      const again = yield* run
      assert.deepInclude(
        again.pipe((last) => (last._tag === "Some" ? last.value : {})),
        { _tag: "Finished", changes: 0 }
      )
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(inMemory, NodeServices.layer)))
  )
})
