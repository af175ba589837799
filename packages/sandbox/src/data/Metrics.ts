/** Asset metrics (docs/interface.md 3.6): the assets and frequencies they exist for, and the curve behind each. */
import { type Asset, type Kind } from "./Assets.ts"
import { at, DAY } from "../internal/time/Calendar.ts"
import * as OtherMetrics from "./OtherMetrics.ts"
import * as Remembered from "./Remembered.ts"
import * as Values from "./Values.ts"

export interface Metric {
  readonly metric: string
  readonly record: OtherMetrics.MetricRecord
  readonly frequencies: ReadonlyArray<string>
  readonly has: (asset: Asset) => boolean
  readonly since: (asset: Asset) => number
  readonly value: Values.Model
  /** Served without a key, at 1d only (docs/interface.md 4.6.2 and 5). */
  readonly community: boolean
}

const candles = ["1m", "5m", "10m", "15m", "30m", "1h", "4h"]
const closes = ["1d", "1d-ny-close", "1d-sg-close"]

/** Frequencies by the words of the table; one day where none is among them. */
const frequenciesOf: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["block", ["1d", "1b"]],
  ["hour", ["1h"]],
  ["hourly", ["1h", "1d"]],
  ["tenths", ["10m", "1h", "1d"]],
  ["price", [...candles, ...closes, "1b"]],
  ["rates", ["1s", "15s", ...candles, ...closes]]
])

const isKind =
  (...kinds: ReadonlyArray<Kind>) =>
  (asset: Asset) =>
    kinds.includes(asset.kind)

/** Which assets have a metric, by the words of the table: those of a network, or those with markets; `of:` names them. */
const holders: ReadonlyMap<string, Metric["has"]> = new Map([
  ["network", isKind("work", "chain", "token")],
  ["native", isKind("work", "chain")],
  ["work", isKind("work")],
  ["any", () => true],
  ["large", (asset: Asset) => asset.rank < 120]
])

const priced = new Set(["any", "large", "listed"])

const { activity, price, ratio, share, supply } = Values

const models: Readonly<Record<string, (a: number, b: number, c: number) => Values.Model>> = {
  activity,
  ratio,
  share,
  capitalisation: (part) => (asset, ms) => price(asset, ms) * supply(asset, ms) * part,
  completion: (middle, spread, salt) => (asset, ms) => ms / 1000 + 86_400 + ratio(middle, spread, salt)(asset, ms),
  inBitcoin: (worth) => (asset, ms) => (asset.asset === "btc" ? 1 : price(asset, ms) / worth),
  inEther: (worth) => (asset, ms) => (asset.asset === "eth" ? 1 : price(asset, ms) / worth),
  price: () => price,
  priced: (middle, spread, salt) => (asset, ms) => ratio(middle, spread, salt)(asset, ms) * price(asset, ms),
  supply: (part) => (asset, ms) => supply(asset, ms) * part
}

// metric | name | category/subcategory/unit/type | who has it, since when, at which frequencies, and what it is | curve
const table = `
AdrActCnt | Addresses, active, count | Addresses/Active/Addresses/Sum | network bigint block community | activity 900000 11
AdrBal1in1MCnt | Addresses, holding 1/1M of supply, count | Addresses/Balance/Addresses/Sum | network bigint | activity 90000 13
AdrBalCnt | Addresses, with balance, count | Addresses/Balance/Addresses/Sum | network bigint community | activity 50000000 12
AssetEODCompletionTime | End of day completion time | Availability/NA/Seconds/NA | network bigint community | completion 3600 1800 14
BlkCnt | Block, count | Network Usage/Blocks/Blocks/Sum | native bigint block community | ratio 7000 300 15
BlkSizeMeanByte | Block, size, mean, bytes | Network Usage/Blocks/Bytes/Mean | native block | ratio 900000 500000 16
BlkWghtTot | Block, weight, sum | Network Usage/Blocks/Dimensionless/Sum | work bigint block | ratio 560000000 20000000 17
CapMrktCurUSD | Capitalization, market, current supply, USD | Market/Market Capitalization/USD/Product | network market listed block community | capitalisation 1
CapMrktEstUSD | Capitalization, market, estimated supply, USD | Market/Market Capitalization/USD/Product | any hourly | capitalisation 1
CapRealUSD | Capitalization, realized, USD | Market/Realized Capitalization/USD/Sum | network | capitalisation 0.6
DiffMean | Difficulty, mean | Mining/Difficulty/Dimensionless/Mean | work block community | activity 95000000000000 18
FeeMeanNtv | Fees, transaction, mean, native units | Fees and Revenue/Fees/Native Units/Mean | native block community | ratio 0.00021 0.0002 19
FeeMeanUSD | Fees, transaction, mean, USD | Fees and Revenue/Fees/USD/Mean | native listed block community | ratio 2.1 2 20
FeeTotNtv | Fees, total, native units | Fees and Revenue/Fees/Native Units/Sum | native block community | ratio 45 40 21
FeeTotUSD | Fees, total, USD | Fees and Revenue/Fees/USD/Sum | native listed block community | priced 45 40 21
FlowInExUSD | Flow, in, to exchanges, USD | Exchange/Deposits/USD/Sum | network listed block reviewable | share 0.004 22
FlowOutExUSD | Flow, out, from exchanges, USD | Exchange/Withdrawals/USD/Sum | network listed block reviewable | share 0.0039 23
HashRate | Hash rate, mean | Mining/Hash Rate/Hashes per Second/Mean | work block community | activity 750000000 24
IssTotNtv | Issuance, total, native units | Supply/Issuance/Native Units/Sum | native block community | ratio 450 20 25
NDF | Network distribution factor | Supply/Distribution/Dimensionless/Ratio | network experimental | ratio 0.3 0.05 26
NVTAdj | NVT, adjusted | Economics/Valuation/Dimensionless/Ratio | network listed | ratio 60 30 27
PriceBTC | Price, BTC | Market/Price/BTC/NA | any community | inBitcoin 60000
PriceUSD | Price, USD | Market/Price/USD/NA | any price community | price
ROI30d | Return on investment, 30 days | Economics/Returns/Percentage/Ratio | any community | ratio 5 40 28
ReferenceRate | Reference rate | Market/Price/USD/NA | any rates | price
ReferenceRateBTC | Reference rate, BTC | Market/Price/BTC/NA | large rates | inBitcoin 60000
ReferenceRateETH | Reference rate, ETH | Market/Price/ETH/NA | large rates | inEther 2800
ReferenceRateEUR | Reference rate, EUR | Market/Price/EUR/NA | large rates | priced 0.92 0.03 29
ReferenceRateUSD | Reference rate, USD | Market/Price/USD/NA | any rates community | price
RevUSD | Miner revenue, USD | Fees and Revenue/Revenue/USD/Sum | work listed block community | share 0.00004 30
SER | Supply equality ratio | Supply/Distribution/Dimensionless/Ratio | network | ratio 0.07 0.02 31
SplyAct1yr | Supply, active, trailing 1 year | Supply/Active/Native Units/Sum | network +365 | supply 0.34
SplyBMXNtv | Supply, held by a derivatives exchange, native units | Supply/Exchange/Native Units/Sum | work listed 2014-11-22 reviewable | ratio 120000 60000 32
SplyCur | Supply, current | Supply/Current/Native Units/Sum | network block community | supply 1
SplyExNtv | Supply, held by exchanges, native units | Supply/Exchange/Native Units/Sum | network listed reviewable | supply 0.12
SplyFF | Supply, free float | Supply/Free Float/Native Units/Sum | network | supply 0.78
TxCnt | Transactions, count | Transactions/Transactions/Transactions/Sum | network bigint block community | activity 1200000 33
TxTfrCnt | Transactions, transfers, count | Transactions/Transfers/Transfers/Sum | network bigint block community | activity 1900000 34
TxERC1155Cnt | ERC-1155 Tx Cnt | Transactions/Tokens/Transfers/Sum | of:eth bigint 2019-06-17 community | activity 20000 44
TxERC20Cnt | ERC-20 Tx Cnt | Transactions/Tokens/Transactions/Sum | of:eth,etc bigint 2015-08-07 community | activity 90000 44
TxERC721Cnt | ERC-721 Tx Cnt | Transactions/Tokens/Transactions/Sum | of:eth,etc bigint 2017-11-23 community | activity 10000 44
TxTknCnt | Token Tx Cnt | Transactions/Tokens/Transactions/Sum | of:eth,etc,sol bigint 2015-08-07 community | activity 100000 44
TxTfrValAdjUSD | Transactions, transfers, value, adjusted, USD | Transactions/Transfer Value/USD/Sum | network listed | share 0.01 35
VelCur1yr | Velocity, current supply, 1 year | Economics/Velocity/Dimensionless/Ratio | network +365 | ratio 7 3 36
VtyDayRet30d | Volatility, daily returns, 30 days | Economics/Returns/Dimensionless/Ratio | any +30 | ratio 0.04 0.03 37
futures_aggregate_funding_rate_usd_margin_1d_period | Aggregate funding rate, USD margined, 1 day | Funding Rates/Future/Percentage/Ratio | large 2020-01-01 hourly | ratio 0.0002 0.0009 38
open_interest_reported_future_usd | Open interest, reported, futures, USD | Open Interest/Future/USD/Sum | large 2019-06-01 tenths | share 0.02 39
volatility_realized_usd_rolling_24h | Volatility, realized, rolling 24 hours | Volatility/Realized/Dimensionless/Ratio | large tenths | ratio 0.5 0.4 40
volume_reported_spot_usd_1d | Volume, reported, spot, USD, 1 day | Volume/Spot/USD/Sum | any | share 0.03 41
volume_reported_spot_usd_1h | Volume, reported, spot, USD, 1 hour | Volume/Spot/USD/Sum | large hour | share 0.0013 42
volume_trusted_spot_usd_1d | Volume, trusted, spot, USD, 1 day | Volume/Spot/USD/Sum | any | share 0.02 43
`

/** The first instant of an asset's series: of its network or of its price, or so much later. */
const sinceOf = (words: ReadonlyArray<string>): Metric["since"] => {
  const isPriced = words.some((word) => priced.has(word))
  const days = Number(words.find((word) => /^\+\d+$/.test(word)) ?? 0)
  const date = words.find((word) => /^\d{4}-/.test(word))
  const earliest = date === undefined ? 0 : at(date)
  return (asset) => Math.max(earliest, (isPriced ? asset.listed : asset.start) + days * DAY)
}

const read = (line: string): Metric => {
  const [metric = "", full_name = "", labels = "", rules = "", curve = ""] = line.split(" | ")
  const words = rules.split(" ")
  const [model = "", a, b, c] = curve.split(" ")
  const has = (word: string) => words.includes(word)
  const named = words.flatMap((word) => (word.startsWith("of:") ? word.slice(3).split(",") : []))
  const find = <A>(known: ReadonlyMap<string, A>) =>
    words.map((word) => known.get(word)).find((one) => one !== undefined)
  return {
    metric,
    record: OtherMetrics.make(metric, labels, {
      full_name,
      product: has("any") || has("large") ? "Market Data" : "Network Data",
      data_type: has("bigint") ? "bigint" : "decimal",
      ...(has("reviewable") ? { reviewable: true } : {}),
      ...(has("experimental") ? { experimental: true } : {}),
      docs_url: `https://docs.example.com/asset-metrics/${metric.toLowerCase()}`
    }),
    frequencies: find(frequenciesOf) ?? ["1d"],
    has: find(holders) ?? (({ asset }) => named.includes(asset)),
    since: sinceOf(words),
    value: models[model]?.(Number(a), Number(b), Number(c)) ?? price,
    community: has("community")
  }
}

export const all: ReadonlyArray<Metric> = table
  .trim()
  .split("\n")
  .map(read)
  .sort((a, b) => (a.metric < b.metric ? -1 : 1))

export const find = Remembered.finder(all, ({ metric }) => metric)
