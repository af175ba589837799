/** docs/interface.md 4.5 and 4.7, with the replacements of 9.3. */
import type { Fields } from "../Field.ts"
import { get, type Operation, paid } from "../Operation.ts"
import * as P from "../Parameter.ts"
import * as Record from "../records/Catalog.ts"
import { marketData } from "../records/Shared.ts"
import { marketType } from "./ReferenceData.ts"

/** One name below `/catalog` and `/catalog-all`. */
interface Row {
  readonly name: string
  readonly parameters: P.Parameters
  readonly record: Fields
  /** What is there and when, below `/catalog-v2` and `/catalog-all-v2`. */
  readonly available: ReadonlyArray<string>
  /** What it is, below `/reference-data`. */
  readonly described: ReadonlyArray<string>
  readonly roots: Operation["roots"]
}

type Replaced = Partial<Pick<Row, "available" | "described" | "roots">>

const row = (name: string, parameters: P.Parameters, record: Fields, replaced: Replaced): Row => ({
  name,
  parameters: { ...parameters, ...P.pretty },
  record,
  available: [],
  described: [],
  roots: ["paid", "community"],
  ...replaced
})

/** 4.5: the market filters. */
export const marketFilters: P.Parameters = {
  markets: P.identifiers,
  exchange: P.text,
  type: marketType,
  base: P.text,
  quote: P.text,
  asset: P.text,
  symbol: P.text
}

/** 4.5: text, `none` or a number. */
const limit = P.or({ ...P.integer(1, 100), words: ["none"], isClosed: true }, "none")

/** 4.5. */
const market = (name: string, record: Fields, replaced: Replaced = {}, more: P.Parameters = {}) =>
  row(name, { ...marketFilters, ...P.format("js"), limit, ...more }, record, { available: [name], ...replaced })

/** 4.5. */
const assetsOnly = (name: string) =>
  row(name, { assets: P.identifiers }, Record.AssetSeries, { available: [name], ...paid })

const metrics = { metrics: P.list, reviewable: P.boolean }

/** 4.5. */
const metricsOf = (name: string, record: Fields) => row(name, metrics, record, { available: [name], described: [name] })

const kinds = [
  "asset-metrics",
  "exchange-metrics",
  "exchange-asset-metrics",
  "pair-metrics",
  "institution-metrics",
  "market-metrics"
]

const lists = P.several("metrics", "markets", "exchanges")

const rows: ReadonlyArray<Row> = [
  row("assets", { assets: P.identifiers, include: lists, exclude: lists }, Record.Asset, {
    available: ["asset-metrics"],
    described: ["assets", "markets"]
  }),
  row("metrics", metrics, Record.AnyMetric, { available: kinds, described: kinds }),
  metricsOf("asset-metrics", Record.AssetMetric),
  metricsOf("exchange-metrics", Record.ExchangeMetric),
  metricsOf("exchange-asset-metrics", Record.ExchangeAssetMetric),
  metricsOf("pair-metrics", Record.PairMetric),
  metricsOf("institution-metrics", Record.InstitutionMetric),
  row("exchanges", { exchanges: P.identifiers }, Record.Exchange, { described: ["exchanges", "markets"] }),
  row("exchange-assets", { exchange_assets: P.list }, Record.ExchangeAsset, {
    available: ["exchange-asset-metrics"],
    described: ["exchange-asset-metrics"]
  }),
  row("pairs", { pairs: P.list }, Record.Pair, { available: ["pair-metrics"], described: ["pair-metrics", "pairs"] }),
  row("pair-candles", { pairs: P.list }, Record.PairCandles, { available: ["pair-candles"] }),
  row("institutions", { institutions: P.list }, Record.Institution, {
    available: ["institution-metrics"],
    described: ["institution-metrics"]
  }),
  market(
    "markets",
    Record.Market,
    {
      available: [
        "market-trades",
        "market-orderbooks",
        "market-quotes",
        "market-funding-rates",
        "market-openinterest",
        "market-liquidations"
      ],
      described: ["markets"]
    },
    { include: P.several(...marketData), exclude: P.several(...marketData) }
  ),
  market("market-trades", Record.MarketSeries),
  market("market-candles", Record.MarketCandles),
  market("market-orderbooks", Record.MarketOrderbooks),
  market("market-quotes", Record.MarketSeries),
  market("market-funding-rates", Record.MarketSeries),
  market("market-contract-prices", Record.MarketSeries),
  market("market-implied-volatility", Record.MarketSeries),
  market("market-greeks", Record.MarketSeries),
  market("market-openinterest", Record.MarketSeries),
  market("market-liquidations", Record.MarketSeries),
  market("market-metrics", Record.MarketMetrics, { described: ["market-metrics"] }),
  // The service's own table names /catalog-v2/index-constituents too, which is described nowhere.
  row("indexes", { indexes: P.list }, Record.Index, { available: ["index-levels"], described: ["indexes"] }),
  row("index-candles", { indexes: P.list }, Record.IndexCandles, { available: ["index-candles"] }),
  // The replacement is named by the service and described nowhere.
  row("asset-alerts", { assets: P.identifiers, alerts: P.list }, Record.AssetAlert, {
    described: ["asset-alerts"],
    ...paid
  }),
  assetsOnly("asset-chains"),
  assetsOnly("mempool-feerates"),
  assetsOnly("mining-pool-tips-summary"),
  assetsOnly("transaction-tracker")
]

const below = (catalog: string, section: string) =>
  rows.map(({ available, described, name, ...row }) =>
    get(`/${catalog}/${name}`, {
      ...row,
      section,
      reply: "data",
      replacement: [
        ...available.map((other) => `/${catalog}-v2/${other}`),
        ...described.map((other) => `/reference-data/${other}`)
      ]
    })
  )

export const operations: ReadonlyArray<Operation> = [...below("catalog", "4.5"), ...below("catalog-all", "4.7")]
