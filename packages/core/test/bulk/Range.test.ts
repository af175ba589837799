import { assert, describe, it } from "@effect/vitest"
import {
  Bulk,
  CatalogV2,
  type Client,
  ConstituentSnapshots,
  Discover,
  type Endpoint,
  Taxonomy,
  Timeseries
} from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

const series = { assets: "btc", metrics: "PriceUSD" }

/** The endpoint as a caller without types would take it. */
const endpoint = Timeseries.assetMetrics as unknown as Endpoint.Any

const reversed: ReadonlyArray<readonly [range: object, parameter: string, reason: string]> = [
  [{ start_time: "2026-01-02", end_time: "2026-01-01" }, "end_time", '"2026-01-01" is before start_time "2026-01-02"'],
  [
    { start_time: "20260101T000000.000000001Z", end_time: "2026-01-01T00:00:00" },
    "end_time",
    '"2026-01-01T00:00:00" is before start_time "20260101T000000.000000001Z"'
  ],
  // The whole of a day, and nothing of the next.
  [
    { start_time: "2026-01-02T00:00:00", end_time: "20260101" },
    "end_time",
    '"20260101" is before start_time "2026-01-02T00:00:00"'
  ],
  [
    { start_time: "2026-01-01T05:00:00", end_time: "2026-01-01", end_inclusive: false },
    "end_time",
    '"2026-01-01" is before start_time "2026-01-01T05:00:00"'
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
  { start_time: "2026-01-01T23:59:59.999999999Z", end_time: "2026-01-01" },
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

/** What each call asks for, of the end of its range. */
const ends: ReadonlyArray<
  readonly [name: string, stream: Stream.Stream<unknown, unknown, Client.Client>, sent: string]
> = [
  ["a date", Timeseries.assetMetrics({ ...series, end_time: "2024-02-28" }), "2024-02-29T00:00:00 false"],
  ["a short date", Timeseries.assetMetrics({ ...series, end_time: "20241231" }), "2025-01-01T00:00:00 false"],
  [
    "a date that is included",
    Timeseries.marketTrades({ markets: "m", end_time: "2024-02-29", end_inclusive: true }),
    "2024-03-01T00:00:00 false"
  ],
  [
    "a date that is excluded",
    Timeseries.assetMetrics({ ...series, end_time: "2024-02-29", end_inclusive: false }),
    "2024-02-29T00:00:00 false"
  ],
  [
    "a date of another zone",
    Timeseries.assetMetrics({ ...series, end_time: "2024-03-09", timezone: "America/New_York" }),
    "2024-03-10T00:00:00 false"
  ],
  [
    "the last date that there is",
    Timeseries.assetMetrics({ ...series, end_time: "9999-12-31" }),
    "9999-12-31T23:59:59.999999999 false"
  ],
  ["a date of a catalog", CatalogV2.marketTrades({ end_time: "2024-02-29" }), "2024-03-01T00:00:00 false"],
  ["a date of a taxonomy", Taxonomy.assets({ classification_end_time: "2024-02-29" }), "2024-03-01T00:00:00 false"],
  [
    "a date, where the end cannot be excluded",
    ConstituentSnapshots.assetMetrics({ metric: "m", end_time: "2024-02-29" }),
    "2024-02-29T23:59:59.999999999"
  ],
  ["a time", Timeseries.assetMetrics({ ...series, end_time: "2024-02-29T00:00:00Z" }), "2024-02-29T00:00:00Z"],
  [
    "a time that is excluded",
    Timeseries.assetMetrics({ ...series, end_time: "20240229T000000", end_inclusive: false }),
    "20240229T000000 false"
  ]
]

describe("a range", () => {
  it.effect.each(ends)("says exactly what it ends with: %s", ([, stream, sent]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([])])
      yield* Stream.runDrain(stream).pipe(Effect.provide(api.layer()))
      const query = api.seen[0]!.url.searchParams
      const end = query.get("end_time") ?? query.get("classification_end_time")
      const flag = query.get("end_inclusive")
      assert.strictEqual(flag === null ? end : `${end} ${flag}`, sent)
    })
  )

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
