import { assert, layer } from "@effect/vitest"
import { Bulk, Client, type Endpoint, Timeseries } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { assertSame } from "../../core/test/Same.ts"
import { rows } from "../../sandbox/test/Harness.ts"
import { inVirtualTime, settings } from "./Harness.ts"

const series = [
  ["market", Timeseries.marketCandles, { markets: ["coinbase-btc-usd-spot", "kraken-btc-usd-spot"] }],
  ["pair", Timeseries.pairCandles, { pairs: ["btc-usd", "eth-usd"] }],
  ["index", Timeseries.indexCandles, { indexes: ["CMBI10", "CMBIBTC"] }]
] as const

const cases = series.flatMap(([name, endpoint, entities]) =>
  // Clocks in New York go forward on the second of these days.
  ["1d", "1d-16:00"].map((frequency) => ({
    name: `${name} at ${frequency}`,
    endpoint: endpoint as unknown as Endpoint.Any,
    params: { ...entities, frequency, start_time: "2024-03-09", end_time: "2024-03-11", timezone: "America/New_York" }
  }))
)

/** Reads a stream with a client of a root. */
const reading =
  (root: string) =>
  <A, E>(self: Stream.Stream<A, E, Client.Client>) =>
    Effect.gen(function* () {
      const client = yield* Client.make({ ...settings, root, plan: "download", onDisorder: "fail" })
      return yield* inVirtualTime(Effect.provideService(Stream.runCollect(self), Client.Client, client))
    })

layer(Sandbox.layerMemory())("days of candles in another zone", (it) => {
  it.effect.each(cases)("are the same however they are read: $name", ({ endpoint, params }) =>
    Effect.gen(function* () {
      const { faultUrl, url } = yield* Sandbox.Sandbox
      const query = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, String(value)]))
      query.set("end_time", "2024-03-11T23:59:59.999999999")
      const expected = yield* rows(`${endpoint.path}?${query}&page_size=100`)
      assert.lengthOf(expected, 6)
      // Type boundary: the parameters are checked when the stream runs.
      const read = (more: object, options?: Endpoint.CallOptions) => endpoint({ ...params, ...more } as never, options)
      assertSame(yield* reading(url)(read({ page_size: 2 })), expected)
      assertSame(yield* reading(url)(read({ page_size: 4, paging_from: "end" })), expected.toReversed())
      const [part] = yield* Bulk.split(endpoint, params as never)
      const cut = faultUrl(
        `reset-after=record:2;times=1;id=${endpoint.path.split("/").at(-1)}-${params.frequency.replace(":", "")}`
      )
      assertSame(yield* reading(cut)(Bulk.read(endpoint, part!)), expected)
      if (!endpoint.formats.includes("json_stream")) return
      assertSame(yield* reading(cut)(read({ format: "json_stream" }, { checkEnd: true })), expected)
      const refused = yield* Effect.flip(Bulk.split(endpoint, params as never, { every: "1 day" }))
      assert.deepInclude(refused, { _tag: "BadSplit", parameter: "timezone" })
    })
  )
})
