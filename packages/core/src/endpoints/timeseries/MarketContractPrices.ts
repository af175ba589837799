/** Prices of contracts. Source: docs/interface.md 4.6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal } from "../../internal/wire/fields.ts"
import * as MarketSeries from "./MarketSeries.ts"

/** The prices that an exchange publishes of a contract. */
export const MarketContractPrice = Schema.Struct({
  ...MarketSeries.record,
  /** The price at which the exchange values positions, in the quote asset; of an option as the exchange quotes it. */
  mark_price: decimal,
  /** Price of the underlying index, in the quote asset. */
  index_price: decimal,
  /** The price at which the contract would be settled, of one that is about to expire. */
  settlement_price_estimated: decimal,
  ...MarketSeries.stamped
})
export interface MarketContractPrice extends Schema.Schema.Type<typeof MarketContractPrice> {}

/** Parameters of {@link marketContractPrices}. Source: docs/interface.md 4.6.4. */
export const MarketContractPricesParams = Schema.Struct({
  ...MarketSeries.params,
  ...MarketSeries.options,
  ...MarketSeries.granularity
})
export interface MarketContractPricesParams extends Schema.Schema.Type<typeof MarketContractPricesParams> {}

/** Reads mark, index and estimated settlement prices of futures and options. Source: docs/interface.md 4.6.4. */
export const marketContractPrices: Endpoint.Endpoint<MarketContractPricesParams, MarketContractPrice> = Endpoint.make(
  "/timeseries/market-contract-prices",
  { section: "4.6", order: "series", params: MarketContractPricesParams, record: MarketContractPrice }
)
