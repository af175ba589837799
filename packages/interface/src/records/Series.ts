/** Records of docs/interface.md 3.12 to 3.15. */
import { key, list, may, object, type Type, word } from "../Field.ts"

/** 3.12: the value of a metric. */
export const metricValue: Type = { _tag: "decimal" }

/** 3.12: the status of a reviewable metric. */
export const reviewStatus = word("flash", "reviewed", "revised")

/** 3.12: of an asset at frequency `1b`. */
export const Block = may("block_hash parent_block_hash height:int64")

/** 3.12. */
export const metricsOf = (keys: string) => key(keys, "time:time")

const market = key("market time:time")

const stored = may("database_time:time")

/** 3.13. */
export const MarketTrade = {
  ...market,
  ...key("coin_metrics_id"),
  ...may("amount:decimal price:decimal"),
  ...stored,
  ...may(
    { side: word("buy", "sell") },
    "block_hash block_height:int64 txid initiator sender beneficiary",
    "mark_price:decimal index_price:decimal iv_trade:decimal liquidation"
  )
}

export const PriceLevel = may("price:decimal size:decimal")

/** 3.13. */
export const MarketOrderbook = {
  ...market,
  ...key("coin_metrics_id"),
  ...may({ asks: list(PriceLevel), bids: list(PriceLevel) }),
  ...stored,
  // Of updates alone.
  ...may("collect_time:time", { type: word("snapshot", "update") })
}

/** 3.13. */
export const MarketQuote = {
  ...market,
  ...key("coin_metrics_id"),
  ...may("ask_price:decimal ask_size:decimal bid_price:decimal bid_size:decimal")
}

/** 3.13. */
export const MarketLiquidation = {
  ...market,
  ...key("coin_metrics_id"),
  ...may("amount:decimal price:decimal", { type: word("trade", "order") }),
  ...stored,
  ...may({ side: word("buy", "sell") })
}

const prices = may("price_open:decimal price_close:decimal price_high:decimal price_low:decimal")

const volumes = "vwap:decimal volume:decimal candle_usd_volume:decimal candle_trades_count:int64"

/** 3.13. */
export const MarketCandle = { ...market, ...prices, ...may(volumes) }

/** 3.13. */
export const MarketOpenInterest = {
  ...market,
  ...may("contract_count:decimal value_usd:decimal"),
  ...stored,
  ...may("exchange_time:time")
}

/** 3.13. */
export const MarketFundingRate = { ...market, ...stored, ...may("rate:decimal period interval") }

/** 3.13. */
export const MarketFundingRatePredicted = {
  ...market,
  ...may("rate_predicted:decimal"),
  ...stored,
  ...may("rate_time:time")
}

/** 3.13. */
export const MarketContractPrice = {
  ...market,
  ...stored,
  ...may("mark_price:decimal index_price:decimal settlement_price_estimated:decimal exchange_time:time")
}

/** 3.13. */
export const MarketImpliedVolatility = {
  ...market,
  ...stored,
  ...may("iv_trade:decimal iv_bid:decimal iv_ask:decimal iv_mark:decimal exchange_time:time")
}

/** 3.13. */
export const MarketGreeks = {
  ...market,
  ...stored,
  ...may("vega:decimal theta:decimal rho:decimal delta:decimal gamma:decimal exchange_time:time")
}

/** 3.14. The last four are published as required and never declared. */
export const PairCandle = { ...key("pair time:time"), ...prices, ...may(volumes) }

/** 3.14. */
export const IndexCandle = { ...key("index time:time"), ...prices, ...may("candle_trades_count:int64") }

export const IndexVerification = { ...may("signature", "timestamp:time level:decimal") }

/** 3.14. */
export const IndexLevel = {
  ...key("index time:time"),
  ...may("level:decimal", { verification: object(IndexVerification) })
}

export const IndexConstituent = may("asset weight:decimal price:decimal quantity:decimal weight_basis_value:decimal")

/** 3.14. */
export const IndexConstituents = { ...key("index time:time"), ...may({ constituents: list(IndexConstituent) }) }

export const MiningPoolTip = may("last_time:time height:int64 hash pool_count:int64")

/** 3.15. */
export const MiningPoolTipsSummary = {
  ...key("asset time:time"),
  ...may("tips_count:int64 block_hashes_at_tip:int64", { tips: list(MiningPoolTip) })
}

export const ChainBlock = may("time:time hash height:int64")

/** 3.15. `chains` is a list of lists. */
export const AssetChains = {
  ...key("asset time:time"),
  ...may("chains_count:int64 blocks_count_at_tip:int64", { chains: list(list(ChainBlock)) }),
  ...may("reorg reorg_depth:int64")
}

export const Feerate = {
  ...may("feerate:decimal count:int64 consensus_size:decimal fees:decimal", "physical_size:decimal")
}

/** 3.15. */
export const MempoolFeerates = { ...key("asset time:time"), ...may({ feerates: list(Feerate) }) }

/** 3.15. */
export const AssetAlert = {
  ...key("asset time:time alert"),
  ...may("status", "block_height:int64 value threshold")
}

export const BalanceSheetLiability = {
  ...may("asset total_units:decimal", "total_usd:decimal total_share:decimal")
}

export const BalanceSheetAsset = {
  ...BalanceSheetLiability,
  ...may(
    "loans_lent_units:decimal tvl_units:decimal loans_lent_usd:decimal tvl_usd:decimal",
    "loans_lent_share:decimal tvl_share:decimal"
  )
}

/** 3.15. */
export const DefiBalanceSheet = {
  ...key("defi_protocol block_height:int64 time:time"),
  ...may(
    "assets_total_usd:decimal liabilities_total_usd:decimal loans_lent_total_usd:decimal tvl_total_usd:decimal",
    "net_working_capital_usd:decimal assets_total_count:int64 liabilities_total_count:int64",
    { assets: list(BalanceSheetAsset), liabilities: list(BalanceSheetLiability) }
  ),
  ...may(
    "protocol_utilization_ratio:decimal liquid_supply_ratio:decimal current_ratio:decimal",
    "debt_to_assets_ratio:decimal"
  )
}

/** What a constituent is: published of exchanges, assumed of the others. 3.15. */
const constituent = may("exchange market asset pair")

/** 3.15. */
export const ConstituentSnapshot = { ...key("time:time"), ...constituent }

/** 3.15. */
export const ConstituentTimeframe = { ...key("start_time:time"), ...constituent, ...may("end_time:time") }
