/** docs/interface.md 4.9: the same names below `/catalog-v2` and `/catalog-all-v2`. */
import type { Fields } from "../Field.ts"
import { get, newer, type Operation, paid } from "../Operation.ts"
import * as P from "../Parameter.ts"
import * as Record from "../records/Catalog.ts"
import { marketFilters } from "./Catalog.ts"

type Row = readonly [name: string, parameters: P.Parameters, record: Fields, more?: Partial<Operation>]

const metrics = { metrics: P.list }

/** An entity and its metrics: the list, the keys of the record. */
const metricsOf = (name: string, list: string, keys: string, more: Partial<Operation> = {}): Row => [
  name,
  { [list]: P.list, ...metrics },
  Record.metricsOf(keys),
  more
]

const markets = (name: string, record: Fields = Record.MarketSeries, more: Partial<Operation> = {}): Row => [
  name,
  { ...marketFilters, ...P.timeRange },
  record,
  more
]

const assetsOnly = (name: string): Row => [name, { assets: P.identifiers }, Record.AssetSeries, paid]

const chain = (name: string, more: Partial<Operation> = {}): Row => [
  `blockchain-v2/${name}`,
  { assets: P.identifiers },
  Record.ChainSeries,
  { ...paid, ...more }
]

const rows: ReadonlyArray<Row> = [
  ["asset-metrics", { assets: P.identifiers, ...metrics, reviewable: P.boolean }, Record.AssetMetrics],
  ["exchange-metrics", { exchanges: P.identifiers, ...metrics }, Record.metricsOf("exchange")],
  metricsOf("exchange-asset-metrics", "exchange_assets", "exchange_asset"),
  metricsOf("exchange-pair-metrics", "exchange_pairs", "exchange_pair", newer),
  metricsOf("pair-metrics", "pairs", "pair"),
  metricsOf("institution-metrics", "institutions", "institution"),
  markets("market-trades"),
  markets("market-candles", Record.MarketCandles),
  markets("market-orderbooks", Record.MarketDepths),
  markets("market-quotes"),
  markets("market-funding-rates"),
  markets("market-funding-rates-predicted"),
  markets("market-contract-prices"),
  markets("market-implied-volatility"),
  markets("market-greeks"),
  markets("market-openinterest"),
  markets("market-liquidations"),
  ["market-metrics", { ...marketFilters, ...metrics }, Record.MarketMetrics],
  ["pair-candles", { pairs: P.list }, Record.PairCandles],
  ["index-levels", { indexes: P.list }, Record.IndexLevels],
  ["index-candles", { indexes: P.list }, Record.IndexCandles],
  assetsOnly("asset-chains"),
  assetsOnly("mempool-feerates"),
  assetsOnly("mining-pool-tips-summary"),
  assetsOnly("transaction-tracker"),
  chain("accounts"),
  chain("balance-updates"),
  chain("rebasing-changes", newer),
  chain("blocks"),
  chain("transactions"),
  [
    "protocol-metrics",
    { protocols: P.list, chains: P.list, markets: P.list, ...metrics },
    Record.metricsOf("protocol market chain"),
    { ...paid, ...newer }
  ]
]

const below = (catalog: string) =>
  rows.map(([name, parameters, record, more = {}]) =>
    get(`/${catalog}/${name}`, {
      section: "4.9",
      parameters: { ...parameters, ...P.paging("start"), ...P.format("js") },
      record,
      ...more
    })
  )

export const operations: ReadonlyArray<Operation> = [...below("catalog-v2"), ...below("catalog-all-v2")]
