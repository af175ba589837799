// Written by `sluice types`: what the key may read. Write it again when that changes.
//
//   import type { Readable } from "./metrics.js"
//   Timeseries.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"], start_time: "2024-01-01" } satisfies Readable)
import type { Timeseries } from "@sluice/core"

/** Ticker of an asset. */
export type Asset =
  | "btc" | "eth"

/** Each asset metric with its frequencies. */
export interface AssetMetrics {
  /** Addresses, active, count */
  readonly "AdrActCnt": "1b" | "1d"
  /** Addresses, holding 1/1M of supply, count */
  readonly "AdrBal1in1MCnt": "1d"
  /** Addresses, with balance, count */
  readonly "AdrBalCnt": "1d"
  /** End of day completion time */
  readonly "AssetEODCompletionTime": "1d"
  /** Block, count */
  readonly "BlkCnt": "1b" | "1d"
  /** Block, size, mean, bytes */
  readonly "BlkSizeMeanByte": "1b" | "1d"
  /** Block, weight, sum */
  readonly "BlkWghtTot": "1b" | "1d"
  /** Capitalization, market, current supply, USD */
  readonly "CapMrktCurUSD": "1b" | "1d"
  /** Capitalization, market, estimated supply, USD */
  readonly "CapMrktEstUSD": "1d" | "1h"
  /** Capitalization, realized, USD */
  readonly "CapRealUSD": "1d"
  /** Difficulty, mean */
  readonly "DiffMean": "1b" | "1d"
  /** Fees, transaction, mean, native units */
  readonly "FeeMeanNtv": "1b" | "1d"
  /** Fees, transaction, mean, USD */
  readonly "FeeMeanUSD": "1b" | "1d"
  /** Fees, total, native units */
  readonly "FeeTotNtv": "1b" | "1d"
  /** Fees, total, USD */
  readonly "FeeTotUSD": "1b" | "1d"
  /** Flow, in, to exchanges, USD */
  readonly "FlowInExUSD": "1b" | "1d"
  /** Flow, out, from exchanges, USD */
  readonly "FlowOutExUSD": "1b" | "1d"
  /** Hash rate, mean */
  readonly "HashRate": "1b" | "1d"
  /** Issuance, total, native units */
  readonly "IssTotNtv": "1b" | "1d"
  /** Network distribution factor */
  readonly "NDF": "1d"
  /** NVT, adjusted */
  readonly "NVTAdj": "1d"
  /** Price, BTC */
  readonly "PriceBTC": "1d"
  /** Price, USD */
  readonly "PriceUSD": "10m" | "15m" | "1b" | "1d" | "1d-ny-close" | "1d-sg-close" | "1h" | "1m" | "30m" | "4h" | "5m"
  /** Return on investment, 30 days */
  readonly "ROI30d": "1d"
  /** Reference rate */
  readonly "ReferenceRate": "10m" | "15m" | "15s" | "1d" | "1d-ny-close" | "1d-sg-close" | "1h" | "1m" | "1s" | "30m" | "4h" | "5m"
  /** Reference rate, BTC */
  readonly "ReferenceRateBTC": "10m" | "15m" | "15s" | "1d" | "1d-ny-close" | "1d-sg-close" | "1h" | "1m" | "1s" | "30m" | "4h" | "5m"
  /** Reference rate, ETH */
  readonly "ReferenceRateETH": "10m" | "15m" | "15s" | "1d" | "1d-ny-close" | "1d-sg-close" | "1h" | "1m" | "1s" | "30m" | "4h" | "5m"
  /** Reference rate, EUR */
  readonly "ReferenceRateEUR": "10m" | "15m" | "15s" | "1d" | "1d-ny-close" | "1d-sg-close" | "1h" | "1m" | "1s" | "30m" | "4h" | "5m"
  /** Reference rate, USD */
  readonly "ReferenceRateUSD": "10m" | "15m" | "15s" | "1d" | "1d-ny-close" | "1d-sg-close" | "1h" | "1m" | "1s" | "30m" | "4h" | "5m"
  /** Miner revenue, USD */
  readonly "RevUSD": "1b" | "1d"
  /** Supply equality ratio */
  readonly "SER": "1d"
  /** Supply, active, trailing 1 year */
  readonly "SplyAct1yr": "1d"
  /** Supply, held by a derivatives exchange, native units */
  readonly "SplyBMXNtv": "1d"
  /** Supply, current */
  readonly "SplyCur": "1b" | "1d"
  /** Supply, held by exchanges, native units */
  readonly "SplyExNtv": "1d"
  /** Supply, free float */
  readonly "SplyFF": "1d"
  /** Transactions, count */
  readonly "TxCnt": "1b" | "1d"
  /** ERC-1155 Tx Cnt */
  readonly "TxERC1155Cnt": "1d"
  /** ERC-20 Tx Cnt */
  readonly "TxERC20Cnt": "1d"
  /** ERC-721 Tx Cnt */
  readonly "TxERC721Cnt": "1d"
  /** Transactions, transfers, count */
  readonly "TxTfrCnt": "1b" | "1d"
  /** Transactions, transfers, value, adjusted, USD */
  readonly "TxTfrValAdjUSD": "1d"
  /** Token Tx Cnt */
  readonly "TxTknCnt": "1d"
  /** Velocity, current supply, 1 year */
  readonly "VelCur1yr": "1d"
  /** Volatility, daily returns, 30 days */
  readonly "VtyDayRet30d": "1d"
  /** Aggregate funding rate, USD margined, 1 day */
  readonly "futures_aggregate_funding_rate_usd_margin_1d_period": "1d" | "1h"
  /** Open interest, reported, futures, USD */
  readonly "open_interest_reported_future_usd": "10m" | "1d" | "1h"
  /** Volatility, realized, rolling 24 hours */
  readonly "volatility_realized_usd_rolling_24h": "10m" | "1d" | "1h"
  /** Volume, reported, spot, USD, 1 day */
  readonly "volume_reported_spot_usd_1d": "1d"
  /** Volume, reported, spot, USD, 1 hour */
  readonly "volume_reported_spot_usd_1h": "1h"
  /** Volume, trusted, spot, USD, 1 day */
  readonly "volume_trusted_spot_usd_1d": "1d"
}

/** Name of an asset metric. */
export type AssetMetric = keyof AssetMetrics

/** A frequency that one of these metrics has. */
export type Frequency = AssetMetrics[AssetMetric]

/** Parameters of `Timeseries.assetMetrics` that name only these assets, metrics and frequencies; all others are as they were. */
export interface Readable extends Omit<Timeseries.AssetMetricsParams, "assets" | "metrics" | "frequency"> {
  readonly assets: ReadonlyArray<Asset>
  readonly metrics: ReadonlyArray<AssetMetric>
  readonly frequency?: Frequency | undefined
}
