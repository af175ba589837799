/** Funding rates of perpetual futures. Source: docs/interface.md 4.6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, text } from "../../internal/wire/fields.ts"
import * as MarketSeries from "./MarketSeries.ts"

/** One payment between the two sides of a perpetual future. Its `time` is the end of the interval that it is for. */
export const MarketFundingRate = Schema.Struct({
  ...MarketSeries.record,
  /** What a long position pays to a short one at this time, as a share of the position; negative the other way. */
  rate: decimal,
  /** The time that the rate is for, such as `08:00:00`; `00:00:00.001` where it is paid all the time. */
  period: text,
  /** The time from one payment to the next, such as `08:00:00`; `00:00:00.001` where it is paid all the time. */
  interval: text,
  ...MarketSeries.stored
})
export interface MarketFundingRate extends Schema.Schema.Type<typeof MarketFundingRate> {}

/** Parameters of {@link marketFundingRates}. Source: docs/interface.md 4.6.4. */
export const MarketFundingRatesParams = Schema.Struct({ ...MarketSeries.params, ...MarketSeries.futures })
export interface MarketFundingRatesParams extends Schema.Schema.Type<typeof MarketFundingRatesParams> {}

/** Reads the funding rates of perpetual futures. Source: docs/interface.md 4.6.4. */
export const marketFundingRates: Endpoint.Endpoint<MarketFundingRatesParams, MarketFundingRate> = Endpoint.make(
  "/timeseries/market-funding-rates",
  { section: "4.6", order: "series", params: MarketFundingRatesParams, record: MarketFundingRate }
)
