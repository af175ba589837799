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

/** Gives updates over HTTP the `type` that live ones have; history begins with a whole book of each market. */
const typed = (purpose: LiveEndpoint.Purpose) => {
  const begun = new Set<unknown>()
  return (book: object): object => {
    const market: unknown = Reflect.get(book, "market")
    const isWhole = purpose === "history" && !begun.has(market)
    if (isWhole) begun.add(market)
    return { ...book, type: isWhole ? "snapshot" : "update" }
  }
}

/**
 * Follows order books of markets: a snapshot of each, then updates.
 *
 * **Gotchas**
 *
 * Updates mean nothing without the book before them: `OrderBook.follow` keeps it. After a broken connection the updates
 * between come over HTTP, and then a snapshot. With `since` the first record of each market is a snapshot.
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
    beginsWhole: true,
    history: {
      endpoint: History.marketOrderbooks,
      records: "same",
      params: ({ depth_limit, markets }, purpose) => ({
        depth_limit,
        markets,
        dataset: "updates",
        ...(purpose === "history" ? { start_with_snapshot: true } : {})
      }),
      record: typed
    }
  })
