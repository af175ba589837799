/** Implied volatility of options. Source: docs/interface.md 4.6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal } from "../../internal/wire/fields.ts"
import * as MarketSeries from "./MarketSeries.ts"

/** The volatilities at which an option is priced. */
export const MarketImpliedVolatility = Schema.Struct({
  ...MarketSeries.record,
  /** Volatility in a year that the last trade implies: 0.55 is 55 %. */
  iv_trade: decimal,
  /** The one that the best bid implies. 0 or below: nobody bids. */
  iv_bid: decimal,
  /** The one that the best ask implies. 0 or below: nobody asks. */
  iv_ask: decimal,
  /** The one that the mark price implies. */
  iv_mark: decimal,
  ...MarketSeries.stamped
})
export interface MarketImpliedVolatility extends Schema.Schema.Type<typeof MarketImpliedVolatility> {}

/** Parameters of {@link marketImpliedVolatility}. Source: docs/interface.md 4.6.4. */
export const MarketImpliedVolatilityParams = Schema.Struct({
  ...MarketSeries.params,
  ...MarketSeries.options,
  ...MarketSeries.granularity
})
export interface MarketImpliedVolatilityParams extends Schema.Schema.Type<typeof MarketImpliedVolatilityParams> {}

/** Reads the implied volatility of options. Source: docs/interface.md 4.6.4. */
export const marketImpliedVolatility: Endpoint.Endpoint<MarketImpliedVolatilityParams, MarketImpliedVolatility> =
  Endpoint.make("/timeseries/market-implied-volatility", {
    section: "4.6",
    order: "series",
    params: MarketImpliedVolatilityParams,
    record: MarketImpliedVolatility
  })
