/** Candles of markets as they are completed. Source: docs/interface.md 6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as LiveEndpoint from "../../LiveEndpoint.ts"
import * as Params from "../../Params.ts"
import * as History from "../timeseries/MarketCandles.ts"
import * as LiveSeries from "./LiveSeries.ts"

/** Prices and volume of a market during one interval. */
export const LiveMarketCandle = Schema.Struct({ ...History.MarketCandle.fields, ...LiveSeries.record })
export interface LiveMarketCandle extends Schema.Schema.Type<typeof LiveMarketCandle> {}

/** Parameters of {@link marketCandles}. Source: docs/interface.md 6.2. */
export const LiveMarketCandlesParams = Schema.Struct({
  ...LiveSeries.marketParams,
  /** Length of a candle; `1m` when absent. */
  frequency: Params.frequency(["1m", "5m", "10m", "15m", "30m", "1h", "4h", "1d"])
})
export interface LiveMarketCandlesParams extends Schema.Schema.Type<typeof LiveMarketCandlesParams> {}

/**
 * Follows candles of spot markets and futures, each about 5 seconds after its end; those of pools and options have none.
 *
 * Source: docs/interface.md 6.2.
 */
export const marketCandles: LiveEndpoint.LiveEndpoint<LiveMarketCandlesParams, LiveMarketCandle> = LiveEndpoint.make(
  "/timeseries-stream/market-candles",
  {
    section: "6.2",
    entity: "market",
    params: LiveMarketCandlesParams,
    record: LiveMarketCandle,
    history: {
      endpoint: History.marketCandles,
      records: "same",
      params: ({ frequency = "1m", markets }) => ({ frequency, markets })
    }
  }
)
