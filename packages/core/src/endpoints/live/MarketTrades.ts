/** The trades of markets as they happen. Source: docs/interface.md 6.4 and 3.13. */
import * as Schema from "effect/Schema"
import { timestamp } from "../../internal/wire/fields.ts"
import * as LiveEndpoint from "../../LiveEndpoint.ts"
import * as History from "../timeseries/MarketTrades.ts"
import * as LiveSeries from "./LiveSeries.ts"

const { database_time: _, ...trade } = History.MarketTrade.fields

/** One trade. */
export const LiveMarketTrade = Schema.Struct({
  ...trade,
  /** When the service received the trade from the exchange. */
  collect_time: timestamp,
  ...LiveSeries.record
})
export interface LiveMarketTrade extends Schema.Schema.Type<typeof LiveMarketTrade> {}

/** Parameters of {@link marketTrades}. Source: docs/interface.md 6.2. */
export const LiveMarketTradesParams = Schema.Struct({ ...LiveSeries.marketParams })
export interface LiveMarketTradesParams extends Schema.Schema.Type<typeof LiveMarketTradesParams> {}

/** Follows every trade of markets. Source: docs/interface.md 6.2. */
export const marketTrades: LiveEndpoint.LiveEndpoint<LiveMarketTradesParams, LiveMarketTrade> = LiveEndpoint.make(
  "/timeseries-stream/market-trades",
  {
    section: "6.2",
    entity: "market",
    identity: ["coin_metrics_id"],
    params: LiveMarketTradesParams,
    record: LiveMarketTrade,
    // Without confirmations: a trade of a chain comes live before its block has any.
    history: {
      endpoint: History.marketTrades,
      records: "same",
      params: ({ markets }) => ({ markets, min_confirmations: 0 })
    }
  }
)
