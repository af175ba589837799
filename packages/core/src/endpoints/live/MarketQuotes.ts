/** Quotes of markets as they change. Source: docs/interface.md 6.4 and 3.13. */
import * as Schema from "effect/Schema"
import { id } from "../../internal/wire/fields.ts"
import * as LiveEndpoint from "../../LiveEndpoint.ts"
import * as Params from "../../Params.ts"
import * as History from "../timeseries/MarketQuotes.ts"
import * as LiveSeries from "./LiveSeries.ts"

/** The top of an order book. A side without orders is absent, or its price and size are `0`. */
export const LiveMarketQuote = Schema.Struct({
  ...History.MarketQuote.fields,
  /** Tells it from other quotes of its market and time. No record over HTTP has it. */
  coin_metrics_id: id,
  ...LiveSeries.record
})
export interface LiveMarketQuote extends Schema.Schema.Type<typeof LiveMarketQuote> {}

/** Parameters of {@link marketQuotes}. Source: docs/interface.md 6.2. */
export const LiveMarketQuotesParams = Schema.Struct({
  ...LiveSeries.marketParams,
  /** Gives books too of which a side, or both, are empty; false when absent. */
  include_one_sided: Params.boolean
})
export interface LiveMarketQuotesParams extends Schema.Schema.Type<typeof LiveMarketQuotesParams> {}

/**
 * Follows quotes of markets: one each time the best bid or the best ask changes.
 *
 * **Gotchas**
 *
 * HTTP has another series: a sample every 10 seconds, with ids and times of its own. So a hole after a broken connection stays: a
 * `Gap` says from when to when. With `since` the samples come as history, before a `Gap`.
 *
 * Source: docs/interface.md 6.2.
 */
export const marketQuotes: LiveEndpoint.LiveEndpoint<LiveMarketQuotesParams, LiveMarketQuote> = LiveEndpoint.make(
  "/timeseries-stream/market-quotes",
  {
    section: "6.2",
    entity: "market",
    identity: ["coin_metrics_id"],
    params: LiveMarketQuotesParams,
    record: LiveMarketQuote,
    history: {
      endpoint: History.marketQuotes,
      records: "other",
      params: ({ include_one_sided, markets }) => ({ include_one_sided, markets })
    }
  }
)
