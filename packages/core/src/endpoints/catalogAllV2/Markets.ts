import type { Endpoint } from "../../Endpoint.ts"
import { catalog } from "../catalogV2/Definition.ts"
import { MarketCandles, MarketSeries } from "../catalog/Ranges.ts"
import { MarketOrderbooks, MarketsParams } from "../catalogV2/Markets.ts"

const series = catalog(MarketsParams, MarketSeries)
const candles = catalog(MarketsParams, MarketCandles)
const orderbooks = catalog(MarketsParams, MarketOrderbooks)

/** Lists markets with trades, and the times covered, whatever the key may read. Source: docs/interface.md 4.9. */
export const marketTrades: Endpoint<MarketsParams, MarketSeries> = series("/catalog-all-v2/market-trades")

/**
 * Lists markets with candles, and the times covered at each frequency, whatever the key may read. Source:
 * docs/interface.md 4.9.
 */
export const marketCandles: Endpoint<MarketsParams, MarketCandles> = candles("/catalog-all-v2/market-candles")

/**
 * Lists markets with order books, and the times covered at each depth, whatever the key may read. Source:
 * docs/interface.md 4.9.
 */
export const marketOrderbooks: Endpoint<MarketsParams, MarketOrderbooks> = orderbooks(
  "/catalog-all-v2/market-orderbooks"
)

/** Lists markets with quotes, and the times covered, whatever the key may read. Source: docs/interface.md 4.9. */
export const marketQuotes: Endpoint<MarketsParams, MarketSeries> = series("/catalog-all-v2/market-quotes")

/**
 * Lists markets with funding rates, and the times covered, whatever the key may read. Source: docs/interface.md 4.9.
 */
export const marketFundingRates: Endpoint<MarketsParams, MarketSeries> = series("/catalog-all-v2/market-funding-rates")

/**
 * Lists markets with predicted funding rates, and the times covered, whatever the key may read. Source:
 * docs/interface.md 4.9.
 */
export const marketFundingRatesPredicted: Endpoint<MarketsParams, MarketSeries> = series(
  "/catalog-all-v2/market-funding-rates-predicted"
)

/**
 * Lists markets with contract prices, and the times covered, whatever the key may read. Source: docs/interface.md 4.9.
 */
export const marketContractPrices: Endpoint<MarketsParams, MarketSeries> = series(
  "/catalog-all-v2/market-contract-prices"
)

/**
 * Lists markets with implied volatility, and the times covered, whatever the key may read. Source: docs/interface.md
 * 4.9.
 */
export const marketImpliedVolatility: Endpoint<MarketsParams, MarketSeries> = series(
  "/catalog-all-v2/market-implied-volatility"
)

/** Lists markets with greeks, and the times covered, whatever the key may read. Source: docs/interface.md 4.9. */
export const marketGreeks: Endpoint<MarketsParams, MarketSeries> = series("/catalog-all-v2/market-greeks")

/**
 * Lists markets with open interest, and the times covered, whatever the key may read. Source: docs/interface.md 4.9.
 */
export const marketOpeninterest: Endpoint<MarketsParams, MarketSeries> = series("/catalog-all-v2/market-openinterest")

/** Lists markets with liquidations, and the times covered, whatever the key may read. Source: docs/interface.md 4.9. */
export const marketLiquidations: Endpoint<MarketsParams, MarketSeries> = series("/catalog-all-v2/market-liquidations")
