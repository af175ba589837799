import { assert, describe, it } from "@effect/vitest"
import { type Endpoint, Params, ReferenceData, Timeseries, TokenMetrics } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "./FakeApi.ts"

/** Endpoints taken as a caller without types would take them. */
const untyped = {
  assets: ReferenceData.assets as unknown as Endpoint.Any,
  markets: ReferenceData.markets as unknown as Endpoint.Any,
  pairs: ReferenceData.pairs as unknown as Endpoint.Any,
  assetMetrics: ReferenceData.assetMetrics as unknown as Endpoint.Any,
  series: Timeseries.assetMetrics as unknown as Endpoint.Any,
  institutions: Timeseries.institutionMetrics as unknown as Endpoint.Any
}

type Name = keyof typeof untyped

const series = { assets: "btc", metrics: "PriceUSD" }

const bad: ReadonlyArray<readonly [endpoint: Name, params: unknown, parameter: string]> = [
  ["pairs", { pair: "btc-usd" }, "pair"],
  ["pairs", { api_key: "k" }, "api_key"],
  ["pairs", { include: "talos" }, "include"],
  ["pairs", { page_size: 0 }, "page_size"],
  ["pairs", { page_size: 10_001 }, "page_size"],
  ["pairs", { page_size: -1 }, "page_size"],
  ["pairs", { page_size: 1.5 }, "page_size"],
  ["pairs", { page_size: Number.NaN }, "page_size"],
  ["pairs", { page_size: Infinity }, "page_size"],
  ["pairs", { page_size: "100" }, "page_size"],
  ["pairs", { paging_from: "middle" }, "paging_from"],
  ["pairs", { format: "csv" }, "format"],
  ["pairs", { next_page_token: "" }, "next_page_token"],
  ["pairs", { pretty: "true" }, "pretty"],
  ["pairs", { pairs: [] }, "pairs"],
  ["pairs", { pairs: "" }, "pairs"],
  ["pairs", { pairs: "  " }, "pairs"],
  ["pairs", { pairs: ["btc-usd", ""] }, "pairs"],
  ["pairs", { pairs: ["btc-usd,eth-usd"] }, "pairs"],
  ["pairs", { pairs: "," }, "pairs"],
  ["pairs", { pairs: "btc-usd,,eth-usd" }, "pairs"],
  ["pairs", { pairs: "btc-usd, " }, "pairs"],
  ["pairs", { pairs: 7 }, "pairs"],
  ["pairs", { pairs: null }, "pairs"],
  ["pairs", { pairs: [null] }, "pairs"],
  ["assets", { assets: ["a", "b,c"] }, "assets"],
  ["assets", { include: [] }, "include"],
  ["assetMetrics", { reviewable: 1 }, "reviewable"],
  ["markets", { cusip: "1", figi: "2" }, "figi"],
  ["markets", { cusip: "1", isin: "3" }, "isin"],
  ["markets", { figi: "2", isin: "3" }, "isin"],
  ["markets", { type: "" }, "type"],
  ["markets", { exchange: "" }, "exchange"],
  ["series", {}, "assets"],
  ["series", { metrics: "PriceUSD" }, "assets"],
  ["series", { assets: "btc" }, "metrics"],
  ["series", { ...series, assets: [] }, "assets"],
  ["series", { ...series, metrics: [] }, "metrics"],
  ["series", { ...series, metrics: "A,,B" }, "metrics"],
  ["series", { ...series, metrics: ["A,B"] }, "metrics"],
  ["series", { ...series, metrics: [{ name: "A" }] }, "metrics"],
  ["series", { ...series, start_time: "yesterday" }, "start_time"],
  ["series", { ...series, start_time: "2026-02-30" }, "start_time"],
  ["series", { ...series, end_time: "2026-01-01T00:00:00.1Z" }, "end_time"],
  ["series", { ...series, end_time: "" }, "end_time"],
  ["series", { ...series, start_time: "2026-01-01", start_height: 1 }, "start_height"],
  ["series", { ...series, start_time: "2026-01-01", start_hash: "h" }, "start_hash"],
  ["series", { ...series, start_height: 1, start_hash: "h" }, "start_hash"],
  ["series", { ...series, end_time: "2026-01-01", end_height: 1 }, "end_height"],
  ["series", { ...series, end_height: 1, end_hash: "h" }, "end_hash"],
  ["series", { ...series, start_height: -1 }, "start_height"],
  ["series", { ...series, min_confirmations: 100 }, "min_confirmations"],
  ["series", { ...series, limit_per_asset: 0 }, "limit_per_asset"],
  ["series", { ...series, status: "fresh" }, "status"],
  ["series", { ...series, sort: "size" }, "sort"],
  ["series", { ...series, frequency: "" }, "frequency"],
  ["institutions", { institutions: "*", metrics: "A", sort: "time" }, "sort"],
  ["institutions", { institutions: ["grayscale", "b*"], metrics: "A", sort: "time" }, "sort"]
]

const time = (start_time: string) =>
  ["series", { ...series, start_time }, `${head}&start_time=${start_time}${tail}`] as const
const head = "assets=btc&metrics=PriceUSD"
const tail = "&paging_from=start"

/** Parameters and their exact query, but for the page size in front. */
const good: ReadonlyArray<readonly [endpoint: Name, params: unknown, query: string]> = [
  ["pairs", {}, ""],
  ["pairs", undefined, ""],
  ["pairs", { pairs: undefined, page_size: undefined }, ""],
  ["pairs", { pairs: "btc-usd" }, "pairs=btc-usd"],
  ["pairs", { pairs: "btc-usd,eth-usd" }, "pairs=btc-usd,eth-usd"],
  ["pairs", { pairs: " btc-usd , eth-usd " }, "pairs=btc-usd,eth-usd"],
  ["pairs", { pairs: ["btc-usd", "eth-usd"] }, "pairs=btc-usd,eth-usd"],
  ["pairs", { pairs: [" btc-usd ", "eth-usd"] }, "pairs=btc-usd,eth-usd"],
  ["pairs", { next_page_token: "0.a, 1.b " }, "next_page_token=0.a, 1.b "],
  ["markets", { markets: " a , b", symbol: " BTC, USD " }, "markets=a,b&symbol= BTC, USD "],
  [
    "series",
    { assets: " btc , eth", metrics: "A, B", timezone: " UTC" },
    `assets=btc,eth&metrics=A,B&timezone= UTC${tail}`
  ],
  ["pairs", { pretty: false }, "pretty=false"],
  ["pairs", { format: "json" }, "format=json"],
  ["pairs", { paging_from: "start" }, "paging_from=start"],
  [
    "assets",
    { assets: ["talos:BTC", "talos:by-id:24"], include: ["talos"] },
    "assets=talos:BTC,talos:by-id:24&include=talos"
  ],
  ["assets", { assets: "a&b=c#d+e é" }, "assets=a&b=c#d+e é"],
  ["assetMetrics", { metrics: ["A", "B"], reviewable: true }, "metrics=A,B&reviewable=true"],
  ["markets", { type: "spot", cusip: "1" }, "type=spot&cusip=1"],
  ["markets", { type: "perpetual" }, "type=perpetual"],
  ["markets", { exchange: "coinbase", base: "btc", asset: "usd" }, "exchange=coinbase&base=btc&asset=usd"],
  ["series", series, `${head}${tail}`],
  ["series", { ...series, assets: "*", sort: "time" }, `assets=*&metrics=PriceUSD&sort=time${tail}`],
  [
    "institutions",
    { institutions: "grayscale", metrics: "A", sort: "time" },
    `institutions=grayscale&metrics=A&sort=time${tail}`
  ],
  [
    "institutions",
    { institutions: "*", metrics: "A", sort: "institution" },
    `institutions=*&metrics=A&sort=institution${tail}`
  ],
  ["series", { assets: "*", metrics: TokenMetrics.TxTknCnt }, `assets=*&metrics=TxTknCnt${tail}`],
  [
    "series",
    { assets: ["eth"], metrics: TokenMetrics.all },
    `assets=eth&metrics=TxTknCnt,TxERC20Cnt,TxERC721Cnt,TxERC1155Cnt${tail}`
  ],
  [
    "series",
    { assets: "eth", metrics: [TokenMetrics.TxTknCnt, "PriceUSD"] },
    `assets=eth&metrics=TxTknCnt,PriceUSD${tail}`
  ],
  [
    "series",
    { ...series, start_height: 0, end_height: 9, frequency: "1b" },
    `${head}&frequency=1b&start_height=0&end_height=9${tail}`
  ],
  [
    "series",
    { ...series, start_time: "2026-01-01", end_height: 9 },
    `${head}&start_time=2026-01-01&end_height=9${tail}`
  ],
  [
    "series",
    { ...series, timezone: "America/New_York", start_inclusive: false },
    `${head}&start_inclusive=false&timezone=America/New_York${tail}`
  ],
  [
    "series",
    { ...series, min_confirmations: 0, limit_per_asset: 1, null_as_zero: true },
    `${head}&min_confirmations=0&limit_per_asset=1&null_as_zero=true&paging_from=end`
  ],
  ["series", { ...series, paging_from: "end" }, `${head}&paging_from=end`],
  ["series", { ...series, frequency: "1d-14:00" }, `${head}&frequency=1d-14:00${tail}`],
  time("2006-01-20"),
  time("20060120"),
  time("2006-01-20T00:00:00"),
  time("2006-01-20T00:00:00Z"),
  time("2006-01-20T00:00:00.123Z"),
  time("2006-01-20T00:00:00.123456Z"),
  time("2006-01-20T00:00:00.123456789Z"),
  time("2006-01-20T000000.123")
]

const shown = (params: unknown) =>
  JSON.stringify(params, (_, value) => (typeof value === "number" ? String(value) : value))

describe("Params", () => {
  it.effect.each(bad.map((one) => [one[0], shown(one[1]), one[2], one] as const))(
    "%s %s: InvalidRequest names %s, and nothing is sent",
    ([, , , [name, params, parameter]]) =>
      Effect.gen(function* () {
        const api = FakeApi.make([])
        const error = yield* untyped[name](params as never).pipe(
          Stream.runDrain,
          Effect.flip,
          Effect.provide(api.layer())
        )
        assert.deepInclude(error, { _tag: "InvalidRequest", parameter } as const)
        assert.include(error.message, parameter)
        assert.deepStrictEqual(yield* api.requests, [])
      })
  )

  it.effect.each(good.map((one) => [one[0], shown(one[1]), one] as const))(
    "%s %s is sent as the service reads it",
    ([, , one]) =>
      Effect.gen(function* () {
        const [name, params, query] = one
        const api = FakeApi.make([FakeApi.page([])])
        const endpoint = untyped[name]
        yield* endpoint(params as never).pipe(Stream.runDrain, Effect.provide(api.layer()))
        const expected = `${endpoint.path}?page_size=10000${query === "" ? "" : `&${query}`}`
        assert.deepStrictEqual(yield* api.requests, [expected])
      })
  )

  it.effect("passes parameters on that are newer than the library", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a"], "1"), FakeApi.assets([])])
      const stream = ReferenceData.assets({ assets: "a" }, { query: { asset_class: "crypto, or not", sort: "x" } })
      yield* Stream.runDrain(stream).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(
        api.seen.map(({ url }) => [...url.searchParams].filter(([name]) => name !== "page_size")),
        [
          [
            ["assets", "a"],
            ["asset_class", "crypto, or not"],
            ["sort", "x"]
          ],
          [
            ["assets", "a"],
            ["asset_class", "crypto, or not"],
            ["sort", "x"],
            ["next_page_token", "1"]
          ]
        ]
      )
    })
  )

  it.effect.each([
    ["assets", "assets"],
    ["assets", "page_size"],
    ["assets", "format"],
    ["assets", "next_page_token"],
    ["assets", "api_key"],
    ["markets", "cusip"],
    ["series", "start_time"]
  ] as const)("%s: refuses to pass on %s, which has its own place", ([name, parameter]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      const params = name === "series" ? series : {}
      const error = yield* untyped[name](params as never, { query: { [parameter]: "x" } }).pipe(
        Stream.runDrain,
        Effect.flip,
        Effect.provide(api.layer())
      )
      assert.deepInclude(error, { _tag: "InvalidRequest", kind: "misplaced", parameter } as const)
      assert.deepStrictEqual(yield* api.requests, [])
    })
  )

  it.effect("says of a parameter that is required and not given that it is missing", () =>
    Effect.gen(function* () {
      const error = yield* untyped["series"]({ assets: "btc" } as never).pipe(
        Stream.runDrain,
        Effect.flip,
        Effect.provide(FakeApi.make([]).layer())
      )
      assert.deepInclude(error, { _tag: "InvalidRequest", kind: "missing", parameter: "metrics" } as const)
    })
  )

  it.effect.each([
    ["pages", {}],
    ["json_stream", { format: "json_stream" }]
  ] as const)(
    "a request longer than 10,000 characters of path and query names its longest parameter and sends nothing: %s",
    ([, more]) =>
      Effect.gen(function* () {
        const api = FakeApi.make([])
        const metrics = Array.from({ length: 2_000 }, (_, index) => `Metric${index}`)
        const error = yield* Timeseries.assetMetrics({ assets: ["btc", "eth"], metrics, ...more }).pipe(
          Stream.runDrain,
          Effect.flip,
          Effect.provide(api.layer())
        )
        assert.deepInclude(error, { _tag: "InvalidRequest", parameter: "metrics" } as const)
        assert.isBelow(error.message.length, 300)
        assert.deepStrictEqual(yield* api.requests, [])
      })
  )

  it.effect("counts characters as the URL writes them, and lets the longest possible request pass", () =>
    Effect.gen(function* () {
      const fixed = "/v4/reference-data/assets?page_size=10000&assets=".length
      const api = FakeApi.make([FakeApi.page([])])
      const read = (assets: string) =>
        Stream.runDrain(ReferenceData.assets({ assets })).pipe(Effect.provide(api.layer()))
      yield* read("a".repeat(10_000 - fixed))
      const sent = api.seen[0]!.url
      assert.strictEqual(`${sent.pathname}${sent.search}`.length, 10_000)
      const longer = yield* Effect.flip(read("a".repeat(10_001 - fixed)))
      assert.strictEqual(longer._tag, "InvalidRequest")
      const encoded = yield* Effect.flip(read("é".repeat(2_000)))
      assert.strictEqual(encoded._tag, "InvalidRequest")
      assert.strictEqual(api.seen.length, 1)
    })
  )

  it("splits comma lists as the service will", () => {
    assert.deepStrictEqual(Params.items("a, b,c"), ["a", "b", "c"])
    assert.deepStrictEqual(Params.items(["a", TokenMetrics.TxTknCnt]), ["a", "TxTknCnt"])
    assert.deepStrictEqual(Params.items(undefined), [])
  })
})
