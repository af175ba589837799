import type { Endpoint } from "@sluice/core"

/** Items of a list that a series requires. */
const items: Readonly<Record<string, ReadonlyArray<string>>> = {
  alerts: ["block_count_empty_6b_hi", "time_since_last_block_hi"],
  assets: ["btc", "eth"],
  defi_protocols: ["aave_v2_eth", "aave_v3_eth"],
  exchanges: ["binance", "coinbase"],
  exchange_assets: ["binance-btc", "coinbase-btc"],
  exchange_pairs: ["binance-btc-usdt", "coinbase-btc-usd"],
  indexes: ["CMBI10", "CMBIBTC"],
  institutions: ["bitwise", "grayscale"],
  markets: ["coinbase-btc-usd-spot", "kraken-btc-usd-spot"],
  metrics: ["PriceUSD", "AdrActCnt"],
  pairs: ["btc-usd", "eth-usd"]
}

/** A third of a year where records stand for days, and otherwise an hour. */
const days = { start_time: "2024-01-01", end_time: "2024-04-30" }
const hour = { start_time: "2024-03-01T09:30:00", end_time: "2024-03-01T10:30:00" }

/** Markets of a type, of which there is data that not every market has, and a time at which all have it. */
const typed = {
  future: { markets: ["kraken-BTCUSDT-future", "okex-BTCUSDT-future"] },
  option: {
    markets: ["deribit-BTC-16APR27-162500-C-option", "deribit-BTC-16APR27-187500-C-option"],
    start_time: "2026-10-01T09:30:00",
    end_time: "2026-10-01T10:30:00"
  }
}

/** Two days of hours: a candle of a day costs as much as its hours. */
const hours = { frequency: "1h", start_time: "2024-03-01", end_time: "2024-03-03" }

/** Of chains: one with many blocks, and an account with a change in each of them. */
const chain = { asset: "eth" }

/** What else is asked of a path, where not everything can be, or more than everything. */
const more: Readonly<Record<string, object>> = {
  ...Object.fromEntries(
    ["blocks", "accounts", "sub-accounts", "transactions", "balance-updates"].map((name) => [
      `/blockchain-v2/{asset}/${name}`,
      chain
    ])
  ),
  "/blockchain/{asset}/transaction-tracker": chain,
  "/blockchain-v2/{asset}/rebasing-changes": { ...chain, start_time: "2024-03-01T05:30:00" },
  "/blockchain-v2/{asset}/accounts/{account}/balance-updates": { ...chain, account: "treasury-eth" },
  "/reference-data/assets": { include: ["talos"] },
  "/reference-data/exchanges": { include: ["talos"] },
  "/reference-data/markets": { include: ["talos"] },
  "/timeseries/index-candles": hours,
  "/timeseries/index-constituents": { frequency: "1d", ...days },
  "/timeseries/market-candles": hours,
  "/timeseries/pair-candles": hours,
  "/timeseries/mining-pool-tips-summary": { assets: ["btc", "ltc"] },
  "/timeseries/mempool-feerates": { assets: ["btc"] },
  "/timeseries/defi-balance-sheets": { start_time: "2024-01-01", end_time: "2024-04-29" },
  "/timeseries/market-funding-rates": days,
  "/timeseries/market-liquidations": { start_time: "2024-03-01", end_time: "2024-03-02" },
  "/timeseries/market-orderbooks": { end_time: "2024-03-01T09:34:30" },
  "/timeseries/market-quotes": { end_time: "2024-03-01T09:36:00", include_one_sided: true },
  "/jobs": { ids: ["sandbox-completed", "sandbox-expired", "sandbox-failed", "sandbox-running"] },
  "/taxonomy/assets": { version: "*" },
  "/taxonomy-metadata/assets": { version: "*" },
  "/constituent-snapshots/asset-metrics": {
    metric: "volume_trusted_spot_usd_1d",
    start_time: "2019-01-01",
    end_time: "2026-10-01"
  },
  "/constituent-timeframes/asset-metrics": {
    metric: "volume_trusted_spot_usd_1d",
    start_time: "2019-01-01",
    end_time: "2026-10-01"
  },
  "/timeseries/exchange-metrics": { metrics: ["volume_reported_spot_usd_1d", "volume_reported_future_usd_1d"] },
  "/timeseries/exchange-asset-metrics": { metrics: ["volume_reported_spot_usd_1d"] },
  "/timeseries/exchange-pair-metrics": { metrics: ["volume_reported_spot_usd_1d"] },
  "/timeseries/institution-metrics": { metrics: ["btc_net_asset_value", "btc_total_assets"] },
  "/timeseries/market-metrics": { metrics: ["volume_reported_usd_1d"] },
  "/timeseries/protocol-metrics": { frequency: "1d", protocols: ["aave_v2"], metrics: ["supplied_usd"], ...days },
  "/timeseries/pair-metrics": { metrics: ["volume_reported_spot_usd_1d", "volume_reported_trusted_spot_usd_1d"] }
}

/** What tests ask of an endpoint, about its pages not included: of a series some entities over some time. */
export const of = ({ order, parameters, path }: Endpoint.Info) => {
  const all = [...parameters.values()]
  const required = all.filter(({ isList, isRequired }) => isList && isRequired).map(({ name }) => [name, items[name]])
  const range = all.some(({ role }) => role._tag === "Frequency") ? days : hour
  const type = all.find(({ marketType }) => marketType !== undefined)?.marketType
  const series = { ...Object.fromEntries(required), ...range, ...(type && typed[type]) }
  return { ...(order === "series" ? series : {}), ...more[path] }
}

/** Items of the filters of lists, all of which together would be tens of thousands of records. */
const few: Readonly<Record<string, ReadonlyArray<string>>> = {
  protocols: ["aave_v2"],
  markets: [
    "coinbase-btc-usd-spot",
    "kraken-btc-usd-spot",
    "kraken-BTCUSDT-future",
    "okex-BTCUSDT-future",
    "deribit-BTC-16APR27-162500-C-option"
  ],
  exchange_assets: ["binance-btc", "coinbase-btc"],
  exchange_pairs: ["binance-btc-usdt", "coinbase-btc-usd"],
  pairs: ["btc-usd", "eth-usd"],
  assets: ["btc", "eth", "ltc"]
}

/** A filter by which a list has few records, where it has one. */
export const fewOf = ({ order, parameters }: Endpoint.Info): Readonly<Record<string, ReadonlyArray<string>>> => {
  const name = Object.keys(few).find((name) => order === "list" && parameters.has(name))
  return name === undefined ? {} : { [name]: few[name]! }
}
