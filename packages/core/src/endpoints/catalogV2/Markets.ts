import * as Schema from "effect/Schema"
import type { Endpoint } from "../../Endpoint.ts"
import { id, many } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { DepthRange, MarketCandles, MarketSeries } from "../catalog/Ranges.ts"
import { catalog } from "./Definition.ts"
import { marketFilters } from "./Filters.ts"

/** One market and the order books there are for it: times stand at each depth only. Source: docs/interface.md 3.11. */
export const MarketOrderbooks = Schema.Struct({
  /** Unique name, such as `coinbase-btc-usd-spot`. */
  market: id,
  /** Depths of its order books, each with the times at which there is data. */
  depths: many<DepthRange>(DepthRange)
})
export interface MarketOrderbooks extends Schema.Schema.Type<typeof MarketOrderbooks> {}

/** Parameters of the catalogs of market data. Source: docs/interface.md 4.9. */
export const MarketsParams = Schema.Struct({
  ...marketFilters,
  /** Keeps the markets with data at this time or later. */
  start_time: Params.startTime,
  /** Keeps the markets with data at this time or earlier. A date is its whole day. */
  end_time: Params.endTime,
  /** Whether `start_time` itself is meant as well. Default true. */
  start_inclusive: Params.startInclusive,
  /** Whether `end_time` itself is meant as well. Default true. */
  end_inclusive: Params.endInclusive,
  /** Time zone of the two times, such as `America/New_York`; UTC when absent. */
  timezone: Params.timeZone,
  ...Params.paging,
  ...Params.format
})
export interface MarketsParams extends Schema.Schema.Type<typeof MarketsParams> {}

const series = catalog(MarketsParams, MarketSeries)
const candles = catalog(MarketsParams, MarketCandles)
const orderbooks = catalog(MarketsParams, MarketOrderbooks)

/** Lists markets with trades, and the times covered, as far as the key may read. Source: docs/interface.md 4.9. */
export const marketTrades: Endpoint<MarketsParams, MarketSeries> = series("/catalog-v2/market-trades")

/**
 * Lists markets with candles, and the times covered at each frequency, as far as the key may read. Source:
 * docs/interface.md 4.9.
 */
export const marketCandles: Endpoint<MarketsParams, MarketCandles> = candles("/catalog-v2/market-candles")

/**
 * Lists markets with order books, and the times covered at each depth, as far as the key may read. Source:
 * docs/interface.md 4.9.
 */
export const marketOrderbooks: Endpoint<MarketsParams, MarketOrderbooks> = orderbooks("/catalog-v2/market-orderbooks")

/** Lists markets with quotes, and the times covered, as far as the key may read. Source: docs/interface.md 4.9. */
export const marketQuotes: Endpoint<MarketsParams, MarketSeries> = series("/catalog-v2/market-quotes")

/**
 * Lists markets with funding rates, and the times covered, as far as the key may read. Source: docs/interface.md 4.9.
 */
export const marketFundingRates: Endpoint<MarketsParams, MarketSeries> = series("/catalog-v2/market-funding-rates")

/**
 * Lists markets with predicted funding rates, and the times covered, as far as the key may read. Source:
 * docs/interface.md 4.9.
 */
export const marketFundingRatesPredicted: Endpoint<MarketsParams, MarketSeries> = series(
  "/catalog-v2/market-funding-rates-predicted"
)

/**
 * Lists markets with contract prices, and the times covered, as far as the key may read. Source: docs/interface.md 4.9.
 */
export const marketContractPrices: Endpoint<MarketsParams, MarketSeries> = series("/catalog-v2/market-contract-prices")

/**
 * Lists markets with implied volatility, and the times covered, as far as the key may read. Source: docs/interface.md
 * 4.9.
 */
export const marketImpliedVolatility: Endpoint<MarketsParams, MarketSeries> = series(
  "/catalog-v2/market-implied-volatility"
)

/** Lists markets with greeks, and the times covered, as far as the key may read. Source: docs/interface.md 4.9. */
export const marketGreeks: Endpoint<MarketsParams, MarketSeries> = series("/catalog-v2/market-greeks")

/**
 * Lists markets with open interest, and the times covered, as far as the key may read. Source: docs/interface.md 4.9.
 */
export const marketOpeninterest: Endpoint<MarketsParams, MarketSeries> = series("/catalog-v2/market-openinterest")

/**
 * Lists markets with liquidations, and the times covered, as far as the key may read. Source: docs/interface.md 4.9.
 */
export const marketLiquidations: Endpoint<MarketsParams, MarketSeries> = series("/catalog-v2/market-liquidations")
