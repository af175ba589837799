/** Predicted funding rates of perpetual futures. Source: docs/interface.md 4.6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, timestamp } from "../../internal/wire/fields.ts"
import * as MarketSeries from "./MarketSeries.ts"

/** What the next funding rate is expected to be. */
export const MarketFundingRatePredicted = Schema.Struct({
  ...MarketSeries.record,
  /** The rate expected at this time, as a share of the position. */
  rate_predicted: decimal,
  /** When that rate is going to be paid. */
  rate_time: timestamp,
  ...MarketSeries.stored
})
export interface MarketFundingRatePredicted extends Schema.Schema.Type<typeof MarketFundingRatePredicted> {}

/** Parameters of {@link marketFundingRatesPredicted}. Source: docs/interface.md 4.6.4. */
export const MarketFundingRatesPredictedParams = Schema.Struct({ ...MarketSeries.params, ...MarketSeries.futures })
export interface MarketFundingRatesPredictedParams extends Schema.Schema.Type<
  typeof MarketFundingRatesPredictedParams
> {}

/**
 * Reads predictions of the funding rates of perpetual futures.
 *
 * **Gotchas**
 *
 * Several predictions of a market may have the same time, and no id: only all their fields tell them apart.
 *
 * Source: docs/interface.md 4.6.4.
 */
export const marketFundingRatesPredicted: Endpoint.Endpoint<
  MarketFundingRatesPredictedParams,
  MarketFundingRatePredicted
> = Endpoint.make("/timeseries/market-funding-rates-predicted", {
  section: "4.6",
  order: "series",
  identity: [],
  params: MarketFundingRatesPredictedParams,
  record: MarketFundingRatePredicted
})
