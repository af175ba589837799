import { assert, it } from "@effect/vitest"
import { Client, Timeseries } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"

/** A month in pages of one day: 31 requests, where a trial key may send ten in six seconds. */
const month = Timeseries.assetMetrics({
  assets: ["btc"],
  metrics: ["PriceUSD"],
  start_time: "2026-01-01",
  end_time: "2026-01-31",
  page_size: 1
})

it.effect("a month is read under the limit of a trial key, in no real time", () =>
  Effect.gen(function* () {
    const reading = yield* Effect.forkChild(Stream.runCount(month))
    yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => reading.pollUnsafe() !== undefined })
    assert.strictEqual(yield* Fiber.join(reading), 31)
    const { requests, rejected } = yield* Effect.flatMap(Sandbox.Sandbox, ({ stats }) => stats)
    assert.deepStrictEqual({ requests, rejected }, { requests: 31, rejected: 0 })
  }).pipe(Effect.provide(Sandbox.layerClient(Client.layer, { plan: "trial" })))
)
