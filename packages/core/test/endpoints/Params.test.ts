import { assert, describe, it } from "@effect/vitest"
import { type Endpoint, Params, ReferenceData, Timeseries, TokenMetrics } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

/** Endpoints taken as a caller without types would take them. */
const untyped = {
  assets: ReferenceData.assets as unknown as Endpoint.Any,
  markets: ReferenceData.markets as unknown as Endpoint.Any,
  pairs: ReferenceData.pairs as unknown as Endpoint.Any,
  series: Timeseries.assetMetrics as unknown as Endpoint.Any,
  institutions: Timeseries.institutionMetrics as unknown as Endpoint.Any
}

type Name = keyof typeof untyped

const series = { assets: "btc", metrics: "PriceUSD" }

/** What is refused beside what `Rules.test.ts` tries of every parameter. */
const bad: ReadonlyArray<readonly [endpoint: Name, params: unknown, parameter: string]> = [
  ["pairs", { pair: "btc-usd" }, "pair"],
  ["pairs", { include: "talos" }, "include"],
  ["series", {}, "assets"],
  ["series", { metrics: "PriceUSD" }, "assets"],
  ["series", { assets: "btc" }, "metrics"],
  ["series", { ...series, metrics: [{ name: "A" }] }, "metrics"],
  ["series", { ...series, start_time: "2026-01-01", start_height: 1 }, "start_height"],
  ["institutions", { institutions: "*", metrics: "A", sort: "time" }, "sort"],
  ["institutions", { institutions: ["grayscale", "b*"], metrics: "A", sort: "time" }, "sort"]
]

const head = "assets=btc&metrics=PriceUSD"
const tail = "&paging_from=start"

/** Parameters and their exact query, but for the page size in front. */
const good: ReadonlyArray<readonly [endpoint: Name, params: unknown, query: string]> = [
  ["pairs", undefined, ""],
  ["pairs", { pairs: undefined, page_size: undefined }, ""],
  ["pairs", { pairs: " btc-usd , eth-usd " }, "pairs=btc-usd,eth-usd"],
  ["pairs", { pairs: [" btc-usd ", "eth-usd"] }, "pairs=btc-usd,eth-usd"],
  ["pairs", { next_page_token: "0.a, 1.b " }, "next_page_token=0.a, 1.b "],
  ["markets", { markets: " a , b", symbol: " BTC, USD " }, "markets=a,b&symbol= BTC, USD "],
  [
    "series",
    { assets: " btc , eth", metrics: "A, B", timezone: " UTC" },
    `assets=btc,eth&metrics=A,B&timezone= UTC${tail}`
  ],
  [
    "assets",
    { assets: ["talos:BTC", "talos:by-id:24"], include: ["talos"] },
    "assets=talos:BTC,talos:by-id:24&include=talos"
  ],
  ["assets", { assets: "a&b=c#d+e é" }, "assets=a&b=c#d+e é"],
  ["series", series, `${head}${tail}`],
  ["series", { ...series, assets: "*", sort: "time" }, `assets=*&metrics=PriceUSD&sort=time${tail}`],
  [
    "institutions",
    { institutions: "*", metrics: "A", sort: "institution" },
    `institutions=*&metrics=A&sort=institution${tail}`
  ],
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
    { ...series, start_time: "2026-01-01", end_height: 9 },
    `${head}&start_time=2026-01-01&end_height=9${tail}`
  ],
  [
    "series",
    { ...series, min_confirmations: 0, limit_per_asset: 1, null_as_zero: true },
    `${head}&min_confirmations=0&limit_per_asset=1&null_as_zero=true&paging_from=end`
  ]
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
