/**
 * What is read: every endpoint there is, with parameters that ask for a few hundred records at most.
 */
import { type Endpoint, Endpoints, TokenMetrics } from "@sluice/core"
import type { Dialect } from "@sluice/sandbox"
import * as Arbitrary from "effect/Arbitrary"
import * as DateTime from "effect/DateTime"
import * as ExampleParams from "../../../node/test/ExampleParams.ts"
import * as Choice from "./Choice.ts"

/** An endpoint by its path, and how it is asked. */
export interface Target {
  readonly path: string
  /** What is asked for; which records come follows from it alone. */
  readonly content: Readonly<Record<string, unknown>>
  /** How it is asked for: paging and format. */
  readonly paging: {
    readonly format?: "json_stream"
    readonly page_size?: number
    readonly paging_from?: "start" | "end"
    readonly pretty?: boolean
  }
}

/** What is asked for, and about how many records that is. */
interface Content {
  readonly content: Readonly<Record<string, unknown>>
  readonly about: number
}

type Any<A> = Arbitrary.Arbitrary<A>

const byPath = new Map(Endpoints.all.map((endpoint) => [endpoint.path, endpoint]))

/** The endpoint of a target. */
export const endpointOf = ({ path }: Pick<Target, "path">): Endpoint.Any => byPath.get(path)!

/** Whether a target is read page by page. */
export const isPaged = (target: Target): boolean =>
  endpointOf(target).pageSize !== undefined && target.paging.format === undefined

/** The open questions whose answer decides which records there are, and what they hold. */
export const questions = [
  "limit",
  "catalogPage",
  "noValue",
  "flatCandles"
] as const satisfies ReadonlyArray<Dialect.Name>

/** Whether a target is read as pages from the end although its records ascend, because it asks for the latest. */
export const isTurned = ({ content, paging }: Target): boolean =>
  "limit_per_asset" in content && paging.format === undefined && paging.paging_from === undefined

/** What is asked for, with the end from which a limit takes its records: the start where it is read from there. */
export const contentOf = ({ content, paging }: Target): Target["content"] =>
  "limit_per_asset" in content && (paging.format !== undefined || paging.paging_from === "start")
    ? { ...content, paging_from: "start" }
    : content

/** Every path, sorted: the members of a module come in one order from Node.js and in another from Vitest. */
export const paths: ReadonlyArray<string> = [...byPath.keys()].toSorted()

const takes = (path: string, name: string) => byPath.get(path)!.parameters.has(name)

const assets = "ada avax bch bnb btc doge dot etc eth link ltc sol trx uni usdc usdt xlm xrp".split(" ")
const exchanges = "binance bitfinex bitstamp bybit coinbase deribit gemini kraken".split(" ")
const pairs = ["ada-usd", "bch-usd", "btc-usd", "doge-usd", "eth-btc", "eth-usd", "link-usd", "ltc-usd", "sol-usd"]
const markets = [
  "binance-BTCUSD-future",
  "bitstamp-eth-usd-spot",
  "bybit-BTC-10JUL26-100000-C-option",
  "coinbase-ltc-usd-spot",
  "coinbase-sol-usd-spot",
  "kraken-BTCUSD-future",
  "kraken-xrp-usd-spot"
]

const { chance, int, pick, some } = Choice

const asks = (content: Content["content"], about: number): Any<Content> => Arbitrary.Constant({ content, about })

/** One or several items. A list parameter takes a single text too. */
const list = (name: string, items: ReadonlyArray<string>): Any<Content> =>
  Arbitrary.map(Arbitrary.all([some(items, 1, items.length), chance(0.5)]), ([chosen, isText]) => ({
    content: { [name]: chosen.length === 1 && isText ? chosen[0] : chosen },
    about: chosen.length
  }))

/** Some items, or no parameter at all, which asks for everything. */
const listOrAll = (name: string, items: ReadonlyArray<string>, all: number): Any<Content> =>
  Choice.weighted([
    [6, () => list(name, items)],
    [4, () => asks({}, all)]
  ])

const catalogOfMarkets = Choice.weighted([
  [3, () => list("markets", markets)],
  [
    7,
    () =>
      Arbitrary.map(
        Choice.record({ limit: int(1, 40), exchange: Choice.maybe(0.4, () => pick(exchanges)) }),
        (content) => ({ content, about: content.limit ?? 1 })
      )
  ]
])

const indexes = ["CMBI10", "CMBIBTC", "CMBIETH"]

/** A few markets, or those of an exchange: all there are would be thousands of pages. */
const fewMarkets = () =>
  Choice.weighted([
    [4, () => list("markets", markets)],
    [
      6,
      () =>
        Arbitrary.map(
          Arbitrary.all([pick(["coinbase", "gemini"]), pick(["btc", "eth"])]),
          ([exchange, base]): Content => ({ content: { exchange, type: "spot", base }, about: 20 })
        )
    ]
  ])

const asked: Readonly<Record<string, () => Any<Content>>> = {
  "/reference-data/assets": () =>
    Arbitrary.map(
      Arbitrary.all([listOrAll("assets", assets, 369), chance(0.3)]),
      ([{ about, content }, isIncluded]) => ({
        content: isIncluded ? { ...content, include: ["talos"] } : content,
        about
      })
    ),
  "/reference-data/exchanges": () => listOrAll("exchanges", exchanges, 74),
  "/reference-data/markets": fewMarkets,
  "/security-master/markets": fewMarkets,
  "/reference-data/indexes": () => listOrAll("indexes", indexes, 187),
  "/reference-data/pairs": () => list("pairs", pairs),
  "/reference-data/protocols": () => asks({}, 24),
  "/profile/assets": () => listOrAll("assets", assets, 160),
  "/constituent-snapshots/asset-metrics": () =>
    asks({ metric: "volume_trusted_spot_usd_1d", start_time: "2019-01-01" }, 350),
  "/constituent-timeframes/asset-metrics": () => asks({ metric: "volume_trusted_spot_usd_1d" }, 90),
  "/taxonomy/assets": () =>
    Choice.weighted([
      [1, () => asks({ version: "*", assets }, 40)],
      [1, () => listOrAll("assets", assets, 303)]
    ]),
  "/taxonomy-metadata/assets": () =>
    Choice.weighted([
      [3, () => asks({}, 5)],
      [7, () => asks({ version: "*" }, 5)]
    ]),
  assets: () => list("assets", ["btc", "eth", "ltc", "sol"]),
  exchanges: () => list("exchanges", ["bitstamp", "gemini"]),
  "exchange-assets": () => list("exchange_assets", ["coinbase-btc", "coinbase-eth", "kraken-btc"]),
  pairs: () => list("pairs", pairs),
  "pair-candles": () => list("pairs", pairs),
  indexes: () => listOrAll("indexes", indexes, 187),
  "index-candles": () => list("indexes", indexes),
  "exchange-asset-metrics": () => asks({ metrics: ["basis_annualized_90d_exp"] }, 1)
}

/** The first of January 2024, and the time at which the series of minutes begin. */
const january = DateTime.makeUnsafe("2024-01-01T00:00:00.000Z")
const march = DateTime.makeUnsafe("2024-03-01T09:30:00.000Z")

const minutesAfter = (start: DateTime.DateTime, minutes: number) => DateTime.formatIso(DateTime.add(start, { minutes }))

const minutesOf = (frequency: string) =>
  new Map([
    ["1m", 1],
    ["1h", 60],
    ["1b", 10]
  ]).get(frequency) ?? 1440

/** Parameters of the time series that change the order or the set of its records, so that some cannot be resumed. */
const seriesOptions = (frequency: string) =>
  Choice.record({
    sort: Choice.maybe(0.2, () => pick(["asset", "time", ...(frequency === "1b" ? ["height"] : [])])),
    limit_per_asset: Choice.maybe(0.1, () => int(1, 20)),
    timezone: Choice.maybe(0.1, () => Arbitrary.Constant("America/New_York")),
    start_inclusive: Choice.maybe(0.15, () => Arbitrary.Constant(false)),
    end_inclusive: Choice.maybe(0.15, () => Arbitrary.Constant(false)),
    null_as_zero: Choice.maybe(0.1, () => Arbitrary.Constant(true)),
    status: Choice.maybe(0.1, () => pick(["reviewed", "revised"]))
  })

const metricNames = ["PriceUSD", "ReferenceRate", "AdrActCnt", "TxCnt", "SplyBMXNtv", "NDF"]

const metricsOf = (frequency: string): Any<ReadonlyArray<string>> =>
  frequency === "1d"
    ? Choice.weighted([
        [3, () => some(metricNames, 1, 3)],
        [1, () => Arbitrary.Constant(TokenMetrics.all.map(({ id }) => id))]
      ])
    : some(metricNames, 1, 3)

/** The time series, in every frequency. */
const series: Any<Content> = Arbitrary.flatMap(
  Choice.weightedValue([
    [6, "1d"],
    [2, "1h"],
    [2, "1m"],
    [2, "1b"],
    [1, "1d-ny-close"]
  ]),
  (frequency) =>
    Arbitrary.map(
      Arbitrary.all({
        // Now and then more than the stand-in writes at once.
        rows: Choice.weighted([
          [19, () => int(1, 60)],
          [1, () => int(100, 300)]
        ]),
        chosen: Choice.weighted([
          [2, () => some(assets, 1, 1)],
          [3, () => some(assets, 1, 4)]
        ]),
        isText: chance(0.5),
        start: int(1, 900),
        metrics: metricsOf(frequency),
        options: seriesOptions(frequency)
      }),
      ({ chosen, isText, metrics, options, rows, start }): Content => {
        // Ten minutes hold one block of btc and dozens of other chains.
        const length = (frequency === "1b" ? Math.min(rows, 5) : rows) * minutesOf(frequency)
        const before = (start - 1) * minutesOf("1d")
        const shown = (time: string) => (frequency.startsWith("1d") ? time.slice(0, 10) : time)
        const content = {
          assets: chosen.length === 1 && isText ? chosen[0]! : chosen,
          metrics,
          frequency,
          ignore_unsupported_errors: true,
          start_time: shown(minutesAfter(january, before)),
          end_time: shown(minutesAfter(january, before + length)),
          ...options
        }
        return { content, about: chosen.length * (frequency === "1b" ? rows * 5 : rows) }
      }
    )
)

/** A series whose records need no frequency: some entities, some minutes long. */
const minutesOfSeries = (path: string): Any<Content> => {
  const whole = ExampleParams.of(endpointOf({ path }))
  return Arbitrary.map(Arbitrary.all([int(0, 40), chance(0.3)]), ([minutes, isOne]) => {
    const content = Object.entries(whole).map(([name, value]) => [
      name,
      isOne && Array.isArray(value) ? value.slice(0, 1) : value
    ])
    return {
      content: { ...Object.fromEntries(content), end_time: minutesAfter(march, minutes) },
      about: 10 * minutes + 1
    }
  })
}

/** Items of the lists by which the v2 catalogs are narrowed, a record or two for each. */
const listed: Readonly<Record<string, ReadonlyArray<string>>> = {
  assets: ["btc", "eth", "ltc", "sol"],
  exchanges: ["bitstamp", "gemini"],
  exchange_assets: ["coinbase-btc", "coinbase-eth", "kraken-btc"],
  exchange_pairs: ["coinbase-btc-usd", "coinbase-eth-usd", "kraken-btc-usdt", "kraken-eth-usdt"],
  pairs,
  institutions: ["bitwise", "grayscale", "osprey"],
  indexes,
  protocols: ["aave_v2", "morpho"],
  markets
}

const catalogV2 = (path: string): Any<Content> => {
  const name = Object.keys(listed).find((name) => takes(path, name))!
  const items = () => list(name, listed[name]!)
  if (name !== "markets") return items()
  const filters = Arbitrary.all({ exchange: pick(["coinbase", "gemini"]), base: pick(["btc", "eth"]) })
  return Choice.weighted([
    [1, items],
    [1, () => Arbitrary.map(filters, (content): Content => ({ content, about: 10 }))]
  ])
}

/** A few minutes of a chain, or what is known of its addresses. */
const blocks = (path: string): Any<Content> => {
  const whole = ExampleParams.of(endpointOf({ path }))
  return asks(takes(path, "end_time") ? { ...whole, end_time: "2024-03-01T09:32:00" } : whole, 200)
}

const contentAt = (path: string): Any<Content> => {
  if (path === "/timeseries/asset-metrics") return series
  if (path.startsWith("/timeseries")) return minutesOfSeries(path)
  if (path.startsWith("/blockchain")) return blocks(path)
  if (/^\/catalog(?:-all)?-v2\//.test(path)) return catalogV2(path)
  const name = path.replace(/^\/catalog(?:-all)?\//, "")
  const ask = asked[path === `/catalog/${name}` || path === `/catalog-all/${name}` ? name : path]
  if (ask !== undefined) return ask()
  return takes(path, "limit") ? catalogOfMarkets : asks({}, 50)
}

// Nearly half of the streams are series, where most can go wrong; of the rest each path has its share of two thousand schedules.
const catalogs = paths.filter((path) => path.startsWith("/catalog"))
const otherSeries = paths.filter((path) => path.startsWith("/timeseries") && path !== "/timeseries/asset-metrics")
const lists = paths.filter((path) => !path.startsWith("/catalog") && !path.startsWith("/timeseries"))

/** The most pages of one stream, about. */
const mostPages = 15

const ofPath = (path: string): Any<Target> => {
  const { formats, pageSize } = endpointOf({ path })
  return Arbitrary.map(
    Arbitrary.all({
      asked: contentAt(path),
      isStream: formats.includes("json_stream") ? chance(0.5) : Arbitrary.Constant(false),
      pages: int(1, mostPages),
      from: Choice.maybe(takes(path, "paging_from") ? 0.2 : 0, () => pick(["start", "end"] as const)),
      isPretty: chance(0.05)
    }),
    ({ asked: { about, content }, from, isPretty, isStream, pages }): Target => ({
      path,
      content,
      paging: {
        ...(isStream ? { format: "json_stream" as const } : {}),
        ...(pageSize === undefined || isStream
          ? {}
          : { page_size: Math.min(50, Math.max(1, Math.ceil(about / pages))) }),
        ...(from === undefined ? {} : { paging_from: from }),
        ...(isPretty ? { pretty: true } : {})
      }
    })
  )
}

/** Any target. */
export const arbitrary: Any<Target> = Arbitrary.flatMap(
  Choice.weighted([
    [25, () => Arbitrary.Constant("/timeseries/asset-metrics")],
    [20, () => pick(otherSeries)],
    [12, () => pick(lists)],
    [43, () => pick(catalogs)]
  ]),
  ofPath
)
