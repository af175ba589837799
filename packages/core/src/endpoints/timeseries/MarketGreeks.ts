/** Greeks of options. Source: docs/interface.md 4.6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal } from "../../internal/wire/fields.ts"
import * as MarketSeries from "./MarketSeries.ts"

/** The sensitivities of the price of an option. */
export const MarketGreeks = Schema.Struct({
  ...MarketSeries.record,
  /** Change of the price for one point of volatility. */
  vega: decimal,
  /** Change of the price in a day. */
  theta: decimal,
  /** Change of the price for one point of interest. */
  rho: decimal,
  /** Change of the price for one unit of the underlying price: 0 to 1 of a call, -1 to 0 of a put. */
  delta: decimal,
  /** Change of delta for one unit of the underlying price. */
  gamma: decimal,
  ...MarketSeries.stamped
})
export interface MarketGreeks extends Schema.Schema.Type<typeof MarketGreeks> {}

/** Parameters of {@link marketGreeks}. Source: docs/interface.md 4.6.4. */
export const MarketGreeksParams = Schema.Struct({
  ...MarketSeries.params,
  ...MarketSeries.options,
  ...MarketSeries.granularity
})
export interface MarketGreeksParams extends Schema.Schema.Type<typeof MarketGreeksParams> {}

/**
 * Reads the greeks of options: what their prices respond to. At most one record of a market and minute. Source:
 * docs/interface.md 4.6.4.
 */
export const marketGreeks: Endpoint.Endpoint<MarketGreeksParams, MarketGreeks> = Endpoint.make(
  "/timeseries/market-greeks",
  { section: "4.6", order: "series", params: MarketGreeksParams, record: MarketGreeks }
)
