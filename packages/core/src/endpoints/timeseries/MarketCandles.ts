/** Candles of markets. Source: docs/interface.md 4.6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import * as Params from "../../Params.ts"
import * as Candles from "./Candles.ts"
import * as MarketSeries from "./MarketSeries.ts"

/** The trades of a market over some time, folded into one record. Its `time` is the beginning of that. */
export const MarketCandle = Schema.Struct({ ...MarketSeries.record, ...Candles.prices, ...Candles.volumes })
export interface MarketCandle extends Schema.Schema.Type<typeof MarketCandle> {}

/** Parameters of {@link marketCandles}. Source: docs/interface.md 4.6.4. */
export const MarketCandlesParams = Schema.Struct({ ...MarketSeries.params, ...Candles.params, ...Params.leniency })
export interface MarketCandlesParams extends Schema.Schema.Type<typeof MarketCandlesParams> {}

/**
 * Reads candles of markets: open, high, low, close and volumes.
 *
 * **Gotchas**
 *
 * Candles need not follow each other without gaps: a time without trades may have no record. The last candle may still
 * be growing.
 *
 * Source: docs/interface.md 4.6.4.
 */
export const marketCandles: Endpoint.Endpoint<MarketCandlesParams, MarketCandle> = Endpoint.make(
  "/timeseries/market-candles",
  { section: "4.6", order: "series", params: MarketCandlesParams, record: MarketCandle }
)
