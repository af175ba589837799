/** Records of docs/interface.md 3.12 to 3.15. */
import { key, list, no, object, type Type, word, yes } from "../Field.ts"

/** 3.12: the value of a metric. */
export const metricValue: Type = { _tag: "decimal" }

/** 3.12: the status of a reviewable metric. */
export const reviewStatus = word("flash", "reviewed", "revised")

/** 3.12: of an asset at frequency `1b`. */
export const Block = no("block_hash parent_block_hash height:int64")

/** 3.12. */
export const metricsOf = (keys: string) => key(keys, "time:time")

const market = key("market time:time")

const stored = yes("database_time:time")

/** 3.13. */
export const MarketTrade = {
  ...market,
  ...key("coin_metrics_id"),
  ...yes("amount:decimal price:decimal"),
  ...stored,
  ...no(
    { side: word("buy", "sell") },
    "block_hash block_height:int64 txid initiator sender beneficiary",
    "mark_price:decimal index_price:decimal iv_trade:decimal liquidation"
  )
}

export const PriceLevel = yes("price:decimal size:decimal")

/** 3.13. */
export const MarketOrderbook = {
  ...market,
  ...key("coin_metrics_id"),
  ...yes({ asks: list(PriceLevel), bids: list(PriceLevel) }),
  ...stored,
  // Of updates alone.
  ...no("collect_time:time", { type: word("snapshot", "update") })
}

/** 3.13. */
export const MarketQuote = {
  ...market,
  ...key("coin_metrics_id"),
  ...no("ask_price:decimal ask_size:decimal bid_price:decimal bid_size:decimal")
}

/** 3.13. */
export const MarketLiquidation = {
  ...market,
  ...key("coin_metrics_id"),
  ...yes("amount:decimal price:decimal", { type: word("trade", "order") }),
  ...stored,
  ...no({ side: word("buy", "sell") })
}

const prices = yes("price_open:decimal price_close:decimal price_high:decimal price_low:decimal")

const volumes = "vwap:decimal volume:decimal candle_usd_volume:decimal candle_trades_count:int64"

/** 3.13. */
export const MarketCandle = { ...market, ...prices, ...yes(volumes) }

/** 3.13. */
export const MarketOpenInterest = {
  ...market,
  ...yes("contract_count:decimal value_usd:decimal"),
  ...stored,
  ...no("exchange_time:time")
}

/** 3.13. */
export const MarketFundingRate = { ...market, ...stored, ...no("rate:decimal period interval") }

/** 3.13. */
export const MarketFundingRatePredicted = {
  ...market,
  ...yes("rate_predicted:decimal"),
  ...stored,
  ...no("rate_time:time")
}

/** 3.13. */
export const MarketContractPrice = {
  ...market,
  ...stored,
  ...no("mark_price:decimal index_price:decimal settlement_price_estimated:decimal exchange_time:time")
}

/** 3.13. */
export const MarketImpliedVolatility = {
  ...market,
  ...stored,
  ...no("iv_trade:decimal iv_bid:decimal iv_ask:decimal iv_mark:decimal exchange_time:time")
}

/** 3.13. */
export const MarketGreeks = {
  ...market,
  ...stored,
  ...no("vega:decimal theta:decimal rho:decimal delta:decimal gamma:decimal exchange_time:time")
}

/** 3.14. The last four are published as required and never declared. */
export const PairCandle = { ...key("pair time:time"), ...prices, ...no(volumes) }

/** 3.14. */
export const IndexCandle = { ...key("index time:time"), ...prices, ...yes("candle_trades_count:int64") }

export const IndexVerification = { ...yes("signature"), ...no("timestamp:time level:decimal") }

/** 3.14. */
export const IndexLevel = {
  ...key("index time:time"),
  ...yes("level:decimal"),
  ...no({ verification: object(IndexVerification) })
}

export const IndexConstituent = no("asset weight:decimal price:decimal quantity:decimal weight_basis_value:decimal")

/** 3.14. */
export const IndexConstituents = { ...key("index time:time"), ...yes({ constituents: list(IndexConstituent) }) }

export const MiningPoolTip = yes("last_time:time height:int64 hash pool_count:int64")

/** 3.15. */
export const MiningPoolTipsSummary = {
  ...key("asset time:time"),
  ...yes("tips_count:int64 block_hashes_at_tip:int64", { tips: list(MiningPoolTip) })
}

export const ChainBlock = yes("time:time hash height:int64")

/** 3.15. `chains` is a list of lists. */
export const AssetChains = {
  ...key("asset time:time"),
  ...yes("chains_count:int64 blocks_count_at_tip:int64", { chains: list(list(ChainBlock)) }),
  ...no("reorg reorg_depth:int64")
}

export const Feerate = {
  ...yes("feerate:decimal count:int64 consensus_size:decimal fees:decimal"),
  ...no("physical_size:decimal")
}

/** 3.15. */
export const MempoolFeerates = { ...key("asset time:time"), ...yes({ feerates: list(Feerate) }) }

/** 3.15. */
export const AssetAlert = {
  ...key("asset time:time alert"),
  ...yes("status"),
  ...no("block_height:int64 value threshold")
}

export const BalanceSheetLiability = {
  ...yes("asset total_units:decimal"),
  ...no("total_usd:decimal total_share:decimal")
}

export const BalanceSheetAsset = {
  ...BalanceSheetLiability,
  ...no("loans_lent_units:decimal tvl_units:decimal loans_lent_usd:decimal tvl_usd:decimal"),
  ...no("loans_lent_share:decimal tvl_share:decimal")
}

/** 3.15. */
export const DefiBalanceSheet = {
  ...key("defi_protocol block_height:int64 time:time"),
  ...yes(
    "assets_total_usd:decimal liabilities_total_usd:decimal loans_lent_total_usd:decimal tvl_total_usd:decimal",
    "net_working_capital_usd:decimal assets_total_count:int64 liabilities_total_count:int64",
    { assets: list(BalanceSheetAsset), liabilities: list(BalanceSheetLiability) }
  ),
  ...no("protocol_utilization_ratio:decimal liquid_supply_ratio:decimal current_ratio:decimal"),
  ...no("debt_to_assets_ratio:decimal")
}

/** What a constituent is: published of exchanges, assumed of the others. 3.15. */
const constituent = no("exchange market asset pair")

/** 3.15. */
export const ConstituentSnapshot = { ...key("time:time"), ...constituent }

/** 3.15. */
export const ConstituentTimeframe = { ...key("start_time:time"), ...constituent, ...no("end_time:time") }
