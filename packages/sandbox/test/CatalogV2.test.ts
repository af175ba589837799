import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as TestMode from "../../core/test/TestMode.ts"
import { envelope, fetch, get, lines, pages, refused, type Row, rows } from "./Harness.ts"

interface Listed {
  readonly name: string
  /** The fields that name a record, in the order of the list. */
  readonly id: ReadonlyArray<string>
  readonly required: ReadonlyArray<string>
  readonly optional?: ReadonlyArray<string>
  readonly least: number
  /** Narrows to a part of the list. */
  readonly query: string
  readonly paidOnly?: true
  /** Much like another catalog of markets, which is read whole: this one only in a long run. */
  readonly isAlike?: true
}

const times = ["min_time", "max_time"]

const ofMetrics = (id: string, query: string, least: number): Listed => ({
  name: `${id.replace("_", "-")}-metrics`,
  id: [id],
  required: ["metrics"],
  query,
  least
})

const ofMarkets = (kind: string, least: number, required = times): Listed => ({
  name: `market-${kind}`,
  id: ["market"],
  required,
  query: "exchange=okex",
  least
})

/** Much like another catalog of markets. */
const alike = (kind: string, required = times): Listed => ({
  ...ofMarkets(kind, TestMode.times(300, 10_000), required),
  isAlike: true
})

const ofChains = (name: string, optional: ReadonlyArray<string> = []): Listed => ({
  name,
  id: ["asset"],
  required: times,
  optional,
  query: "assets=btc,eth",
  least: 1,
  paidOnly: true
})

const all: ReadonlyArray<Listed> = [
  ofMetrics("asset", "assets=btc,eth,1inch", 300),
  ofMetrics("exchange", "exchanges=kraken,talos:coinbase", 60),
  ofMetrics("exchange_asset", "exchange_assets=kraken-btc,kraken-eth", 1000),
  ofMetrics("exchange_pair", "exchange_pairs=kraken-btc-usdt,kraken-eth-usdt", 1000),
  ofMetrics("pair", "pairs=btc-usd,eth-usd", 1000),
  ofMetrics("institution", "institutions=grayscale,osprey", 3),
  alike("metrics", ["metrics"]),
  {
    name: "protocol-metrics",
    id: ["protocol", "market", "chain"],
    required: ["metrics"],
    query: "chains=eth,base&protocols=aave_v3",
    least: 50,
    paidOnly: true
  },
  ofMarkets("trades", 10_000),
  alike("candles", ["frequencies"]),
  alike("orderbooks", ["depths"]),
  alike("quotes"),
  ofMarkets("funding-rates", 500),
  ofMarkets("funding-rates-predicted", 500),
  ofMarkets("contract-prices", 1000),
  ofMarkets("implied-volatility", 500),
  ofMarkets("greeks", 500),
  ofMarkets("openinterest", 1000),
  ofMarkets("liquidations", 500),
  { name: "pair-candles", id: ["pair"], required: ["frequencies"], query: "pairs=btc-usd,eth-usd", least: 1000 },
  { name: "index-levels", id: ["index"], required: ["frequencies"], query: "indexes=CMBI10,CMBIBTC", least: 100 },
  { name: "index-candles", id: ["index"], required: ["frequencies"], query: "indexes=CMBI10,CMBIBTC", least: 100 },
  ...["asset-chains", "mempool-feerates", "mining-pool-tips-summary", "transaction-tracker"].map((name) =>
    ofChains(name)
  ),
  ...["accounts", "balance-updates", "rebasing-changes", "blocks", "transactions"].map((name) =>
    ofChains(`blockchain-v2/${name}`, ["experimental"])
  )
]

/** How much of a catalog is read. */
const extentOf = (query: string) => (query === "" ? "all of" : `the part ${query} of`)

const idOf = ({ id }: Listed, row: Row) => id.map((field) => String(row[field])).join(" ")

const isTime = (text: unknown) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/.test(String(text))

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
  it("has 31 names", () => {
    assert.strictEqual(new Set(all.map(({ name }) => name)).size, 31)
  })

  for (const listed of all) {
    const { id, isAlike, least, name, optional = [], query, required } = listed

    const part = isAlike === true && !TestMode.isLong ? query : ""

    it.effect(
      `lists ${extentOf(part)} ${name} in order, each with its fields and spans that do not run backwards`,
      () =>
        Effect.gen(function* () {
          const data = yield* whole(name, part)
          assert.isAtLeast(data.length, least)
          const ids = data.map((row) => idOf(listed, row))
          assert.isTrue(ids.every((own, n) => n === 0 || (ids[n - 1] ?? "") < own))
          for (const row of data) {
            const missing = [...id, ...required].filter((key) => row[key] === undefined)
            const unknown = Object.keys(row).filter((key) => ![...id, ...required, ...optional].includes(key))
            if (missing.length + unknown.length > 0) assert.fail(`${missing} ${unknown} in ${JSON.stringify(row)}`)
            for (const { max_time, min_time } of spans(row)) {
              if (!isTime(min_time) || !isTime(max_time) || String(min_time) > String(max_time)) {
                assert.fail(`times of ${JSON.stringify(row)}`)
              }
            }
          }
          assert.isNotEmpty(spans(data.slice(0, 20)))
        }).pipe(memory)
    )

    it.effect(`pages ${name} from either end, and as lines, with the same records`, () =>
      Effect.gen(function* () {
        const expected = yield* whole(name, query)
        assert.isNotEmpty(expected)
        const size = Math.max(1, Math.ceil(expected.length / 3))
        const forward = yield* pages(`/catalog-v2/${name}?${query}&page_size=${size}`)
        assert.deepStrictEqual(forward.flat(), [...expected])
        const backward = yield* pages(`/catalog-v2/${name}?${query}&page_size=${size}&paging_from=end`)
        assert.deepStrictEqual(backward.toReversed().flat(), [...expected])
        assert.strictEqual(forward.length, Math.ceil(expected.length / size))
      }).pipe(memory)
    )

    it.effect(
      `${listed.paidOnly === true ? "refuses" : "offers"} ${name} at the community root, in both catalogs`,
      () =>
        Effect.gen(function* () {
          const { communityUrl } = yield* Sandbox.Sandbox
          for (const catalog of ["catalog-v2", "catalog-all-v2"]) {
            const answer = yield* fetch(`${communityUrl}/${catalog}/${name}?${query}`)
            if (listed.paidOnly === true) refused(answer, 403, "forbidden")
            else assert.isNotEmpty(envelope(answer).data)
          }
        }).pipe(memory)
    )
  }

  it.effect("is the full catalog for a key that may read everything", () =>
    Effect.gen(function* () {
      for (const { name, query } of all) {
        const own = yield* get(`/catalog-v2/${name}?${query}&format=json_stream`)
        assert.strictEqual(own.text, (yield* get(`/catalog-all-v2/${name}?${query}&format=json_stream`)).text, name)
      }
    }).pipe(memory)
  )

  it.effect("lists of each entity the metrics that the deprecated catalog lists, and leaves out what has none", () =>
    Effect.gen(function* () {
      for (const [name, older, id, query = ""] of [
        ["asset-metrics", "assets", "asset"],
        ["exchange-metrics", "exchanges", "exchange"],
        ["exchange-asset-metrics", "exchange-assets", "exchange_asset"],
        ["pair-metrics", "pairs", "pair"],
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
      for (const { name } of all.filter(({ id, name }) => id[0] === "market" && !/metrics|predicted/.test(name))) {
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
        const [first, all] = [yield* rows(path), yield* rows(`${path}?page_size=10000`)]
        assert.deepStrictEqual(first, all.slice(0, Number(catalogPage)))
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
