/**
 * What the tests of the official Python client ask the service for, and what they assert of its replies: each line a test, or several
 * that ask alike. Written from reading them; their own code is not here.
 *
 * Left out are tests that no service but the real one can pass, because they name what it has: markets that were traded for a day, a
 * metric of slippage, more than a hundred metrics of one asset, an account, transactions and a fork of a chain, a market whose
 * liquidations and open interest are streamed, and what happened within the last hour.
 */
import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import * as TestMode from "../../core/test/TestMode.ts"
import { envelope, fetch, get, pages, type Row } from "./Harness.ts"
import { open, records } from "./LiveHarness.ts"

/** Asserts something of the records of a reply. */
interface Claim {
  readonly path: string
  /** How many tests claim it. */
  readonly tests?: number
  /** So many records, or so many at least. */
  readonly count?: number
  readonly least?: number
  /** Every record has these. */
  readonly has?: string
  /** No record has others. */
  readonly only?: string
  /** All pages are read, not the first alone. */
  readonly isWhole?: true
  /** Takes long, and something much like it is claimed of another path. */
  readonly isLong?: true
  readonly holds?: (records: ReadonlyArray<Row>) => boolean
}

const words = (text: string | undefined) => (text ?? "").split(" ").filter((word) => word !== "")

const first = (names: string) => (all: ReadonlyArray<Row>) => words(names).every((name) => name in (all[0] ?? {}))

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0)

/** Rows of the table that the Python client makes of a catalog: one for each item of each frequency. */
const expanded = (list: string) => (all: ReadonlyArray<Row>) =>
  all
    .flatMap(({ frequencies }) => (Array.isArray(frequencies) ? (frequencies as ReadonlyArray<Row>) : []))
    .reduce((sum, entry) => sum + lengthOf(entry[list]), 0)

const moreThan = (least: number, list: string) => (all: ReadonlyArray<Row>) => expanded(list)(all) > least

const times = "market min_time max_time"

const kinds = ["trades", "quotes", "funding-rates", "openinterest", "liquidations", "contract-prices"]

const spans = ["greeks", "implied-volatility"]

const both = ["catalog-v2", "catalog-all-v2"]

const metric = "metric full_name description product category subcategory unit data_type display_name"

const day = "2022-06-01T00:00:00Z"

const assetMetrics = "/timeseries/asset-metrics?paging_from=start"

const supply = `${assetMetrics}&assets=eth,algo,btc&metrics=SplyFF&format=json`

const rates = `${assetMetrics}&metrics=ReferenceRateUSD`

const candles = "/timeseries/market-candles?paging_from=start&page_size=1000&start_time=2022-01-01"

const until = "&end_time=2022-03-01&end_inclusive=false"

const volumes = `volume_reported_spot_usd_1d,volume_trusted_spot_usd_1d&start_time=${day}`

const claims: ReadonlyArray<Claim> = [
  // Catalogs.
  ...kinds.map((kind): Claim => ({ path: `/catalog-all/market-${kind}?exchange=binance`, least: 1, only: times })),
  ...spans.map((kind): Claim => ({ path: `/catalog/market-${kind}`, least: 101, has: times, only: times })),
  { path: "/catalog-all/market-implied-volatility", least: 101, has: times },
  { path: "/catalog-all/market-orderbooks?exchange=binance", least: 1, only: `${times} depths` },
  {
    path: "/catalog/market-orderbooks?markets=binance-BTCUSDT-future",
    holds: ([row]) => lengthOf(row?.["depths"]) > 1
  },
  ...["trades", "quotes", "funding-rates", "openinterest", "liquidations"].map((kind): Claim => ({
    path: `/catalog/market-${kind}`,
    least: 101
  })),
  { path: "/catalog/markets?exchange=coinbase", least: 11 },
  { path: "/catalog/market-metrics?exchange=coinbase", tests: 2, least: 21 },
  { path: "/catalog/market-candles?exchange=coinbase", least: 51 },
  { path: "/catalog-all/pair-candles", tests: 2, least: 11, only: "pair frequencies" },
  { path: "/catalog/metrics", tests: 2, holds: moreThan(100, "assets") },
  { path: "/catalog/asset-metrics", tests: 2, holds: moreThan(100, "assets") },
  { path: "/catalog/exchange-metrics", tests: 2, holds: moreThan(10, "exchanges") },
  { path: "/catalog/exchange-asset-metrics", tests: 2, holds: moreThan(20, "exchange_assets") },
  { path: "/catalog/pair-metrics", tests: 2, holds: moreThan(100, "pairs") },
  { path: "/catalog/institution-metrics", tests: 2, holds: moreThan(20, "institutions") },
  { path: "/catalog/institutions", holds: (all) => all.reduce((sum, row) => sum + lengthOf(row["metrics"]), 0) > 10 },
  { path: "/catalog/pairs", least: 6 },
  { path: "/catalog/indexes", least: 11 },
  { path: "/catalog/index-candles", least: 11 },
  {
    path: "/catalog/exchanges?exchanges=binance",
    holds: ([row]) => lengthOf(row?.["metrics"]) > 1 && lengthOf(row?.["markets"]) > 1
  },
  { path: "/catalog/asset-alerts", least: 1, has: "conditions" },
  ...["catalog", "catalog-all"].flatMap((root): ReadonlyArray<Claim> => [
    { path: `/${root}/asset-chains`, least: 2 },
    { path: `/${root}/mempool-feerates`, least: 1 },
    { path: `/${root}/mining-pool-tips-summary`, least: 1 },
    { path: `/${root}/transaction-tracker`, least: 2 }
  ]),
  // Catalogs of the second version.
  ...both.flatMap((root): ReadonlyArray<Claim> => [
    ...[...kinds, ...spans, "funding-rates-predicted"].map((kind): Claim => ({
      path: `/${root}/market-${kind}?page_size=10`,
      count: 10,
      has: times
    })),
    { path: `/${root}/market-candles?page_size=10`, count: 10, has: "market frequencies" },
    { path: `/${root}/market-orderbooks?page_size=10`, count: 10, has: "market depths" },
    { path: `/${root}/market-metrics?page_size=10`, count: 10, has: "market metrics" },
    { path: `/${root}/asset-metrics?page_size=10`, count: 10, has: "asset metrics" },
    { path: `/${root}/exchange-metrics?page_size=10`, count: 10, has: "exchange metrics" },
    { path: `/${root}/exchange-asset-metrics?page_size=10`, count: 10, has: "exchange_asset metrics" },
    { path: `/${root}/pair-metrics?page_size=10`, count: 10, has: "pair metrics" },
    { path: `/${root}/institution-metrics?page_size=10`, least: 1, has: "institution metrics" },
    { path: `/${root}/pair-candles?page_size=10`, least: 1, has: "pair frequencies" },
    { path: `/${root}/index-candles?page_size=10`, least: 1, has: "index frequencies" },
    ...["asset-chains", "mempool-feerates", "transaction-tracker"].map((kind): Claim => ({
      path: `/${root}/${kind}?page_size=10`,
      least: 1,
      has: "asset min_time max_time"
    }))
  ]),
  { path: "/catalog-v2/index-levels?page_size=10", least: 1, has: "index frequencies" },
  ...[
    "market-trades?markets=coinbase-btc-usd-spot",
    "market-openinterest?markets=binance-BTCUSDT-future",
    "asset-metrics?assets=btc&metrics=PriceUSD",
    "exchange-metrics?exchanges=binance&metrics=volume_reported_spot_usd_1h",
    "exchange-asset-metrics?exchange_assets=binance-btc&metrics=volume_reported_spot_usd_1h",
    "pair-metrics?pairs=btc-usd&metrics=volume_reported_spot_usd_1h",
    "institution-metrics?institutions=grayscale",
    "pair-candles?pairs=btc-usd",
    "index-candles?indexes=CMBI10"
  ].map((path): Claim => ({ path: `/catalog-v2/${path}`, tests: 0, count: 1 })),
  // Reference data, profiles, the security master, constituents.
  { path: "/reference-data/pair-metrics", holds: first(`${metric} type`) },
  { path: "/reference-data/institution-metrics", holds: first(`${metric} type`) },
  { path: "/reference-data/exchange-asset-metrics", tests: 2, holds: first(`${metric} type`) },
  { path: "/reference-data/exchange-metrics", holds: first(`${metric} type`) },
  { path: "/reference-data/market-metrics", holds: first(metric) },
  { path: "/reference-data/assets", holds: first("asset full_name") },
  { path: "/reference-data/indexes", holds: first("index full_name description type") },
  { path: "/reference-data/pairs", holds: first("pair full_name") },
  { path: "/reference-data/markets", holds: first("market exchange type") },
  { path: "/profile/assets", least: 11 },
  { path: "/profile/assets?assets=1inch", tests: 0, holds: ([row]) => row?.["asset"] === "1inch" },
  { path: "/security-master/markets", holds: first("market exchange type") },
  { path: "/security-master/assets?assets=btc", holds: ([row]) => row?.["type"] === "utxo" },
  {
    path: "/constituent-snapshots/asset-metrics?metric=volume_trusted_spot_usd_1d",
    least: 1,
    has: "time exchange",
    isWhole: true
  },
  {
    path: "/constituent-timeframes/asset-metrics?metric=volume_trusted_spot_usd_1d",
    least: 1,
    has: "exchange start_time end_time",
    isWhole: true
  },
  { path: "/blockchain-metadata/owners", holds: first("owner_name") },
  { path: "/blockchain-metadata/locations", tests: 0, holds: first("location") },
  { path: "/blockchain-metadata/tags", tests: 0, holds: first("tag") },
  // Time series.
  {
    path: "/timeseries/pair-candles?pairs=btc-usd,eth-usd,sol-usd&paging_from=start",
    least: 1,
    only: "pair time price_open price_close price_high price_low"
  },
  {
    path: "/timeseries/defi-balance-sheets?defi_protocols=aave_v2_eth",
    least: 101,
    isWhole: true,
    holds: (all) => all.every((row) => row["defi_protocol"] === "aave_v2_eth")
  },
  {
    path: `/timeseries/market-trades?paging_from=start&markets=coinbase-eth-usdc-spot,coinbase-eth-btc-spot&start_time=${day}&end_time=2022-06-01T00:01:00Z`,
    tests: 2,
    least: 2,
    holds: (all) => new Set(all.map(({ market }) => market)).size === 2
  },
  { path: `${assetMetrics}&assets=btc&metrics=${volumes}&end_time=2022-06-04T03:20:00Z`, tests: 4, count: 4 },
  { path: `${assetMetrics}&assets=btc,eth&metrics=${volumes}&end_time=2022-06-04T00:20:00Z`, tests: 1, count: 8 },
  {
    path: `${rates}&assets=btc,eth,algo&frequency=1m&start_time=${day}&end_time=2022-06-01T00:20:00Z`,
    tests: 4,
    count: 63
  },
  { path: `${rates}&assets=btc,eth&frequency=1h&start_time=${day}&end_time=2022-06-02T00:00:00Z`, count: 50 },
  { path: `${candles}&markets=coinbase-eth-usdc-spot${until}`, tests: 2, count: 59, isLong: true },
  { path: `${candles}&markets=coinbase-eth-usdc-spot,coinbase-eth-btc-spot${until}`, count: 118, isLong: true },
  {
    path: `${assetMetrics}&assets=btc&metrics=ReferenceRateUSD,AdrActCnt&page_size=1000&start_time=2022-01-01${until}`,
    count: 59
  },
  {
    path: `${rates}&assets=btc&frequency=1m&start_time=2023-03-01&end_time=2023-03-02&end_inclusive=false`,
    least: 100
  },
  { path: `${supply}&limit_per_asset=1&start_time=2022-02-01T00:00:00&end_time=2022-02-01T00:00:00`, count: 3 },
  { path: `${supply}&limit_per_asset=100&start_time=2021-01-01&end_time=2022-02-01`, count: 300, isWhole: true },
  {
    path: `${rates}&assets=eth&start_time=2021-01-01T00:00:00&end_time=2022-02-01T00:00:00`,
    count: 397,
    isWhole: true
  },
  { path: `${rates}&assets=eth&start_time=2020-01-01&frequency=1d`, least: 100 },
  {
    path: "/blockchain-v2/btc/blocks?asset=btc&start_time=2023-09-07&end_time=2023-09-22&page_size=10000&end_inclusive=false",
    least: 2001
  },
  { path: "/blockchain-v2/btc/blocks?asset=btc&start_height=10&end_height=100&end_inclusive=false", count: 90 }
]

/** Streams, what is asked of them, and what each of their first records has. */
const streams: ReadonlyArray<readonly [path: string, has: string]> = [
  ["index-levels?indexes=CMBIBTC,CMBIETH", "index time level"],
  ["market-trades?markets=coinbase-btc-usd-spot", "market time coin_metrics_id amount price collect_time side"],
  ["market-orderbooks?markets=binance-btc-usdt-spot", "market time coin_metrics_id asks bids type collect_time"],
  [
    `market-quotes?markets=${TestMode.isLong ? "*" : "gemini-*"}`,
    "market time coin_metrics_id ask_price ask_size bid_price bid_size"
  ],
  ["asset-metrics?assets=btc&metrics=ReferenceRateUSD&frequency=1s", "time asset ReferenceRateUSD"],
  [
    "market-candles?markets=coinbase-btc-usd-spot&frequency=1m",
    "market time price_open price_close price_high price_low vwap volume candle_usd_volume candle_trades_count"
  ],
  ["pair-quotes?pairs=btc-usdt", "pair time ask_price mid_price"],
  ["asset-quotes?assets=btc", "pair time ask_price ask_size bid_price mid_price"]
]

describe("What the tests of the official Python client ask for", () => {
  it.effect("is answered as they assert", () =>
    Effect.gen(function* () {
      for (const { count, has, holds, isLong, isWhole, least, only, path } of claims) {
        // Catalogs have tests of their own.
        if (!TestMode.isLong && (isLong === true || path.startsWith("/catalog"))) continue
        const all = isWhole === true ? (yield* pages(path)).flat() : envelope(yield* get(path)).data
        if (count !== undefined) assert.strictEqual(all.length, count, path)
        if (least !== undefined) assert.isAtLeast(all.length, least, path)
        for (const row of all) {
          assert.includeMembers(Object.keys(row), words(has), path)
          if (only !== undefined) assert.includeMembers(words(only), Object.keys(row), path)
        }
        if (holds !== undefined) assert.isTrue(holds(all), path)
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("is refused as they assert: an unknown key, and an address that is too long", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      assert.strictEqual((yield* fetch(`${url}/catalog/markets?api_key=Invalid%20API%20Key`)).status, 401)
      const { data } = envelope(yield* get("/reference-data/markets?page_size=1000"))
      const markets = data.map(({ market }) => market).join()
      assert.strictEqual((yield* get(`/catalog/markets?markets=${markets}`)).status, 414)
      const [{ tag } = {}] = envelope(yield* get("/blockchain-metadata/tags")).data
      assert.isTrue(first("entity")(envelope(yield* get(`/blockchain-metadata/tagged-entities?tags=${tag}`)).data))
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("is streamed as they assert", () =>
    Effect.gen(function* () {
      for (const [path, has] of streams) {
        const seen = yield* open(`/timeseries-stream/${path}`)
        yield* TestClock.adjust("1 millis")
        const [row = {}] = records(seen)
        assert.includeMembers(Object.keys(row), words(`${has} cm_sequence_id`), path)
        assert.isAtLeast(Number(row["cm_sequence_id"]), 0)
      }
    }).pipe(Effect.scoped, Effect.provide(Sandbox.layerMemory({ live: true })))
  )
})
