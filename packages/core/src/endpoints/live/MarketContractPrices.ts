/** Prices of contracts as they change. Source: docs/interface.md 6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as LiveEndpoint from "../../LiveEndpoint.ts"
import * as History from "../timeseries/MarketContractPrices.ts"
import * as LiveSeries from "./LiveSeries.ts"

const { database_time: _, ...price } = History.MarketContractPrice.fields

/** The prices that an exchange publishes of a contract. */
export const LiveMarketContractPrice = Schema.Struct({ ...price, ...LiveSeries.record })
export interface LiveMarketContractPrice extends Schema.Schema.Type<typeof LiveMarketContractPrice> {}

/** Parameters of {@link marketContractPrices}. Source: docs/interface.md 6.2. */
export const LiveMarketContractPricesParams = Schema.Struct({ ...LiveSeries.marketParams })
export interface LiveMarketContractPricesParams extends Schema.Schema.Type<typeof LiveMarketContractPricesParams> {}

/**
 * Follows mark, index and estimated settlement prices of futures and options, several a minute.
 *
 * **Gotchas**
 *
 * HTTP has one record at each full minute. So a hole after a broken connection stays: a `Gap` says from when to when. With `since`
 * those of full minutes come as history, before a `Gap`.
 *
 * Source: docs/interface.md 6.2.
 */
export const marketContractPrices: LiveEndpoint.LiveEndpoint<LiveMarketContractPricesParams, LiveMarketContractPrice> =
  LiveEndpoint.make("/timeseries-stream/market-contract-prices", {
    section: "6.2",
    entity: "market",
    params: LiveMarketContractPricesParams,
    record: LiveMarketContractPrice,
    history: { endpoint: History.marketContractPrices, records: "other", params: ({ markets }) => ({ markets }) }
  })
