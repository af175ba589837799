import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as SharedDataset from "@sluice/datasets/SharedDataset"
import { Dialect } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { data, memory, temporary } from "./Harness.ts"

const params = { markets: ["coinbase-btc-usd-spot", "coinbase-eth-usd-spot"], start_time: "2026-10-01T00:00:00" }

const linesIn = Effect.fnUntraced(function* (folder: string) {
  const files = Object.values(yield* data(folder))
  return files.flatMap((text) => text.split("\n").slice(0, -1)).toSorted()
})

describe.each(Dialect.questions.requestDigits.words)(
  "records of a service that reads %s digits of a second",
  (requestDigits) => {
    const world = Layer.merge(
      memory({ live: { from: "2026-10-01T00:05:00" }, dialect: { requestDigits } }),
      NodeServices.layer
    )

    it.effect("are there once each, also after files were removed", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const to = yield* temporary
        const layout = { period: "none", rows: 5 } as const
        const sync = Dataset.sync({ endpoint: Timeseries.marketTrades, params, to, format: { as: "ndjson" }, layout })
        for (let minute = 0; minute < 4; minute++) {
          yield* Stream.runDrain(sync)
          const held = Object.keys(yield* data(to))
          assert.isAbove(held.length, 4)
          const fresh = yield* Stream.runCollect(Timeseries.marketTrades(params))
          assert.deepStrictEqual(yield* linesIn(to), fresh.map((one) => JSON.stringify(one)).toSorted())
          yield* fs.remove(`${to}/${held[(minute * 3) % held.length]}`)
          yield* TestClock.adjust("1 minute")
        }
      }).pipe(Effect.provide(world), (test) =>
        Effect.andThen(TestClock.setTime(Date.parse("2026-10-01T00:05:00Z")), test)
      )
    )

    it.live("are loaded up to the last, that of the end itself", () =>
      Effect.gen(function* () {
        const folder = yield* temporary
        const hours = { assets: "btc", metrics: "ReferenceRateUSD", frequency: "1h", start_time: "2024-03-01" } as const
        const params = { ...hours, end_time: "2024-03-02T05:00:00" }
        const shared = yield* SharedDataset.make(
          { endpoint: Timeseries.assetMetrics, params, into: { folder, format: { as: "ndjson" } } },
          "backfill 1"
        )
        yield* shared.begin
        for (let part = 0; part < shared.parts; part++) yield* shared.read(part)
        yield* shared.finish
        yield* shared.end
        assert.strictEqual((yield* linesIn(folder)).length, 30)
      }).pipe(Effect.scoped, Effect.provide(world))
    )

    it.live("are those between bounds that are no whole milliseconds", () =>
      Effect.gen(function* () {
        const folder = yield* temporary
        const range = { ...params, start_time: "2024-03-01T09:30:00", end_time: "2024-03-01T09:31:00" }
        const fresh = yield* Stream.runCollect(Timeseries.marketTrades(range))
        const times = fresh.map(({ time }) => time).toSorted()
        const bounds = { ...params, start_time: times[1]!, end_time: times.at(-2)! }
        const shared = yield* SharedDataset.make(
          { endpoint: Timeseries.marketTrades, params: bounds, into: { folder, format: { as: "ndjson" } } },
          "backfill 1"
        )
        yield* shared.begin
        for (let part = 0; part < shared.parts; part++) yield* shared.read(part)
        yield* shared.finish
        yield* shared.end
        const expected = fresh.filter(({ time }) => time >= bounds.start_time && time <= bounds.end_time)
        assert.deepStrictEqual(yield* linesIn(folder), expected.map((one) => JSON.stringify(one)).toSorted())
      }).pipe(Effect.scoped, Effect.provide(world))
    )
  }
)
