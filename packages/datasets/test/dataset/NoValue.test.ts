/**
 * Tables and datasets of metrics without values and of minutes without trades, whichever way the service shows them.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Download } from "@sluice/files"
import type { Dialect } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestMode from "../../../core/test/TestMode.ts"
import { data, memory, temporary } from "./Harness.ts"

const speaking = (dialect: Partial<Dialect.Dialect>) =>
  Effect.provide(Layer.merge(memory({ dialect }), NodeServices.layer))

/** Days of which the first have no price, and those before addresses no metric at all. */
const early = {
  endpoint: Timeseries.assetMetrics,
  params: {
    assets: ["btc", "ltc"],
    metrics: ["AdrActCnt", "PriceUSD"],
    start_time: "2009-01-01",
    end_time: "2012-12-31"
  }
} as const

const downloaded = (as: "csv" | "parquet") =>
  Effect.gen(function* () {
    const to = `${yield* temporary}/files`
    yield* Stream.runDrain(Download.run({ ...early, to, format: { as } }))
    return yield* data(to)
  })

const { endpoint } = early
const { end_time: _, ...since } = early.params

const synced = (as: "csv" | "parquet") =>
  Effect.gen(function* () {
    const to = `${yield* temporary}/dataset`
    yield* Stream.runDrain(Dataset.sync({ endpoint, params: since, to, format: { as } }))
    yield* Stream.runDrain(Dataset.verify(to))
    return yield* data(to)
  })

describe("A metric without a value", () => {
  it.live.each(["csv", "parquet"] as const)("makes the same files as %s, null or absent", (as) =>
    Effect.gen(function* () {
      // A dataset goes on to the present, which takes long: in `test` of one format.
      const others = TestMode.isLong || as === "csv" ? { synced: synced(as) } : {}
      const made = Effect.scoped(Effect.all({ downloaded: downloaded(as), ...others }))
      const nulls = yield* speaking({ noValue: "null" })(made)
      assert.deepStrictEqual(yield* speaking({ noValue: "absent" })(made), nulls)
      for (const files of Object.values(nulls)) {
        const text = Object.values(files).join("")
        if (as === "csv") assert.match(text, /^(?:btc,)?2009-01-03T00:00:00\.000000000Z,[\d.]+,,/m)
        else assert.include(text, "PAR1")
      }
    })
  )
})

describe("A minute without a trade", () => {
  const candles = {
    endpoint: Timeseries.marketCandles,
    params: {
      markets: ["ascendex-agld-usd-spot", "coinbase-btc-usd-spot"],
      frequency: "1m",
      start_time: "2026-10-31T22:00:00"
    }
  } as const

  it.live.each(["present", "absent"] as const)("is in a dataset as the service has it: %s", (flatCandles) =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/dataset`
      const truth = yield* Stream.runCollect(Timeseries.marketCandles(candles.params))
      const flat = truth.filter(({ candle_trades_count }) => candle_trades_count === "0")
      assert.strictEqual(flat.length > 0, flatCandles === "present")
      for (const run of ["first", "second"]) {
        yield* Stream.runDrain(Dataset.sync({ ...candles, to, format: { as: "ndjson" } }))
        const lines = Object.values(yield* data(to)).flatMap((text) => text.split("\n").slice(0, -1))
        assert.deepStrictEqual(
          lines,
          truth.map((one) => JSON.stringify(one)),
          run
        )
        yield* Stream.runDrain(Dataset.verify(to))
      }
    }).pipe(Effect.scoped, speaking({ flatCandles }))
  )
})
