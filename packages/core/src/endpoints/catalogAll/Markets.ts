import type { Endpoint } from "../../Endpoint.ts"
import * as Catalog from "../Catalog.ts"
import { full } from "../catalog/Full.ts"

/**
 * Lists markets and the data of each, whatever the key may read.
 *
 * **Details**
 *
 * `include` and `exclude` choose among the six kinds of data; all are included by default. The service cuts its lists
 * of markets to 170,000, the oldest options first.
 *
 * Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/market-trades`,
 * `/catalog-all-v2/market-orderbooks`, `/catalog-all-v2/market-quotes`, `/catalog-all-v2/market-funding-rates`,
 * `/catalog-all-v2/market-openinterest`, `/catalog-all-v2/market-liquidations` for what is available,
 * `/reference-data/markets` for what it is.
 */
export const markets: Endpoint<Catalog.MarketsParams, Catalog.Market> = full(Catalog.markets)

/**
 * Lists markets with trades, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-trades`.
 */
export const marketTrades: Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = full(Catalog.marketTrades)

/**
 * Lists markets with candles, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-candles`.
 */
export const marketCandles: Endpoint<Catalog.MarketSeriesParams, Catalog.MarketCandles> = full(Catalog.marketCandles)

/**
 * Lists markets with order books, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-orderbooks`.
 */
export const marketOrderbooks: Endpoint<Catalog.MarketSeriesParams, Catalog.MarketOrderbooks> = full(
  Catalog.marketOrderbooks
)

/**
 * Lists markets with quotes, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-quotes`.
 */
export const marketQuotes: Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = full(Catalog.marketQuotes)

/**
 * Lists markets with funding rates, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-funding-rates`.
 */
export const marketFundingRates: Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = full(
  Catalog.marketFundingRates
)

/**
 * Lists markets with contract prices, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-contract-prices`.
 */
export const marketContractPrices: Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = full(
  Catalog.marketContractPrices
)

/**
 * Lists markets with implied volatility, and the times covered, whatever the key may read. Source: docs/interface.md
 * 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-implied-volatility`.
 */
export const marketImpliedVolatility: Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = full(
  Catalog.marketImpliedVolatility
)

/**
 * Lists markets with greeks, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-greeks`.
 */
export const marketGreeks: Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = full(Catalog.marketGreeks)

/**
 * Lists markets with open interest, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-openinterest`.
 */
export const marketOpeninterest: Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = full(
  Catalog.marketOpeninterest
)

/**
 * Lists markets with liquidations, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-liquidations`.
 */
export const marketLiquidations: Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = full(
  Catalog.marketLiquidations
)

/**
 * Lists markets with metrics, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/market-metrics` for what is available,
 * `/reference-data/market-metrics` for what it is.
 */
export const marketMetrics: Endpoint<Catalog.MarketSeriesParams, Catalog.MarketMetrics> = full(Catalog.marketMetrics)
