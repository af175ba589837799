/**
 * Asset metrics: their metadata (docs/interface.md 3.6), the assets and frequencies they exist for, and the curve
 * behind each.
 */
import { type Asset, type Kind } from "./Assets.ts"
import { at } from "../internal/time/Calendar.ts"
import * as Tokens from "./TokenTransactions.ts"
import * as Values from "./Values.ts"

/** One asset metric. */
export interface Metric {
  readonly metric: string
  readonly fullName: string
  readonly product: string
  readonly category: string
  readonly subcategory: string
  readonly unit: string
  readonly type: string
  readonly dataType: "bigint" | "decimal"
  /** The frequencies at which it exists at all. */
  readonly frequencies: ReadonlyArray<string>
  /** Tells whether an asset has the metric. */
  readonly has: (asset: Asset) => boolean
  /** The first instant of an asset's series. */
  readonly since: (asset: Asset) => number
  readonly value: Values.Model
  readonly reviewable: boolean
  readonly experimental: boolean
  /** Served without a key, at 1d only (docs/interface.md 4.6.2 and 5). */
  readonly community: boolean
}

const daily = ["1d"]
const block = ["1d", "1b"]
const hourly = ["1h", "1d"]
const closes = ["1d", "1d-ny-close", "1d-sg-close"]
const candles = ["1m", "5m", "10m", "15m", "30m", "1h", "4h"]
const rates = ["1s", "15s", ...candles, ...closes]

const network: ReadonlyArray<Kind> = ["work", "chain", "token"]
const native: ReadonlyArray<Kind> = ["work", "chain"]
const work: ReadonlyArray<Kind> = ["work"]

const isKind = (kinds: ReadonlyArray<Kind>) => (asset: Asset) => kinds.includes(asset.kind)
const isAny = () => true
const isLarge = (asset: Asset) => asset.rank < 120

const fromStart = (asset: Asset) => asset.start
const fromListing = (asset: Asset) => asset.listed
const from = (date: string) => (asset: Asset) => Math.max(asset.listed, at(date))

type Rest = Pick<Metric, "frequencies" | "has" | "since" | "value"> &
  Partial<Pick<Metric, "reviewable" | "experimental" | "community">>

const make =
  (product: string) =>
  (
    metric: string,
    fullName: string,
    labels: string,
    dataType: "bigint" | "decimal",
    { frequencies, has, since, value, reviewable = false, experimental = false, community = false }: Rest
  ): Metric => {
    const [category = "", subcategory = "", unit = "", type = ""] = labels.split("/")
    return {
      metric,
      fullName,
      product,
      category,
      subcategory,
      unit,
      type,
      dataType,
      frequencies,
      has,
      since,
      value,
      reviewable,
      experimental,
      community
    }
  }

const networkData = make("Network Data")
const marketData = make("Market Data")

const open = (kinds: ReadonlyArray<Kind>, value: Values.Model, frequencies = daily): Rest => ({
  frequencies,
  has: isKind(kinds),
  since: fromStart,
  value,
  community: true
})
const paid = (kinds: ReadonlyArray<Kind>, value: Values.Model, more: Partial<Rest> = {}): Rest => ({
  frequencies: daily,
  has: isKind(kinds),
  since: fromStart,
  value,
  ...more
})
const market = (frequencies: ReadonlyArray<string>, value: Values.Model, more: Partial<Rest> = {}): Rest => ({
  frequencies,
  has: isLarge,
  since: fromListing,
  value,
  ...more
})

const { activity, price, ratio, share, supply } = Values

const capitalisation: Values.Model = (asset, ms) => price(asset, ms) * supply(asset, ms)

const token = (metric: Tokens.TokenMetric, name: string, unit: string): Metric =>
  networkData(metric, name, `Transactions/Tokens/${unit}/Sum`, "bigint", {
    frequencies: daily,
    has: (asset) => Tokens.supports(metric, asset.asset),
    since: (asset) => Math.max(asset.start, Tokens.since(metric)),
    value: (asset, ms) => Tokens.count(metric, asset.asset, ms),
    community: true
  })

/** Every asset metric, ordered by name. */
export const all: ReadonlyArray<Metric> = [
  networkData("AdrActCnt", "Addresses, active, count", "Addresses/Active/Addresses/Sum", "bigint", {
    ...open(network, activity(900_000, 11), block)
  }),
  networkData("AdrBalCnt", "Addresses, with balance, count", "Addresses/Balance/Addresses/Sum", "bigint", {
    ...open(network, activity(50_000_000, 12))
  }),
  networkData(
    "AdrBal1in1MCnt",
    "Addresses, holding 1/1M of supply, count",
    "Addresses/Balance/Addresses/Sum",
    "bigint",
    {
      ...paid(network, activity(90_000, 13))
    }
  ),
  networkData("AssetEODCompletionTime", "End of day completion time", "Availability/NA/Seconds/NA", "bigint", {
    ...open(network, (asset, ms) => ms / 1000 + 86_400 + ratio(3600, 1800, 14)(asset, ms))
  }),
  networkData("BlkCnt", "Block, count", "Network Usage/Blocks/Blocks/Sum", "bigint", {
    ...open(native, ratio(7000, 300, 15), block)
  }),
  networkData("BlkSizeMeanByte", "Block, size, mean, bytes", "Network Usage/Blocks/Bytes/Mean", "decimal", {
    ...paid(native, ratio(900_000, 500_000, 16), { frequencies: block })
  }),
  networkData("BlkWghtTot", "Block, weight, sum", "Network Usage/Blocks/Dimensionless/Sum", "bigint", {
    ...paid(work, ratio(560_000_000, 20_000_000, 17), { frequencies: block })
  }),
  marketData(
    "CapMrktCurUSD",
    "Capitalization, market, current supply, USD",
    "Market/Market Capitalization/USD/Product",
    "decimal",
    {
      ...open(network, capitalisation, ["1d", "1b"]),
      since: fromListing
    }
  ),
  marketData(
    "CapMrktEstUSD",
    "Capitalization, market, estimated supply, USD",
    "Market/Market Capitalization/USD/Product",
    "decimal",
    {
      ...market(hourly, capitalisation, { has: isAny })
    }
  ),
  networkData("CapRealUSD", "Capitalization, realized, USD", "Market/Realized Capitalization/USD/Sum", "decimal", {
    ...paid(network, (asset, ms) => capitalisation(asset, ms) * 0.6)
  }),
  networkData("DiffMean", "Difficulty, mean", "Mining/Difficulty/Dimensionless/Mean", "decimal", {
    ...open(work, activity(95_000_000_000_000, 18), block)
  }),
  networkData(
    "FeeMeanNtv",
    "Fees, transaction, mean, native units",
    "Fees and Revenue/Fees/Native Units/Mean",
    "decimal",
    {
      ...open(native, ratio(0.00021, 0.0002, 19), block)
    }
  ),
  networkData("FeeMeanUSD", "Fees, transaction, mean, USD", "Fees and Revenue/Fees/USD/Mean", "decimal", {
    ...open(native, ratio(2.1, 2, 20), block),
    since: fromListing
  }),
  networkData("FeeTotNtv", "Fees, total, native units", "Fees and Revenue/Fees/Native Units/Sum", "decimal", {
    ...open(native, ratio(45, 40, 21), block)
  }),
  networkData("FeeTotUSD", "Fees, total, USD", "Fees and Revenue/Fees/USD/Sum", "decimal", {
    ...open(native, (asset, ms) => ratio(45, 40, 21)(asset, ms) * price(asset, ms), block),
    since: fromListing
  }),
  networkData("FlowInExUSD", "Flow, in, to exchanges, USD", "Exchange/Deposits/USD/Sum", "decimal", {
    ...paid(network, share(0.004, 22), { since: fromListing, reviewable: true, frequencies: block })
  }),
  networkData("FlowOutExUSD", "Flow, out, from exchanges, USD", "Exchange/Withdrawals/USD/Sum", "decimal", {
    ...paid(network, share(0.0039, 23), { since: fromListing, reviewable: true, frequencies: block })
  }),
  networkData("HashRate", "Hash rate, mean", "Mining/Hash Rate/Hashes per Second/Mean", "decimal", {
    ...open(work, activity(750_000_000, 24), block)
  }),
  networkData("IssTotNtv", "Issuance, total, native units", "Supply/Issuance/Native Units/Sum", "decimal", {
    ...open(native, ratio(450, 20, 25), block)
  }),
  networkData("NDF", "Network distribution factor", "Supply/Distribution/Dimensionless/Ratio", "decimal", {
    ...paid(network, ratio(0.3, 0.05, 26), { experimental: true })
  }),
  networkData("NVTAdj", "NVT, adjusted", "Economics/Valuation/Dimensionless/Ratio", "decimal", {
    ...paid(network, ratio(60, 30, 27), { since: fromListing })
  }),
  marketData("PriceBTC", "Price, BTC", "Market/Price/BTC/NA", "decimal", {
    ...market(daily, (asset, ms) => (asset.asset === "btc" ? 1 : price(asset, ms) / 60_000), {
      community: true,
      has: isAny
    })
  }),
  marketData("PriceUSD", "Price, USD", "Market/Price/USD/NA", "decimal", {
    ...market([...candles, ...closes, "1b"], price, { community: true, has: isAny })
  }),
  marketData("ROI30d", "Return on investment, 30 days", "Economics/Returns/Percentage/Ratio", "decimal", {
    ...market(daily, ratio(5, 40, 28), { community: true, has: isAny })
  }),
  marketData("ReferenceRate", "Reference rate", "Market/Price/USD/NA", "decimal", market(rates, price, { has: isAny })),
  marketData("ReferenceRateBTC", "Reference rate, BTC", "Market/Price/BTC/NA", "decimal", {
    ...market(rates, (asset, ms) => (asset.asset === "btc" ? 1 : price(asset, ms) / 60_000))
  }),
  marketData("ReferenceRateETH", "Reference rate, ETH", "Market/Price/ETH/NA", "decimal", {
    ...market(rates, (asset, ms) => (asset.asset === "eth" ? 1 : price(asset, ms) / 2800))
  }),
  marketData("ReferenceRateEUR", "Reference rate, EUR", "Market/Price/EUR/NA", "decimal", {
    ...market(rates, (asset, ms) => price(asset, ms) * ratio(0.92, 0.03, 29)(asset, ms))
  }),
  marketData("ReferenceRateUSD", "Reference rate, USD", "Market/Price/USD/NA", "decimal", {
    ...market(rates, price, { community: true, has: isAny })
  }),
  networkData("RevUSD", "Miner revenue, USD", "Fees and Revenue/Revenue/USD/Sum", "decimal", {
    ...open(work, share(0.00004, 30), block),
    since: fromListing
  }),
  networkData("SER", "Supply equality ratio", "Supply/Distribution/Dimensionless/Ratio", "decimal", {
    ...paid(network, ratio(0.07, 0.02, 31))
  }),
  networkData("SplyAct1yr", "Supply, active, trailing 1 year", "Supply/Active/Native Units/Sum", "decimal", {
    ...paid(network, (asset, ms) => supply(asset, ms) * 0.34, { since: (asset) => asset.start + 365 * 86_400_000 })
  }),
  networkData(
    "SplyBMXNtv",
    "Supply, held by a derivatives exchange, native units",
    "Supply/Exchange/Native Units/Sum",
    "decimal",
    {
      ...paid(work, ratio(120_000, 60_000, 32), { since: from("2014-11-22"), reviewable: true })
    }
  ),
  networkData("SplyCur", "Supply, current", "Supply/Current/Native Units/Sum", "decimal", {
    ...open(network, supply, block)
  }),
  networkData("SplyExNtv", "Supply, held by exchanges, native units", "Supply/Exchange/Native Units/Sum", "decimal", {
    ...paid(network, (asset, ms) => supply(asset, ms) * 0.12, { reviewable: true, since: fromListing })
  }),
  networkData("SplyFF", "Supply, free float", "Supply/Free Float/Native Units/Sum", "decimal", {
    ...paid(network, (asset, ms) => supply(asset, ms) * 0.78)
  }),
  networkData("TxCnt", "Transactions, count", "Transactions/Transactions/Transactions/Sum", "bigint", {
    ...open(network, activity(1_200_000, 33), block)
  }),
  token("TxERC1155Cnt", "ERC-1155 Tx Cnt", "Transfers"),
  token("TxERC20Cnt", "ERC-20 Tx Cnt", "Transactions"),
  token("TxERC721Cnt", "ERC-721 Tx Cnt", "Transactions"),
  token("TxTknCnt", "Token Tx Cnt", "Transactions"),
  networkData("TxTfrCnt", "Transactions, transfers, count", "Transactions/Transfers/Transfers/Sum", "bigint", {
    ...open(network, activity(1_900_000, 34), block)
  }),
  networkData(
    "TxTfrValAdjUSD",
    "Transactions, transfers, value, adjusted, USD",
    "Transactions/Transfer Value/USD/Sum",
    "decimal",
    {
      ...paid(network, share(0.01, 35), { since: fromListing })
    }
  ),
  networkData("VelCur1yr", "Velocity, current supply, 1 year", "Economics/Velocity/Dimensionless/Ratio", "decimal", {
    ...paid(network, ratio(7, 3, 36), { since: (asset) => asset.start + 365 * 86_400_000 })
  }),
  marketData("VtyDayRet30d", "Volatility, daily returns, 30 days", "Economics/Returns/Dimensionless/Ratio", "decimal", {
    ...market(daily, ratio(0.04, 0.03, 37), { has: isAny, since: (asset) => asset.listed + 30 * 86_400_000 })
  }),
  marketData(
    "futures_aggregate_funding_rate_usd_margin_1d_period",
    "Aggregate funding rate, USD margined, 1 day",
    "Funding Rates/Future/Percentage/Ratio",
    "decimal",
    { ...market(hourly, ratio(0.0002, 0.0009, 38), { since: from("2020-01-01") }) }
  ),
  marketData(
    "open_interest_reported_future_usd",
    "Open interest, reported, futures, USD",
    "Open Interest/Future/USD/Sum",
    "decimal",
    { ...market(["10m", "1h", "1d"], share(0.02, 39), { since: from("2019-06-01") }) }
  ),
  marketData(
    "volatility_realized_usd_rolling_24h",
    "Volatility, realized, rolling 24 hours",
    "Volatility/Realized/Dimensionless/Ratio",
    "decimal",
    {
      ...market(["10m", "1h", "1d"], ratio(0.5, 0.4, 40))
    }
  ),
  marketData("volume_reported_spot_usd_1d", "Volume, reported, spot, USD, 1 day", "Volume/Spot/USD/Sum", "decimal", {
    ...market(daily, share(0.03, 41), { has: isAny })
  }),
  marketData("volume_reported_spot_usd_1h", "Volume, reported, spot, USD, 1 hour", "Volume/Spot/USD/Sum", "decimal", {
    ...market(["1h"], share(0.0013, 42))
  }),
  marketData("volume_trusted_spot_usd_1d", "Volume, trusted, spot, USD, 1 day", "Volume/Spot/USD/Sum", "decimal", {
    ...market(daily, share(0.02, 43), { has: isAny })
  })
].sort((a, b) => (a.metric < b.metric ? -1 : 1))

const byName = new Map(all.map((metric) => [metric.metric, metric]))

/** Finds an asset metric by its name. */
export const find = (name: string): Metric | undefined => byName.get(name)
