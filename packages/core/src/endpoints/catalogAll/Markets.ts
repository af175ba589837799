import * as Endpoint from "../../Endpoint.ts"
import * as Catalog from "../Catalog.ts"
import { fullCatalog } from "../catalog/Definition.ts"

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
export const markets: Endpoint.Endpoint<Catalog.MarketsParams, Catalog.Market> = Endpoint.make("/catalog-all/markets", {
  ...fullCatalog,
  params: Catalog.MarketsParams,
  record: Catalog.Market,
  deprecated: {
    replacement: [
      "/catalog-all-v2/market-trades",
      "/catalog-all-v2/market-orderbooks",
      "/catalog-all-v2/market-quotes",
      "/catalog-all-v2/market-funding-rates",
      "/catalog-all-v2/market-openinterest",
      "/catalog-all-v2/market-liquidations",
      "/reference-data/markets"
    ]
  }
})

/**
 * Lists markets with trades, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-trades`.
 */
export const marketTrades: Endpoint.Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = Endpoint.make(
  "/catalog-all/market-trades",
  {
    ...fullCatalog,
    params: Catalog.MarketSeriesParams,
    record: Catalog.MarketSeries,
    deprecated: { replacement: ["/catalog-all-v2/market-trades"] }
  }
)

/**
 * Lists markets with candles, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-candles`.
 */
export const marketCandles: Endpoint.Endpoint<Catalog.MarketSeriesParams, Catalog.MarketCandles> = Endpoint.make(
  "/catalog-all/market-candles",
  {
    ...fullCatalog,
    params: Catalog.MarketSeriesParams,
    record: Catalog.MarketCandles,
    deprecated: { replacement: ["/catalog-all-v2/market-candles"] }
  }
)

/**
 * Lists markets with order books, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-orderbooks`.
 */
export const marketOrderbooks: Endpoint.Endpoint<Catalog.MarketSeriesParams, Catalog.MarketOrderbooks> = Endpoint.make(
  "/catalog-all/market-orderbooks",
  {
    ...fullCatalog,
    params: Catalog.MarketSeriesParams,
    record: Catalog.MarketOrderbooks,
    deprecated: { replacement: ["/catalog-all-v2/market-orderbooks"] }
  }
)

/**
 * Lists markets with quotes, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-quotes`.
 */
export const marketQuotes: Endpoint.Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = Endpoint.make(
  "/catalog-all/market-quotes",
  {
    ...fullCatalog,
    params: Catalog.MarketSeriesParams,
    record: Catalog.MarketSeries,
    deprecated: { replacement: ["/catalog-all-v2/market-quotes"] }
  }
)

/**
 * Lists markets with funding rates, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-funding-rates`.
 */
export const marketFundingRates: Endpoint.Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = Endpoint.make(
  "/catalog-all/market-funding-rates",
  {
    ...fullCatalog,
    params: Catalog.MarketSeriesParams,
    record: Catalog.MarketSeries,
    deprecated: { replacement: ["/catalog-all-v2/market-funding-rates"] }
  }
)

/**
 * Lists markets with contract prices, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-contract-prices`.
 */
export const marketContractPrices: Endpoint.Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = Endpoint.make(
  "/catalog-all/market-contract-prices",
  {
    ...fullCatalog,
    params: Catalog.MarketSeriesParams,
    record: Catalog.MarketSeries,
    deprecated: { replacement: ["/catalog-all-v2/market-contract-prices"] }
  }
)

/**
 * Lists markets with implied volatility, and the times covered, whatever the key may read. Source: docs/interface.md
 * 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-implied-volatility`.
 */
export const marketImpliedVolatility: Endpoint.Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> =
  Endpoint.make("/catalog-all/market-implied-volatility", {
    ...fullCatalog,
    params: Catalog.MarketSeriesParams,
    record: Catalog.MarketSeries,
    deprecated: { replacement: ["/catalog-all-v2/market-implied-volatility"] }
  })

/**
 * Lists markets with greeks, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-greeks`.
 */
export const marketGreeks: Endpoint.Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = Endpoint.make(
  "/catalog-all/market-greeks",
  {
    ...fullCatalog,
    params: Catalog.MarketSeriesParams,
    record: Catalog.MarketSeries,
    deprecated: { replacement: ["/catalog-all-v2/market-greeks"] }
  }
)

/**
 * Lists markets with open interest, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-openinterest`.
 */
export const marketOpeninterest: Endpoint.Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = Endpoint.make(
  "/catalog-all/market-openinterest",
  {
    ...fullCatalog,
    params: Catalog.MarketSeriesParams,
    record: Catalog.MarketSeries,
    deprecated: { replacement: ["/catalog-all-v2/market-openinterest"] }
  }
)

/**
 * Lists markets with liquidations, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-all-v2/market-liquidations`.
 */
export const marketLiquidations: Endpoint.Endpoint<Catalog.MarketSeriesParams, Catalog.MarketSeries> = Endpoint.make(
  "/catalog-all/market-liquidations",
  {
    ...fullCatalog,
    params: Catalog.MarketSeriesParams,
    record: Catalog.MarketSeries,
    deprecated: { replacement: ["/catalog-all-v2/market-liquidations"] }
  }
)

/**
 * Lists markets with metrics, and the times covered, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-all-v2/market-metrics` for what is available,
 * `/reference-data/market-metrics` for what it is.
 */
export const marketMetrics: Endpoint.Endpoint<Catalog.MarketSeriesParams, Catalog.MarketMetrics> = Endpoint.make(
  "/catalog-all/market-metrics",
  {
    ...fullCatalog,
    params: Catalog.MarketSeriesParams,
    record: Catalog.MarketMetrics,
    deprecated: { replacement: ["/catalog-all-v2/market-metrics", "/reference-data/market-metrics"] }
  }
)
