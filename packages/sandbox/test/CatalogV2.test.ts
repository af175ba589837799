import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { get, lines, refused, type Row, rows } from "./Harness.ts"

/** Every span in a record, however deep. */
const spans = (value: unknown): ReadonlyArray<Row> => {
  if (Array.isArray(value)) return value.flatMap(spans)
  if (typeof value !== "object" || value === null) return []
  // Type boundary: the tests look at what was sent, whatever it is.
  const row = value as Row
  return [...("min_time" in row ? [row] : []), ...Object.values(row).flatMap(spans)]
}

/** Names of the metrics of a record. */
const names = (row: Row | undefined) => ((row?.["metrics"] ?? []) as ReadonlyArray<Row>).map(({ metric }) => metric)

const memory = Effect.provide(Sandbox.layerMemory())

const whole = (name: string, query = "") => Effect.map(get(`/catalog-v2/${name}?format=json_stream&${query}`), lines)

describe("Catalog v2", () => {
  it.effect("lists of each entity the metrics that the deprecated catalog lists, and leaves out what has none", () =>
    Effect.gen(function* () {
      for (const [name, older, id, query = ""] of [
        ["asset-metrics", "assets", "asset", "assets=btc,eth,1inch,usdc_base"],
        ["exchange-metrics", "exchanges", "exchange"],
        ["exchange-asset-metrics", "exchange-assets", "exchange_asset", "exchange_assets=kraken-btc,kraken-eth"],
        ["pair-metrics", "pairs", "pair", "pairs=btc-usd,eth-usd,usdt_base-usd"],
        ["institution-metrics", "institutions", "institution"],
        ["market-metrics", "market-metrics", "market", "exchange=kraken"]
      ] as const) {
        const known = (yield* rows(`/catalog/${older}?${query}`)).flatMap(({ [id]: entity, metrics }) =>
          Array.isArray(metrics) && metrics.length > 0 ? [{ [id]: entity, metrics }] : []
        )
        assert.deepStrictEqual(yield* whole(name, query), known, name)
      }
    }).pipe(memory)
  )

  it.effect("has the spans of the deprecated catalogs of markets; order books have theirs by depth alone", () =>
    Effect.gen(function* () {
      for (const name of ["market-trades", "market-candles", "market-orderbooks"]) {
        const known = yield* rows(`/catalog/${name}?exchange=deribit`)
        const expected =
          name === "market-orderbooks" ? known.map(({ depths, market }) => ({ market, depths })) : [...known]
        assert.isNotEmpty(expected)
        assert.deepStrictEqual(yield* whole(name, "exchange=deribit"), expected, name)
      }
    }).pipe(memory)
  )

  it.effect("tells the first and the last time that the series has", () =>
    Effect.gen(function* () {
      const [btc] = yield* whole("asset-metrics", "assets=btc&metrics=PriceUSD")
      for (const { frequency, max_time, min_time } of spans(btc)) {
        const series = `/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&frequency=${String(frequency)}&page_size=1`
        const [first] = yield* rows(`${series}&paging_from=start`)
        const [last] = yield* rows(`${series}&paging_from=end`)
        assert.deepStrictEqual([first?.["time"], last?.["time"]], [min_time, max_time])
      }
    }).pipe(memory)
  )

  it.effect("lists the markets that have data within a range of time", () =>
    Effect.gen(function* () {
      const every = yield* whole("market-trades", "exchange=deribit&type=option")
      const max = every.map((row) => String(row["max_time"])).toSorted()
      const bound = max[Math.floor(max.length / 2)] ?? ""
      const named = (query: string) =>
        Effect.map(whole("market-trades", `exchange=deribit&type=option&${query}`), (found) =>
          found.map((row) => row["market"])
        )
      const having = (keep: (row: Row) => boolean) => every.filter(keep).map((row) => row["market"])
      const later = having((row) => String(row["max_time"]) >= bound)
      assert.isAbove(later.length, 0)
      assert.isBelow(later.length, every.length)
      assert.deepStrictEqual(yield* named(`start_time=${bound}`), later)
      assert.deepStrictEqual(
        yield* named(`start_time=${bound}&start_inclusive=false`),
        having((row) => String(row["max_time"]) > bound)
      )
      assert.deepStrictEqual(
        yield* named(`end_time=${bound}`),
        having((row) => String(row["min_time"]) <= bound)
      )
      assert.deepStrictEqual(yield* named("start_time=2040-01-01"), [])
    }).pipe(memory)
  )

  it.effect("keeps the metrics that are asked for, and the entities that have one of them", () =>
    Effect.gen(function* () {
      const two = yield* whole("asset-metrics", "metrics=PriceUSD,TxERC1155Cnt")
      assert.deepStrictEqual(names(two.find(({ asset }) => asset === "eth")), ["PriceUSD", "TxERC1155Cnt"])
      assert.deepStrictEqual(names(two.find(({ asset }) => asset === "btc")), ["PriceUSD"])
      assert.deepStrictEqual(
        (yield* whole("asset-metrics", "metrics=TxERC1155Cnt")).map(({ asset }) => asset),
        ["eth"]
      )
      const reviewed = yield* whole("asset-metrics", "assets=btc&reviewable=true")
      const others = yield* whole("asset-metrics", "assets=btc&reviewable=false")
      const every = yield* whole("asset-metrics", "assets=btc")
      assert.sameMembers([...names(reviewed[0]), ...names(others[0])], [...names(every[0])])
      assert.isNotEmpty(names(reviewed[0]))
    }).pipe(memory)
  )

  it.effect("leaves out what the licence excludes, while the full catalog lists it", () =>
    Effect.gen(function* () {
      const key = "sandbox-limited"
      const query = "assets=btc&metrics=SplyBMXNtv"
      assert.deepStrictEqual(yield* rows(`/catalog-v2/asset-metrics?${query}`, { key }), [])
      assert.strictEqual((yield* rows(`/catalog-all-v2/asset-metrics?${query}`, { key })).length, 1)
    }).pipe(memory)
  )

  it.effect.each(["100", "10000"] as const)("has %s records on a page where none is said", (catalogPage) =>
    Effect.gen(function* () {
      for (const path of ["/catalog-v2/market-trades", "/catalog-all-v2/market-trades"]) {
        assert.lengthOf(yield* rows(path), Number(catalogPage))
      }
      assert.lengthOf(yield* rows("/reference-data/assets"), 100)
    }).pipe(Effect.provide(Sandbox.layerMemory({ dialect: { catalogPage } })))
  )

  const unknown: ReadonlyArray<readonly [path: string, message: string]> = [
    ["asset-metrics?assets=nosuch", "Bad parameter 'assets'. Value 'nosuch' is not supported."],
    ["asset-metrics?metrics=nosuch", "Bad parameter 'metrics'. Value 'nosuch' is not supported."],
    ["asset-metrics?reviewable=maybe", "Bad parameter 'reviewable'. Value 'maybe' is not supported."],
    ["exchange-metrics?exchanges=nosuch", "Bad parameter 'id'. Exchange 'nosuch' is not supported."],
    ["exchange-pair-metrics?exchange_pairs=a-b-c", "Bad parameter 'exchange_pairs'. Value 'a-b-c' is not supported."],
    ["market-metrics?markets=x", "Bad parameter 'markets'. Market 'x' is not supported."],
    ["market-greeks?type=swap", "Bad parameter 'type'. Value 'swap' is not supported."],
    ["protocol-metrics?chains=moon", "Bad parameter 'chains'. Value 'moon' is not supported."],
    ["blockchain-v2/blocks?assets=nosuch", "Bad parameter 'assets'. Value 'nosuch' is not supported."],
    ["index-levels?page_size=10001", "Bad parameter 'page_size'. Must be at most 10000."]
  ]

  for (const [path, message] of unknown) {
    it.effect(`refuses ${path} in both catalogs`, () =>
      Effect.gen(function* () {
        for (const catalog of ["catalog-v2", "catalog-all-v2"]) {
          refused(yield* get(`/${catalog}/${path}`), 400, "bad_parameter", message)
        }
      }).pipe(memory)
    )
  }
})
