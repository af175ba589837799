import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Client, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as TestMode from "../../../core/test/TestMode.ts"
import { data, events, temporary } from "./Harness.ts"

const params = {
  assets: ["ada", "bch", "btc", "doge", "eth", "ltc"],
  metrics: ["PriceUSD", "FlowInExUSD"],
  start_time: "2026-08-01"
} as const

const rowsIn = Effect.fnUntraced(function* (folder: string) {
  const files = Object.values(yield* data(folder))
  const rows = files.flatMap((text) => text.split("\n").slice(0, -1)).map((line): unknown => JSON.parse(line))
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
})

const world = Layer.merge(Sandbox.layerClient(Client.layer, { history: { seed: 7 } }), NodeServices.layer)

describe("a dataset that is brought up to date every day", () => {
  it.effect("has what a fresh download has, by one request and those for what was missing", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const sandbox = yield* Sandbox.Sandbox
      const job = {
        endpoint: Timeseries.assetMetrics,
        params,
        to,
        format: { as: "ndjson" },
        lookBack: "8 days"
      } as const
      let replaced = 0
      for (let day = 0; day < TestMode.times(7, 14); day++) {
        const before = (yield* sandbox.stats).requests
        const last = (yield* events(Dataset.sync(job))).at(-1)
        assert.isAtMost((yield* sandbox.stats).requests - before, 2)
        if (last?._tag === "Finished") replaced += last.replaced
        const expected = yield* Stream.runCollect(Timeseries.assetMetrics(params))
        const rows = expected.map((record): unknown => ({ ...record }))
        assert.deepStrictEqual(
          yield* rowsIn(to),
          rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
          `day ${day}`
        )
        yield* TestClock.adjust("1 day")
      }
      assert.isAbove(replaced, TestMode.times(50, 100))
      yield* Stream.runDrain(Dataset.verify(to))
    }).pipe(Effect.provide(world))
  )
})
