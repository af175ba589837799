import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { get, refused, type Row, rows } from "./Harness.ts"

interface Entry {
  readonly frequency: string
  readonly min_time: string
  readonly max_time: string
  readonly [field: string]: unknown
}

interface Covered {
  readonly metric: string
  readonly frequencies: ReadonlyArray<Entry>
}

// Type boundary: the tests look at what was sent, whatever it is.
const metricsOf = (row: Row | undefined) => (row?.["metrics"] ?? []) as ReadonlyArray<Covered>

const fieldsOf = (entry: Entry | undefined) => Object.keys(entry ?? {}).sort()

const ids = (path: string, field: string) =>
  Effect.map(rows(path), (records) => records.map((record) => String(record[field])))

const parts = (query: string) =>
  Effect.map(rows(`/catalog/assets?assets=btc&${query}`), ([row]) =>
    ["metrics", "markets", "exchanges"].filter((part) => row?.[part] !== undefined)
  )

const bad = (name: string, detail: string) => `Bad parameter '${name}'. ${detail}`
const no = (name: string, value: string) => bad(name, `Value '${value}' is not supported.`)

describe("Catalog records", () => {
  for (const asset of ["btc", "eth", "usdt", "1inch"]) {
    it.effect(`tell the true times of every series of ${asset}`, () =>
      Effect.gen(function* () {
        const [row] = yield* rows(`/catalog/assets?assets=${asset}&include=metrics`)
        for (const { frequencies, metric } of metricsOf(row)) {
          for (const entry of frequencies) {
            const query = `assets=${asset}&metrics=${metric}&frequency=${entry.frequency}&page_size=1`
            const at = `${metric} ${entry.frequency}`
            const [first] = yield* rows(`/timeseries/asset-metrics?${query}&paging_from=start`)
            const [last] = yield* rows(`/timeseries/asset-metrics?${query}&paging_from=end`)
            assert.deepStrictEqual([entry.min_time, entry.max_time], [first?.["time"], last?.["time"]], at)
            assert.strictEqual(entry["min_height"], first?.["height"], at)
            assert.strictEqual(entry["max_height"], last?.["height"], at)
            assert.strictEqual(entry["min_hash"], first?.["block_hash"], at)
            assert.strictEqual(entry["max_hash"], last?.["block_hash"], at)
          }
        }
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )
  }

  it.effect("name blocks where a series has them, and the community where a day is for everybody", () =>
    Effect.gen(function* () {
      const [row] = yield* rows("/catalog/assets?assets=btc")
      const entries = new Map(metricsOf(row).map(({ frequencies, metric }) => [metric, frequencies]))
      const entry = (metric: string, frequency: string) =>
        entries.get(metric)?.find((entry) => entry.frequency === frequency)
      const span = ["frequency", "max_time", "min_time"]
      const blocks = ["max_hash", "max_height", "min_hash", "min_height"]
      assert.deepStrictEqual(fieldsOf(entry("TxCnt", "1b")), [...span, ...blocks].sort())
      assert.deepStrictEqual(fieldsOf(entry("TxCnt", "1d")), ["community", ...span])
      assert.deepStrictEqual(fieldsOf(entry("NVTAdj", "1d")), span)
      assert.deepStrictEqual(fieldsOf(entry("PriceUSD", "1h")), span)
      assert.strictEqual(row?.["atlas"], true)
      assert.include(row?.["exchanges"], "kraken")
      assert.include(row?.["markets"], "kraken-btc-usdt-spot")
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("read the same from the metric as from what has it", () =>
    Effect.gen(function* () {
      const kinds = [
        ["asset-metrics", "assets", "assets", "asset"],
        ["exchange-metrics", "exchanges", "exchanges", "exchange"],
        ["exchange-asset-metrics", "exchange-assets", "exchange_assets", "exchange_asset"],
        ["pair-metrics", "pairs", "pairs", "pair"],
        ["institution-metrics", "institutions", "institutions", "institution"]
      ] as const
      for (const [byMetric, byHolder, list, id] of kinds) {
        const seen = new Map<string, Array<string>>()
        for (const row of yield* rows(`/catalog/${byHolder}`)) {
          for (const { frequencies, metric } of metricsOf(row)) {
            for (const { frequency } of frequencies) {
              const key = `${metric} ${frequency}`
              seen.set(key, [...(seen.get(key) ?? []), String(row[id])])
            }
          }
        }
        const told = (yield* rows(`/catalog/${byMetric}`)).flatMap((row) =>
          (row["frequencies"] as ReadonlyArray<Row>).map(
            (entry) => [`${String(row["metric"])} ${String(entry["frequency"])}`, entry[list]] as const
          )
        )
        assert.deepStrictEqual(new Map<string, unknown>(told), new Map<string, unknown>(seen), byMetric)
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("of metrics are those of asset-metrics without the product", () =>
    Effect.gen(function* () {
      const older = yield* rows("/catalog/metrics?metrics=PriceUSD,FlowInExUSD")
      const newer = yield* rows("/catalog/asset-metrics?metrics=PriceUSD,FlowInExUSD")
      assert.deepStrictEqual(
        older.map((row) => ({ ...row, product: "x" })),
        newer.map((row) => ({ ...row, product: "x" }))
      )
      assert.isUndefined(older[0]?.["product"])
      assert.isDefined(newer[0]?.["product"])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("of alerts tell what sets them off", () =>
    Effect.gen(function* () {
      const alerts = yield* rows("/catalog/asset-alerts")
      const conditions = alerts.flatMap((alert) => alert["conditions"] as ReadonlyArray<Row>)
      for (const { constituents, description } of conditions) {
        assert.isString(description)
        assert.isAbove((constituents as ReadonlyArray<string>).length, 0)
      }
      const thresholds = new Set(conditions.map(({ threshold }) => typeof threshold))
      assert.deepStrictEqual([...thresholds].sort(), ["string", "undefined"])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("are found by the three forms of an asset, wherever assets are a filter", () =>
    Effect.gen(function* () {
      for (const name of ["assets", "asset-alerts", "asset-chains", "mempool-feerates"]) {
        const [plain, ...others] = yield* Effect.forEach(["btc", "talos:BTC", "talos:by-id:24"], (id) =>
          rows(`/catalog/${name}?assets=${id}`)
        )
        assert.isAbove(plain?.length ?? 0, 0)
        for (const other of others) assert.deepStrictEqual(other, plain)
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("are narrowed by the filter of their path", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ids("/catalog/asset-metrics?metrics=TxCnt,AdrActCnt", "metric"), [
        "AdrActCnt",
        "TxCnt"
      ])
      assert.deepStrictEqual(yield* ids("/catalog/exchanges?exchanges=talos:kraken,bybit", "exchange"), [
        "bybit",
        "kraken"
      ])
      assert.deepStrictEqual(yield* ids("/catalog/exchange-assets?exchange_assets=kraken-btc", "exchange_asset"), [
        "kraken-btc"
      ])
      assert.deepStrictEqual(yield* ids("/catalog/pairs?pairs=btc-usd", "pair"), ["btc-usd"])
      assert.deepStrictEqual(yield* ids("/catalog/pair-candles?pairs=eth-usd,btc-usd", "pair"), ["btc-usd", "eth-usd"])
      assert.deepStrictEqual(yield* ids("/catalog/institutions?institutions=grayscale", "institution"), ["grayscale"])
      assert.deepStrictEqual(yield* ids("/catalog/indexes?indexes=CMBIBTC", "index"), ["CMBIBTC"])
      assert.deepStrictEqual(yield* ids("/catalog/index-candles?indexes=CMBI10", "index"), ["CMBI10"])
      assert.deepStrictEqual(yield* ids("/catalog/asset-alerts?assets=eth&alerts=block_count_empty_6b_hi", "asset"), [
        "eth"
      ])
      // Known, but without alerts or chain data.
      for (const name of ["asset-alerts", "transaction-tracker"]) {
        assert.deepStrictEqual(yield* rows(`/catalog/${name}?assets=1inch`), [])
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  for (const name of ["metrics", "asset-metrics", "exchange-metrics", "institution-metrics"]) {
    it.effect(`keep the reviewable of ${name}, or the others`, () =>
      Effect.gen(function* () {
        const all = yield* rows(`/catalog/${name}`)
        const yes = yield* rows(`/catalog/${name}?reviewable=true`)
        const no = yield* rows(`/catalog/${name}?reviewable=false`)
        assert.strictEqual(yes.length + no.length, all.length)
        assert.isTrue(yes.every((row) => row["reviewable"] === true))
        assert.isTrue(no.every((row) => row["reviewable"] !== true))
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )
  }

  it.effect("of assets have the parts that are included and not excluded", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* parts(""), ["metrics", "markets", "exchanges"])
      assert.deepStrictEqual(yield* parts("include=metrics,exchanges"), ["metrics", "exchanges"])
      assert.deepStrictEqual(yield* parts("exclude=metrics,markets"), ["exchanges"])
      assert.deepStrictEqual(yield* parts("include=metrics,markets&exclude=metrics"), ["markets"])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  const cases: ReadonlyArray<readonly [path: string, message: string]> = [
    ["assets?assets=btc,sdvwbtc", no("assets", "sdvwbtc")],
    ["assets?assets=talos:NOTHING", no("assets", "talos:NOTHING")],
    ["assets?include=trades", no("include", "trades")],
    ["assets?exclude=metrics,atlas", no("exclude", "atlas")],
    ["asset-metrics?metrics=x", no("metrics", "x")],
    ["asset-metrics?reviewable=1", no("reviewable", "1")],
    ["exchange-metrics?metrics=PriceUSD", no("metrics", "PriceUSD")],
    ["exchanges?exchanges=nowhere", bad("id", "Exchange 'nowhere' is not supported.")],
    ["exchange-assets?exchange_assets=kraken-nothing", no("exchange_assets", "kraken-nothing")],
    ["pairs?pairs=x-y", no("pairs", "x-y")],
    ["pair-candles?pairs=btc-*", no("pairs", "btc-*")],
    ["institutions?institutions=x", no("institutions", "x")],
    ["indexes?indexes=x", no("indexes", "x")],
    ["index-candles?indexes=x", no("indexes", "x")],
    ["asset-alerts?assets=x", no("assets", "x")],
    ["transaction-tracker?assets=x", no("assets", "x")],
    ["institutions?pretty=yes", no("pretty", "yes")],
    ["markets?markets=x", bad("markets", "Market 'x' is not supported.")],
    ["markets?include=greeks", no("include", "greeks")],
    ["markets?exclude=candles", no("exclude", "candles")],
    ["market-trades?exchange=nowhere", bad("exchange", "Exchange 'nowhere' is not supported.")],
    ["market-trades?type=swap", no("type", "swap")],
    ["market-trades?asset=talos:NOTHING", no("asset", "talos:NOTHING")],
    ["market-trades?format=csv", no("format", "csv")],
    ["market-trades?limit=101", bad("limit", "Must be at most 100.")],
    ["market-trades?limit=0", bad("limit", "Must be at least 1.")],
    ["market-trades?limit=all", no("limit", "all")]
  ]
  for (const [path, message] of cases) {
    it.effect(`refuse ${path} in both catalogs`, () =>
      Effect.gen(function* () {
        for (const catalog of ["catalog", "catalog-all"]) {
          refused(yield* get(`/${catalog}/${path}`), 400, "bad_parameter", message)
        }
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )
  }

  it.effect("refuse an alert that does not exist with 404, though the type is that of a 400", () =>
    Effect.gen(function* () {
      refused(yield* get("/catalog/asset-alerts?alerts=x"), 404, "bad_parameter", no("alerts", "x"))
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})
