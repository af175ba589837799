import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { id, many } from "../../internal/wire/fields.ts"
import { catalog } from "./Definition.ts"
import { MarketFilters } from "./Markets.ts"
import { DepthRange, MarketCandles, MarketSeries, MetricRange } from "./Ranges.ts"

/** One market and the order books there are for it. Source: docs/interface.md 4.5. */
export const MarketOrderbooks = Schema.Struct({
  ...MarketSeries.fields,
  /** Depths of its order books, each with the times at which there is data. */
  depths: many<DepthRange>(DepthRange)
})
export interface MarketOrderbooks extends Schema.Schema.Type<typeof MarketOrderbooks> {}

/** One market and its metrics. Source: docs/interface.md 4.5. */
export const MarketMetrics = Schema.Struct({
  /** Unique name, such as `coinbase-btc-usd-spot`. */
  market: id,
  /** Metrics of the market, with the frequencies and times at which there is data. */
  metrics: many<MetricRange>(MetricRange)
})
export interface MarketMetrics extends Schema.Schema.Type<typeof MarketMetrics> {}

/** Parameters of the endpoints below: the filters of markets. */
export const MarketSeriesParams = Schema.Struct(MarketFilters.fields)
export interface MarketSeriesParams extends Schema.Schema.Type<typeof MarketSeriesParams> {}

/**
 * Lists markets with trades, and the times covered, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/market-trades`.
 */
export const marketTrades: Endpoint.Endpoint<MarketSeriesParams, MarketSeries> = Endpoint.make(
  "/catalog/market-trades",
  {
    ...catalog,
    params: MarketSeriesParams,
    record: MarketSeries,
    deprecated: { replacement: ["/catalog-v2/market-trades"] }
  }
)

/**
 * Lists markets with candles, and the times covered, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/market-candles`.
 */
export const marketCandles: Endpoint.Endpoint<MarketSeriesParams, MarketCandles> = Endpoint.make(
  "/catalog/market-candles",
  {
    ...catalog,
    params: MarketSeriesParams,
    record: MarketCandles,
    deprecated: { replacement: ["/catalog-v2/market-candles"] }
  }
)

/**
 * Lists markets with order books, and the times covered, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/market-orderbooks`.
 */
export const marketOrderbooks: Endpoint.Endpoint<MarketSeriesParams, MarketOrderbooks> = Endpoint.make(
  "/catalog/market-orderbooks",
  {
    ...catalog,
    params: MarketSeriesParams,
    record: MarketOrderbooks,
    deprecated: { replacement: ["/catalog-v2/market-orderbooks"] }
  }
)

/**
 * Lists markets with quotes, and the times covered, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/market-quotes`.
 */
export const marketQuotes: Endpoint.Endpoint<MarketSeriesParams, MarketSeries> = Endpoint.make(
  "/catalog/market-quotes",
  {
    ...catalog,
    params: MarketSeriesParams,
    record: MarketSeries,
    deprecated: { replacement: ["/catalog-v2/market-quotes"] }
  }
)

/**
 * Lists markets with funding rates, and the times covered, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/market-funding-rates`.
 */
export const marketFundingRates: Endpoint.Endpoint<MarketSeriesParams, MarketSeries> = Endpoint.make(
  "/catalog/market-funding-rates",
  {
    ...catalog,
    params: MarketSeriesParams,
    record: MarketSeries,
    deprecated: { replacement: ["/catalog-v2/market-funding-rates"] }
  }
)

/**
 * Lists markets with contract prices, and the times covered, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/market-contract-prices`.
 */
export const marketContractPrices: Endpoint.Endpoint<MarketSeriesParams, MarketSeries> = Endpoint.make(
  "/catalog/market-contract-prices",
  {
    ...catalog,
    params: MarketSeriesParams,
    record: MarketSeries,
    deprecated: { replacement: ["/catalog-v2/market-contract-prices"] }
  }
)

/**
 * Lists markets with implied volatility, and the times covered, as far as the key may read. Source: docs/interface.md
 * 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/market-implied-volatility`.
 */
export const marketImpliedVolatility: Endpoint.Endpoint<MarketSeriesParams, MarketSeries> = Endpoint.make(
  "/catalog/market-implied-volatility",
  {
    ...catalog,
    params: MarketSeriesParams,
    record: MarketSeries,
    deprecated: { replacement: ["/catalog-v2/market-implied-volatility"] }
  }
)

/**
 * Lists markets with greeks, and the times covered, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/market-greeks`.
 */
export const marketGreeks: Endpoint.Endpoint<MarketSeriesParams, MarketSeries> = Endpoint.make(
  "/catalog/market-greeks",
  {
    ...catalog,
    params: MarketSeriesParams,
    record: MarketSeries,
    deprecated: { replacement: ["/catalog-v2/market-greeks"] }
  }
)

/**
 * Lists markets with open interest, and the times covered, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/market-openinterest`.
 */
export const marketOpeninterest: Endpoint.Endpoint<MarketSeriesParams, MarketSeries> = Endpoint.make(
  "/catalog/market-openinterest",
  {
    ...catalog,
    params: MarketSeriesParams,
    record: MarketSeries,
    deprecated: { replacement: ["/catalog-v2/market-openinterest"] }
  }
)

/**
 * Lists markets with liquidations, and the times covered, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use instead: `/catalog-v2/market-liquidations`.
 */
export const marketLiquidations: Endpoint.Endpoint<MarketSeriesParams, MarketSeries> = Endpoint.make(
  "/catalog/market-liquidations",
  {
    ...catalog,
    params: MarketSeriesParams,
    record: MarketSeries,
    deprecated: { replacement: ["/catalog-v2/market-liquidations"] }
  }
)

/**
 * Lists markets with metrics, and the times covered, as far as the key may read. Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/market-metrics` for what is available,
 * `/reference-data/market-metrics` for what it is.
 */
export const marketMetrics: Endpoint.Endpoint<MarketSeriesParams, MarketMetrics> = Endpoint.make(
  "/catalog/market-metrics",
  {
    ...catalog,
    params: MarketSeriesParams,
    record: MarketMetrics,
    deprecated: { replacement: ["/catalog-v2/market-metrics", "/reference-data/market-metrics"] }
  }
)
