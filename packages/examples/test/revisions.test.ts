import { assert, it } from "@effect/vitest"
import { Client, Timeseries } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"

const lastWeek = Stream.runCollect(
  Timeseries.assetMetrics({
    assets: ["bch", "btc", "doge", "eth", "ltc"],
    metrics: ["FlowInExUSD"],
    start_time: "2026-09-24",
    end_time: "2026-09-30"
  })
)

it.effect("what was read on the first of the month is not what the service says a week later", () =>
  Effect.gen(function* () {
    const before = yield* lastWeek
    yield* TestClock.adjust("7 days")
    const after = yield* lastWeek
    assert.isTrue(before.some((record) => record["FlowInExUSD-status"] === "flash"))
    assert.isFalse(after.some((record) => record["FlowInExUSD-status"] === "flash"))
    assert.notDeepEqual(
      before.map(({ FlowInExUSD }) => FlowInExUSD),
      after.map(({ FlowInExUSD }) => FlowInExUSD)
    )
  }).pipe(Effect.provide(Sandbox.layerClient(Client.layer, { history: { seed: 7 } })))
)
