/**
 * Order books of markets as they change. Source: docs/interface.md 6.4 and 3.13.
 */
import * as Schema from "effect/Schema"
import { word } from "../../internal/wire/fields.ts"
import * as LiveEndpoint from "../../LiveEndpoint.ts"
import * as Params from "../../Params.ts"
import * as History from "../timeseries/MarketOrderbooks.ts"
import * as LiveSeries from "./LiveSeries.ts"

const { database_time: _, ...book } = History.MarketOrderbook.fields

/** A whole order book, or the levels of it that have changed. */
export const LiveMarketOrderbook = Schema.Struct({
  ...book,
  /** `snapshot`: the whole book, which replaces what was known. `update`: what has changed; a level of size 0 is removed. */
  type: word(["snapshot", "update"]),
  ...LiveSeries.record
})
export interface LiveMarketOrderbook extends Schema.Schema.Type<typeof LiveMarketOrderbook> {}

/** Parameters of {@link marketOrderbooks}. Source: docs/interface.md 6.2. */
export const LiveMarketOrderbooksParams = Schema.Struct({
  ...LiveSeries.marketParams,
  /** How much of each side: its first 100 levels, which is the default, or all. */
  depth_limit: Params.oneOf(["100", "full_book"])
})
export interface LiveMarketOrderbooksParams extends Schema.Schema.Type<typeof LiveMarketOrderbooksParams> {}

/**
 * Follows order books of markets: a snapshot of each, then updates. Source: docs/interface.md 6.2.
 *
 * **Gotchas**
 *
 * After a broken connection a snapshot comes again. The updates between are not filled, because the books that HTTP offers
 * are other ones: a `Gap` says from when to when.
 */
export const marketOrderbooks: LiveEndpoint.LiveEndpoint<LiveMarketOrderbooksParams, LiveMarketOrderbook> =
  LiveEndpoint.make("/timeseries-stream/market-orderbooks", {
    section: "6.2",
    entity: "market",
    identity: ["coin_metrics_id"],
    params: LiveMarketOrderbooksParams,
    record: LiveMarketOrderbook,
    history: {
      endpoint: History.marketOrderbooks,
      params: ({ depth_limit, markets }) => ({ depth_limit, markets }),
      record: (book) => ({ ...book, type: "snapshot" }),
      fills: false
    }
  })
