/** Liquidations of futures as they happen. Source: docs/interface.md 6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as LiveEndpoint from "../../LiveEndpoint.ts"
import * as History from "../timeseries/MarketLiquidations.ts"
import * as LiveSeries from "./LiveSeries.ts"

const { database_time: _, ...liquidation } = History.MarketLiquidation.fields

/** One position that was closed, or a part of it. */
export const LiveMarketLiquidation = Schema.Struct({ ...liquidation, ...LiveSeries.record })
export interface LiveMarketLiquidation extends Schema.Schema.Type<typeof LiveMarketLiquidation> {}

/** Parameters of {@link marketLiquidations}. Source: docs/interface.md 6.2. */
export const LiveMarketLiquidationsParams = Schema.Struct({ ...LiveSeries.marketParams })
export interface LiveMarketLiquidationsParams extends Schema.Schema.Type<typeof LiveMarketLiquidationsParams> {}

/** Follows liquidations of futures: positions that the exchange closed for want of margin. Source: docs/interface.md 6.2. */
export const marketLiquidations: LiveEndpoint.LiveEndpoint<LiveMarketLiquidationsParams, LiveMarketLiquidation> =
  LiveEndpoint.make("/timeseries-stream/market-liquidations", {
    section: "6.2",
    entity: "market",
    identity: ["coin_metrics_id"],
    params: LiveMarketLiquidationsParams,
    record: LiveMarketLiquidation,
    history: { endpoint: History.marketLiquidations, records: "same", params: ({ markets }) => ({ markets }) }
  })
