/**
 * What a month keeps: requests of several families, by name and by wildcard, of days, hours and trades.
 */
import { type Endpoint, Timeseries } from "@sluice/core"

/** What a definition may have more of than when it began, by the parameter that says it. */
export type Growth = Readonly<Record<string, number>>

/** One request that is kept, without its format and layout. */
export interface Target {
  readonly name: string
  readonly endpoint: Endpoint.Any
  /** Lists are texts with commas, as the service takes them. */
  readonly params: Readonly<Record<string, string>>
  /** Parameters of a dataset that has less, and can grow to all. */
  readonly fewer: Readonly<Record<string, string>>
  /** The list of its entities, and the field that names one. */
  readonly list: string
  readonly entity: string
  /** Fields that tell records of one entity and time apart. */
  readonly identity: ReadonlyArray<string>
  /** How many days a month of it has at most: of many records fewer. */
  readonly days: number
  /** Whether a missing record shows: its times are on a grid. */
  readonly isGrid: boolean
}

// Type boundary: an endpoint whose parameters have types of its own is kept as one whose parameters are data.
const target = (
  name: string,
  endpoint: Endpoint.Info,
  list: string,
  entity: string,
  params: Target["params"],
  fewer: Target["params"],
  { days = 30, identity = [], isGrid = true }: Partial<Pick<Target, "days" | "identity" | "isGrid">> = {}
): Target => ({ name, endpoint: endpoint as Endpoint.Any, params, fewer, list, entity, identity, days, isGrid })

/** What the definition of a day says, where some of it is added on a later one. */
export const paramsOn = ({ fewer, params }: Target, growth: Growth, day: number): Target["params"] => ({
  ...params,
  ...Object.fromEntries(Object.entries(fewer).filter(([name]) => day < (growth[name] ?? 0)))
})

/** Every target. Those of wildcards have entities that come, go and are renamed. */
export const all: ReadonlyArray<Target> = [
  target(
    "all assets",
    Timeseries.assetMetrics,
    "assets",
    "asset",
    {
      assets: "*",
      metrics: "futures_aggregate_funding_rate_usd_margin_1d_period",
      start_time: "2026-09-26"
    },
    { start_time: "2026-09-28" }
  ),
  target(
    "reviewed metrics",
    Timeseries.assetMetrics,
    "assets",
    "asset",
    {
      assets: "btc,eth,ltc,sol,usdc",
      metrics: "FlowInExUSD,SplyExNtv,PriceUSD",
      start_time: "2026-09-10"
    },
    { assets: "btc,eth,ltc", metrics: "FlowInExUSD,PriceUSD", start_time: "2026-09-20" }
  ),
  target(
    "hours of assets",
    Timeseries.assetMetrics,
    "assets",
    "asset",
    {
      assets: "btc,eth,doge",
      metrics: "PriceUSD,volatility_realized_usd_rolling_24h",
      frequency: "1h",
      start_time: "2026-09-28"
    },
    { assets: "btc,eth", metrics: "PriceUSD", start_time: "2026-09-30" }
  ),
  target(
    "days of markets",
    Timeseries.marketCandles,
    "markets",
    "market",
    {
      markets: "bitstamp-*-eur-spot",
      frequency: "1d",
      start_time: "2026-09-20"
    },
    { start_time: "2026-09-25" }
  ),
  target(
    "hours of markets",
    Timeseries.marketCandles,
    "markets",
    "market",
    {
      markets: "coinbase-btc-usd-spot,kraken-eth-usd-spot",
      frequency: "1h",
      start_time: "2026-09-28"
    },
    { markets: "coinbase-btc-usd-spot", start_time: "2026-09-30" }
  ),
  target(
    "trades",
    Timeseries.marketTrades,
    "markets",
    "market",
    { markets: "coinbase-eth-usd-spot,kraken-btc-usd-spot", start_time: "2026-10-01" },
    { markets: "coinbase-eth-usd-spot" },
    { days: 3, identity: ["coin_metrics_id"], isGrid: false }
  ),
  target(
    "institutions",
    Timeseries.institutionMetrics,
    "institutions",
    "institution",
    {
      institutions: "*",
      metrics: "btc_total_assets,eth_shares_outstanding",
      start_time: "2026-08-01"
    },
    { metrics: "btc_total_assets", start_time: "2026-09-01" }
  ),
  target(
    "exchanges",
    Timeseries.exchangeMetrics,
    "exchanges",
    "exchange",
    {
      exchanges: "binance,coinbase,kraken",
      metrics: "volume_reported_spot_usd_1d,open_interest_reported_future_all_margin_usd",
      start_time: "2026-09-01"
    },
    { exchanges: "binance,kraken", metrics: "volume_reported_spot_usd_1d", start_time: "2026-09-15" }
  ),
  target(
    "levels of indexes",
    Timeseries.indexLevels,
    "indexes",
    "index",
    {
      indexes: "CMBI10,CMBIBTC",
      frequency: "1h",
      start_time: "2026-09-28"
    },
    { indexes: "CMBIBTC", start_time: "2026-09-30" }
  )
]
