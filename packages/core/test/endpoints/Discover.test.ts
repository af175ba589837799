import { assert, describe, it } from "@effect/vitest"
import { type ApiError, Bulk, Discover, Retry, Timeseries } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import * as FakeApi from "../FakeApi.ts"
import * as WallClock from "../WallClock.ts"

const range = (frequency: string) => ({
  frequency,
  min_time: "2020-01-01T00:00:00.000000000Z",
  max_time: "2026-08-02T00:00:00.000000000Z"
})

const covered = (asset: string, metric: string, ...frequencies: ReadonlyArray<string>) => ({
  asset,
  metrics: [{ metric, frequencies: frequencies.map(range) }]
})

const trades = (market: string) => ({ market, min_time: "2020-01-01T00:00:00Z", max_time: "2026-08-02T00:00:00Z" })

/** Answers by the path, from tables of records. */
const serving = (tables: Readonly<Record<string, ReadonlyArray<unknown>>>) =>
  FakeApi.serve(({ url }) => Effect.succeed(FakeApi.page(tables[url.pathname.replace(/^\/v4/, "")] ?? [])))

const provided = (api: FakeApi.FakeApi, options?: Discover.Options) =>
  Effect.provide(Discover.layer(options).pipe(Layer.provide(api.layer({ retry: Retry.none }))))

const reasonOf = <A, R>(effect: Effect.Effect<A, Bulk.BadSplit | ApiError.ApiError, R>) =>
  Effect.map(Effect.flip(effect), (error) => (error._tag === "BadSplit" ? [error.parameter, error.reason] : error))

const metricsApi = () =>
  serving({
    "/catalog-v2/asset-metrics": [covered("btc", "PriceUSD", "1h", "1d"), covered("btc", "Unnamed", "1b")],
    "/reference-data/asset-metrics": [{ metric: "PriceUSD", full_name: "Price, USD", unit: "USD" }]
  })

const marketsApi = () =>
  serving({
    "/reference-data/markets": [
      {
        market: "coinbase-btc-eur-spot",
        exchange: "coinbase",
        type: "spot",
        base: "btc",
        quote: "eur",
        status: "online"
      },
      { market: "coinbase-btc-usd-spot", exchange: "coinbase", type: "spot", base: "btc", quote: "usd" }
    ],
    "/catalog-v2/market-trades": [trades("coinbase-btc-usd-spot")]
  })

const catalogsApi = () =>
  serving({
    "/catalog-v2/asset-metrics": [
      covered("ada", "PriceUSD", "1d"),
      covered("btc", "PriceUSD", "1h", "1d"),
      covered("eth", "PriceUSD", "1h")
    ],
    "/catalog-v2/market-trades": ["a-btc-usd-spot", "binance-btc-usdt-spot", "binance-eth-usdt-spot"].map(trades)
  })

describe("Discover.catalog", () => {
  it.effect("refuses a path of which it asks nothing, and sends no request", () => {
    const fake = catalogsApi()
    return Effect.gen(function* () {
      const { catalog } = yield* Discover.Discover
      const error = yield* Effect.flip(catalog({ catalog: "/timeseries/asset-metrics", params: {} }))
      assert.deepInclude(error, { _tag: "InvalidRequest", endpoint: "/timeseries/asset-metrics", kind: "misplaced" })
      assert.deepStrictEqual(yield* fake.requests, [])
    }).pipe(provided(fake))
  })
})

describe("Discover.metrics", () => {
  it.effect("tells each metric of an asset at each frequency, its times, unit and name", () =>
    Effect.gen(function* () {
      const { max_time, min_time } = range("1d")
      const times = { min_time, max_time }
      assert.deepStrictEqual(yield* Discover.metrics("btc"), [
        { asset: "btc", metric: "PriceUSD", frequency: "1h", ...times, unit: "USD", full_name: "Price, USD" },
        { asset: "btc", metric: "PriceUSD", frequency: "1d", ...times, unit: "USD", full_name: "Price, USD" },
        { asset: "btc", metric: "Unnamed", frequency: "1b", ...times, unit: undefined, full_name: undefined }
      ] as never)
    }).pipe(provided(metricsApi()))
  )

  it.effect("asks once in an hour, however many ask, and then again", () => {
    const fake = metricsApi()
    return Effect.gen(function* () {
      yield* Effect.all([Discover.metrics("btc"), Discover.metrics("btc"), Discover.metrics("btc")], {
        concurrency: "unbounded"
      })
      yield* TestClock.adjust("59 minutes")
      yield* Discover.metrics("btc")
      const asked = [
        "/catalog-v2/asset-metrics?page_size=10000&assets=btc",
        "/reference-data/asset-metrics?page_size=10000"
      ]
      assert.deepStrictEqual([...(yield* fake.requests)].toSorted(), asked)
      yield* TestClock.adjust("2 minutes")
      yield* Discover.metrics("btc")
      assert.deepStrictEqual([...(yield* fake.requests)].toSorted(), [...asked, ...asked].toSorted())
    }).pipe(provided(fake))
  })

  it.effect("asks again after an hour where the wall clock was set back by one", () => {
    const fake = metricsApi()
    return Clock.clockWith((clock) => {
      let offset = 0
      const wall = WallClock.at(clock, () => clock.currentTimeMillisUnsafe() + offset)
      return Effect.gen(function* () {
        yield* Discover.metrics("btc")
        offset = -3_600_000
        yield* Effect.provideService(TestClock.adjust("61 minutes"), Clock.Clock, clock)
        yield* Discover.metrics("btc")
        assert.lengthOf(yield* fake.requests, 4)
      }).pipe(provided(fake), Effect.provideService(Clock.Clock, wall))
    })
  })

  it.effect("asks for another asset, but not for the definitions again", () => {
    const fake = metricsApi()
    return Effect.gen(function* () {
      yield* Discover.metrics("btc")
      yield* Discover.metrics("eth")
      assert.strictEqual((yield* fake.requests).length, 3)
    }).pipe(provided(fake))
  })

  it.effect("keeps answers as long as it is told", () => {
    const fake = metricsApi()
    return Effect.gen(function* () {
      yield* Discover.metrics("btc")
      yield* TestClock.adjust("2 seconds")
      yield* Discover.metrics("btc")
      assert.strictEqual((yield* fake.requests).length, 4)
    }).pipe(provided(fake, { timeToLive: "1 second" }))
  })

  it.effect("does not keep an error", () => {
    let isDown = true
    const fake = FakeApi.serve(() =>
      Effect.succeed(isDown ? FakeApi.refusal(400, "bad_parameter", "Bad parameter 'assets'.") : FakeApi.page([]))
    )
    return Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(Discover.metrics("btc")))._tag, "InvalidRequest")
      isDown = false
      assert.deepStrictEqual(yield* Discover.metrics("btc"), [])
    }).pipe(provided(fake))
  })
})

describe("Discover.markets", () => {
  it.effect("tells the markets a filter leaves, with the times of their trades", () => {
    const fake = marketsApi()
    return Effect.gen(function* () {
      const found = yield* Discover.markets({ exchange: "coinbase", base: "btc" })
      assert.deepStrictEqual(
        found.map(({ market, min_time, quote, status }) => [market, quote, status, min_time as string | undefined]),
        [
          ["coinbase-btc-eur-spot", "eur", "online", undefined],
          ["coinbase-btc-usd-spot", "usd", undefined, "2020-01-01T00:00:00Z"]
        ]
      )
      // The same question in other words is not asked again.
      yield* Discover.markets({ base: "btc", exchange: "coinbase" })
      assert.deepStrictEqual([...(yield* fake.requests)].toSorted(), [
        "/catalog-v2/market-trades?page_size=10000&exchange=coinbase&base=btc",
        "/reference-data/markets?page_size=10000&exchange=coinbase&base=btc"
      ])
      yield* Discover.markets({ exchange: "coinbase" })
      assert.strictEqual((yield* fake.requests).length, 4)
    }).pipe(provided(fake))
  })
})

describe("Discover.expand", () => {
  it.effect("names what a wildcard stands for: what has the metrics at the frequency, ready to be split", () => {
    const fake = catalogsApi()
    return Effect.gen(function* () {
      const params = { assets: "*", metrics: ["PriceUSD"] } as const
      const daily = yield* Discover.expand(Timeseries.assetMetrics, params, "assets")
      assert.deepStrictEqual(daily, { metrics: ["PriceUSD"], assets: ["ada", "btc"] })
      const hourly = yield* Discover.expand(Timeseries.assetMetrics, { ...params, frequency: "1h" }, "assets")
      assert.deepStrictEqual(hourly.assets, ["btc", "eth"])
      const parts = yield* Bulk.split(Timeseries.assetMetrics, daily, { by: "assets" })
      assert.deepStrictEqual(
        parts.map(({ params }) => params.assets.join()),
        ["ada", "btc"]
      )
      assert.deepStrictEqual(yield* fake.requests, ["/catalog-v2/asset-metrics?page_size=10000&metrics=PriceUSD"])
    }).pipe(provided(fake))
  })

  it.effect("adds the names that were given, each once, and leaves a list without wildcards as it is", () => {
    const fake = catalogsApi()
    return Effect.gen(function* () {
      const metrics = "PriceUSD"
      const named = yield* Discover.expand(Timeseries.assetMetrics, { assets: "eth, btc,eth", metrics }, "assets")
      assert.deepStrictEqual(named.assets, ["eth", "btc"])
      assert.deepStrictEqual(yield* fake.requests, [])
      const both = yield* Discover.expand(Timeseries.assetMetrics, { assets: ["zec", "*", "btc"], metrics }, "assets")
      assert.deepStrictEqual(both.assets, ["ada", "btc", "zec"])
    }).pipe(provided(fake))
  })

  it.effect("matches patterns of markets, and asks for no more than their exchange and type", () => {
    const fake = catalogsApi()
    return Effect.gen(function* () {
      const found = yield* Discover.expand(Timeseries.marketTrades, { markets: "binance-*-usdt-spot" }, "markets")
      assert.deepStrictEqual(found.markets, ["binance-btc-usdt-spot", "binance-eth-usdt-spot"])
      const anywhere = yield* Discover.expand(Timeseries.marketTrades, { markets: "*-btc-*" }, "markets")
      assert.deepStrictEqual(anywhere.markets, ["a-btc-usd-spot", "binance-btc-usdt-spot"])
      assert.deepStrictEqual(yield* fake.requests, [
        "/catalog-v2/market-trades?page_size=10000&exchange=binance&type=spot",
        "/catalog-v2/market-trades?page_size=10000"
      ])
    }).pipe(provided(fake))
  })

  it.effect("leaves out names that no list can hold", () => {
    const names = ["a,b", "b ", "c*", "talos:BTC", "btc"]
    const fake = serving({ "/catalog-v2/asset-metrics": names.map((name) => covered(name, "PriceUSD", "1d")) })
    return Effect.gen(function* () {
      const found = yield* Discover.expand(Timeseries.assetMetrics, { assets: "*", metrics: ["PriceUSD"] }, "assets")
      assert.deepStrictEqual(found.assets, ["btc"])
    }).pipe(provided(fake))
  })

  it.effect("says so where nothing matches", () =>
    Effect.gen(function* () {
      const asked = Discover.expand(Timeseries.marketTrades, { markets: "kraken-*" }, "markets")
      assert.deepStrictEqual(yield* reasonOf(asked), [
        "markets",
        'has "kraken-*", which stands for nothing that the key may read'
      ])
    }).pipe(provided(catalogsApi()))
  )
})

const namesApi = () =>
  serving({
    "/reference-data/assets": [{ asset: "btc", full_name: "Bitcoin" }, { asset: "eth" }],
    "/reference-data/asset-metrics": [{ metric: "PriceUSD", full_name: "Price, USD" }],
    "/reference-data/markets": [{ market: "a-btc-usd-spot", exchange: "a", type: "spot" }],
    "/catalog-v2/institution-metrics": [{ institution: "grayscale", metrics: [] }]
  })

describe("Discover.names", () => {
  it.effect("lists what a parameter takes, with names for people, whatever it is called", () => {
    const fake = namesApi()
    return Effect.gen(function* () {
      const assets = [
        { name: "btc", full_name: "Bitcoin" },
        { name: "eth", full_name: undefined }
      ]
      assert.deepStrictEqual(yield* Discover.names(Timeseries.assetMetrics, "assets"), assets)
      assert.deepStrictEqual(yield* Discover.names({ path: "/reference-data/markets" }, "base"), assets)
      assert.deepStrictEqual(yield* Discover.names({ path: "/timeseries-stream/asset-metrics" }, "metrics"), [
        { name: "PriceUSD", full_name: "Price, USD" }
      ])
      assert.deepStrictEqual(yield* Discover.names({ path: "/timeseries/institution-metrics" }, "institutions"), [
        { name: "grayscale", full_name: undefined }
      ])
      assert.deepStrictEqual(yield* fake.requests, [
        "/reference-data/assets?page_size=10000",
        "/reference-data/asset-metrics?page_size=10000",
        "/catalog-v2/institution-metrics?page_size=10000"
      ])
    }).pipe(provided(fake))
  })

  it.effect("asks only for the markets of the exchange and type of a name that is meant", () => {
    const fake = namesApi()
    return Effect.gen(function* () {
      const markets = yield* Discover.names(Timeseries.marketTrades, "markets", "a-btcusd-spot")
      assert.deepStrictEqual(markets, [{ name: "a-btc-usd-spot", full_name: undefined }])
      assert.deepStrictEqual(yield* fake.requests, ["/reference-data/markets?page_size=10000&exchange=a&type=spot"])
    }).pipe(provided(fake))
  })

  it.effect("are none where nothing lists them, and then nothing is asked", () => {
    const fake = namesApi()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* Discover.names(Timeseries.assetMetrics, "frequency"), [])
      assert.deepStrictEqual(yield* Discover.names(Timeseries.defiBalanceSheets, "defi_protocols"), [])
      assert.deepStrictEqual(yield* Discover.names(Timeseries.assetMetrics, "toString"), [])
      assert.deepStrictEqual(yield* fake.requests, [])
    }).pipe(provided(fake))
  })
})

describe("Discover.available", () => {
  it.effect("tells metrics and frequencies with their times, or the times alone, as a series has them", () => {
    const fake = catalogsApi()
    return Effect.gen(function* () {
      const { max_time, min_time } = range("1d")
      const daily = yield* Discover.available(Timeseries.assetMetrics, ["ada"])
      assert.deepStrictEqual(daily[0], { entity: "ada", metric: "PriceUSD", frequency: "1d", min_time, max_time })
      const [trades] = yield* Discover.available({ path: "/timeseries-stream/market-trades" }, ["b", "a"])
      assert.deepStrictEqual(
        [trades?.entity, trades?.metric, trades?.frequency],
        ["a-btc-usd-spot", undefined, undefined]
      )
      assert.deepStrictEqual(yield* Discover.available(Timeseries.defiBalanceSheets, ["x"]), [])
      assert.deepStrictEqual([Timeseries.assetMetrics, Timeseries.defiBalanceSheets].map(Discover.isCatalogued), [
        true,
        false
      ])
      assert.deepStrictEqual(yield* fake.requests, [
        "/catalog-v2/asset-metrics?page_size=10000&assets=ada",
        "/catalog-v2/market-trades?page_size=10000&markets=a,b"
      ])
    }).pipe(provided(fake))
  })
})
