import { assert, describe, it } from "@effect/vitest"
import { Bulk, CatalogV2, Discover, type Endpoint, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "./FakeApi.ts"

const series = { assets: "btc", metrics: "PriceUSD" }

/** The endpoint as a caller without types would take it. */
const endpoint = Timeseries.assetMetrics as unknown as Endpoint.Any

const reversed: ReadonlyArray<readonly [range: object, parameter: string, reason: string]> = [
  [{ start_time: "2026-01-02", end_time: "2026-01-01" }, "end_time", '"2026-01-01" is before start_time "2026-01-02"'],
  [
    { start_time: "20260101T000000.000000001Z", end_time: "2026-01-01" },
    "end_time",
    '"2026-01-01" is before start_time "20260101T000000.000000001Z"'
  ],
  [
    { start_time: "2026-01-02", end_time: "2026-01-01", paging_from: "end" },
    "end_time",
    '"2026-01-01" is before start_time "2026-01-02"'
  ],
  [
    { start_time: "2026-01-10", end_time: "2026-01-01", timezone: "America/New_York" },
    "end_time",
    '"2026-01-01" is before start_time "2026-01-10"'
  ],
  [{ start_height: 10, end_height: 9, frequency: "1b" }, "end_height", '"9" is before start_height "10"']
]

/** Ranges that may have records, as far as can be known before the service is asked. */
const open: ReadonlyArray<object> = [
  { start_time: "2026-01-01", end_time: "2026-01-01" },
  { start_time: "2026-01-01", end_time: "2026-01-01", end_inclusive: false },
  { start_time: "2026-01-01T00:00:00Z", end_time: "20260101" },
  { start_time: "2026-01-01" },
  { end_time: "2026-01-01" },
  // Where the clock is set forward, 02:30 is read as an hour later, after 03:10.
  { start_time: "2026-03-08T03:10:00", end_time: "2026-03-08T02:30:00", timezone: "America/New_York" },
  { start_time: "2026-01-01", end_height: 0 },
  { start_height: 9, end_height: 9, frequency: "1b" },
  { start_hash: "b", end_hash: "a", frequency: "1b" }
]

const isExcluded = { _tag: "InvalidRequest", kind: "excluded" } as const

describe("a range", () => {
  it.effect.each(reversed.map((one) => [JSON.stringify(one[0]), one] as const))(
    "that ends before it starts is refused and nothing is sent: %s",
    ([, [range, parameter, reason]]) =>
      Effect.gen(function* () {
        const api = FakeApi.make([])
        const params = { ...series, ...range }
        const streams = [endpoint(params as never), endpoint.pages(params as never)]
        for (const stream of streams) {
          const error = yield* Effect.flip(Stream.runDrain(stream)).pipe(Effect.provide(api.layer()))
          assert.deepInclude(error, { ...isExcluded, parameter, reason })
        }
        const split = yield* Effect.flip(Bulk.split(endpoint, params, { by: "assets" }))
        assert.deepInclude(split, { ...isExcluded, parameter, reason })
        assert.deepStrictEqual(yield* api.requests, [])
      })
  )

  it.effect.each(open.map((one) => [JSON.stringify(one), one] as const))(
    "that may have records is asked for: %s",
    ([, range]) =>
      Effect.gen(function* () {
        const api = FakeApi.make([FakeApi.page([])])
        yield* Stream.runDrain(endpoint({ ...series, ...range } as never)).pipe(Effect.provide(api.layer()))
        assert.lengthOf(yield* api.requests, 1)
      })
  )

  it.effect("of a catalog may end before it starts: each of its times is a filter of its own", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([])])
      const markets = CatalogV2.marketTrades({ start_time: "2024-01-01", end_time: "2020-01-01" })
      yield* Stream.runDrain(markets).pipe(Effect.provide(api.layer()))
      assert.lengthOf(yield* api.requests, 1)
    })
  )

  it.effect("that ends before it starts is refused before a catalog is asked what a wildcard stands for", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      const params = { ...series, assets: "*", start_time: "2026-01-02", end_time: "2026-01-01" }
      const error = yield* Discover.expand(Timeseries.assetMetrics, params, "assets").pipe(
        Effect.flip,
        Effect.provide(Discover.layer()),
        Effect.provide(api.layer())
      )
      assert.deepInclude(error, { ...isExcluded, parameter: "end_time" })
      assert.deepStrictEqual(yield* api.requests, [])
    })
  )
})
