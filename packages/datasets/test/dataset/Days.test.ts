import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Client, Retry, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Fault, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as TestMode from "../../../core/test/TestMode.ts"
import { data, events, memory, temporary } from "./Harness.ts"

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

/** A service that refuses requests for records from a day on. */
const withOutage = (day: string) =>
  Layer.unwrap(
    Effect.map(Sandbox.Sandbox, ({ url }) =>
      Client.layer({ root: url, apiKey: Redacted.make("demo-key"), retry: Retry.none })
    )
  ).pipe(
    Layer.provide(
      Layer.effect(
        HttpClient.HttpClient,
        Effect.map(HttpClient.HttpClient, (http) =>
          HttpClient.mapRequest(http, (request) =>
            request.urlParams.params.some(([name, value]) => name === "start_time" && String(value).startsWith(day))
              ? HttpClientRequest.setHeader(request, Fault.header, "status=503")
              : request
          )
        )
      )
    )
  )

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

  it.effect("reads a day later that it could not read, though days after it are kept", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const layout = { byEntity: false, period: "day" } as const
      const sync = Dataset.sync({ endpoint: Timeseries.assetMetrics, params, to, format: { as: "ndjson" }, layout })
      yield* TestClock.setTime(Date.parse("2026-09-01T12:00:00Z"))
      yield* Stream.runDrain(sync)
      yield* TestClock.adjust("20 days")
      const outage = withOutage("2026-09-05")
      const error = yield* Effect.flip(Effect.provide(Stream.runDrain(sync), outage, { local: true }))
      assert.strictEqual(error._tag, "SyncFailed")
      assert.isTrue((yield* rowsIn(to)).some((row) => JSON.stringify(row).includes("2026-09-19")))
      yield* Stream.runDrain(sync)
      const expected = yield* Stream.runCollect(Timeseries.assetMetrics({ ...params, end_time: "2026-09-21" }))
      const rows = expected.map((record): unknown => ({ ...record }))
      assert.deepStrictEqual(
        yield* rowsIn(to),
        rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      )
    }).pipe(Effect.provide(Layer.merge(memory({ history: { seed: 7 } }), NodeServices.layer)))
  )
})
