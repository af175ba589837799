/** Open interest of markets as it changes. Source: docs/interface.md 6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as LiveEndpoint from "../../LiveEndpoint.ts"
import * as History from "../timeseries/MarketOpeninterest.ts"
import * as LiveSeries from "./LiveSeries.ts"

const { database_time: _, ...interest } = History.MarketOpeninterest.fields

/** The contracts of a market that are open at one time. */
export const LiveMarketOpeninterest = Schema.Struct({ ...interest, ...LiveSeries.record })
export interface LiveMarketOpeninterest extends Schema.Schema.Type<typeof LiveMarketOpeninterest> {}

/** Parameters of {@link marketOpeninterest}. Source: docs/interface.md 6.2. */
export const LiveMarketOpeninterestParams = Schema.Struct({ ...LiveSeries.marketParams })
export interface LiveMarketOpeninterestParams extends Schema.Schema.Type<typeof LiveMarketOpeninterestParams> {}

/**
 * Follows the open interest of futures and options, but for exchanges that publish it once a day, such as `cme`.
 *
 * Source: docs/interface.md 6.2.
 */
export const marketOpeninterest: LiveEndpoint.LiveEndpoint<LiveMarketOpeninterestParams, LiveMarketOpeninterest> =
  LiveEndpoint.make("/timeseries-stream/market-openinterest", {
    section: "6.2",
    entity: "market",
    params: LiveMarketOpeninterestParams,
    record: LiveMarketOpeninterest,
    history: { endpoint: History.marketOpeninterest, records: "same", params: ({ markets }) => ({ markets }) }
  })
