/** Order books of markets as they change. Source: docs/interface.md 6.4 and 3.13. */
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
  /**
   * `snapshot`: the whole book, which replaces what was known, wherever it comes. `update`: what has changed; a level of size 0 is
   * removed.
   */
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
 * Follows order books of markets: a snapshot of each, then updates, with further snapshots amid them.
 *
 * **Gotchas**
 *
 * Updates mean nothing without the book before them, and each snapshot replaces it: `OrderBook.follow` keeps it. Each connection
 * begins with a snapshot, which may be some seconds older than the last record before it; a `Gap` says where changes of the book are
 * missing.
 *
 * HTTP has another series of the same book: `dataset: "updates"`, of all levels, with ids of its own, and several records for
 * one live. With `since` those are history, whatever `depth_limit` says; they have to be offered for each market that is named.
 *
 * Source: docs/interface.md 6.2.
 */
export const marketOrderbooks: LiveEndpoint.LiveEndpoint<LiveMarketOrderbooksParams, LiveMarketOrderbook> =
  LiveEndpoint.make("/timeseries-stream/market-orderbooks", {
    section: "6.2",
    entity: "market",
    identity: ["coin_metrics_id"],
    params: LiveMarketOrderbooksParams,
    record: LiveMarketOrderbook,
    isWhole: (record) => Reflect.get(record, "type") === "snapshot",
    history: {
      endpoint: History.marketOrderbooks,
      records: "other",
      params: ({ markets }, purpose) => ({
        markets,
        dataset: "updates",
        ...(purpose === "history" ? { start_with_snapshot: true } : {})
      })
    }
  })
