import type { Endpoint } from "../../Endpoint.ts"
import * as CatalogV2 from "../CatalogV2.ts"
import { full } from "../catalog/Full.ts"

/** Lists markets with trades, and the times covered, whatever the key may read. Source: docs/interface.md 4.9. */
export const marketTrades: Endpoint<CatalogV2.MarketsParams, CatalogV2.MarketSeries> = full(CatalogV2.marketTrades)

/**
 * Lists markets with candles, and the times covered at each frequency, whatever the key may read. Source:
 * docs/interface.md 4.9.
 */
export const marketCandles: Endpoint<CatalogV2.MarketsParams, CatalogV2.MarketCandles> = full(CatalogV2.marketCandles)

/**
 * Lists markets with order books, and the times covered at each depth, whatever the key may read. Source:
 * docs/interface.md 4.9.
 */
export const marketOrderbooks: Endpoint<CatalogV2.MarketsParams, CatalogV2.MarketOrderbooks> = full(
  CatalogV2.marketOrderbooks
)

/** Lists markets with quotes, and the times covered, whatever the key may read. Source: docs/interface.md 4.9. */
export const marketQuotes: Endpoint<CatalogV2.MarketsParams, CatalogV2.MarketSeries> = full(CatalogV2.marketQuotes)

/**
 * Lists markets with funding rates, and the times covered, whatever the key may read. Source: docs/interface.md 4.9.
 */
export const marketFundingRates: Endpoint<CatalogV2.MarketsParams, CatalogV2.MarketSeries> = full(
  CatalogV2.marketFundingRates
)

/**
 * Lists markets with predicted funding rates, and the times covered, whatever the key may read. Source:
 * docs/interface.md 4.9.
 */
export const marketFundingRatesPredicted: Endpoint<CatalogV2.MarketsParams, CatalogV2.MarketSeries> = full(
  CatalogV2.marketFundingRatesPredicted
)

/**
 * Lists markets with contract prices, and the times covered, whatever the key may read. Source: docs/interface.md 4.9.
 */
export const marketContractPrices: Endpoint<CatalogV2.MarketsParams, CatalogV2.MarketSeries> = full(
  CatalogV2.marketContractPrices
)

/**
 * Lists markets with implied volatility, and the times covered, whatever the key may read. Source: docs/interface.md
 * 4.9.
 */
export const marketImpliedVolatility: Endpoint<CatalogV2.MarketsParams, CatalogV2.MarketSeries> = full(
  CatalogV2.marketImpliedVolatility
)

/** Lists markets with greeks, and the times covered, whatever the key may read. Source: docs/interface.md 4.9. */
export const marketGreeks: Endpoint<CatalogV2.MarketsParams, CatalogV2.MarketSeries> = full(CatalogV2.marketGreeks)

/**
 * Lists markets with open interest, and the times covered, whatever the key may read. Source: docs/interface.md 4.9.
 */
export const marketOpeninterest: Endpoint<CatalogV2.MarketsParams, CatalogV2.MarketSeries> = full(
  CatalogV2.marketOpeninterest
)

/** Lists markets with liquidations, and the times covered, whatever the key may read. Source: docs/interface.md 4.9. */
export const marketLiquidations: Endpoint<CatalogV2.MarketsParams, CatalogV2.MarketSeries> = full(
  CatalogV2.marketLiquidations
)
