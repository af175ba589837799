import { assert, layer } from "@effect/vitest"
import { Bulk, type Client, Timeseries } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { withClient } from "./Harness.ts"

const minutes = { metrics: ["PriceUSD"], frequency: "1m", start_time: "2024-01-01", end_time: "2024-01-03" } as const

/** What is parsed while an effect runs, in characters. */
const parsedDuring = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => JSON.parse),
    (parse) =>
      Effect.gen(function* () {
        let parsed = 0
        JSON.parse = (text: string, reviver) => {
          parsed += text.length
          // Type boundary: what `JSON.parse` returns is not known here.
          return parse(text, reviver) as unknown
        }
        const result = yield* effect
        return { result, parsed }
      }),
    (parse) =>
      Effect.sync(() => {
        JSON.parse = parse
      })
  )

/** The size of all records, in characters. */
const sizeOf = (stream: Stream.Stream<object, unknown, Client.Client>) =>
  Stream.runFold(
    stream,
    () => 0,
    (size, record) => size + JSON.stringify(record).length
  )

layer(Sandbox.layer())("The client of Node.js", (it) => {
  const bulk = Stream.unwrap(
    Effect.map(Bulk.split(Timeseries.assetMetrics, { assets: ["btc", "eth"], ...minutes }, { by: "assets" }), (parts) =>
      Bulk.records(Timeseries.assetMetrics, parts)
    )
  )
  for (const [name, size] of [
    ["pages", sizeOf(Timeseries.assetMetrics({ assets: "btc", ...minutes }))],
    ["a json_stream", sizeOf(Timeseries.assetMetrics({ assets: "btc", ...minutes, format: "json_stream" }))],
    ["Bulk", sizeOf(bulk)]
  ] as const) {
    it.effect(`reads ${name} by the layout of the records, parsing no more than a few`, () =>
      Effect.gen(function* () {
        const { parsed, result } = yield* parsedDuring(withClient(size))
        assert.isAbove(result, 150_000)
        assert.isBelow(parsed, result / 20)
      })
    )
  }
})
