/**
 * Order books of markets. Source: docs/interface.md 4.6.4 and 3.13.
 */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, id, many, timestamp } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import * as MarketSeries from "./MarketSeries.ts"

/** What is offered or wanted at one price. */
export const PriceLevel = Schema.Struct({
  /** Price in the quote asset. */
  price: decimal,
  /** Amount in the base asset or in contracts. Of an update, 0 removes the level. */
  size: decimal
})
export interface PriceLevel extends Schema.Schema.Type<typeof PriceLevel> {}

/** An order book, or with `dataset: "updates"` the levels of it that have changed. */
export const MarketOrderbook = Schema.Struct({
  ...MarketSeries.record,
  /** Tells it from the others of its market and time. Text: digits as a rule, and `N-M` at times. */
  coin_metrics_id: id,
  /** What is offered, the lowest price first. */
  asks: many(PriceLevel),
  /** What is wanted, the highest price first. */
  bids: many(PriceLevel),
  ...MarketSeries.stored,
  /** When the service collected the book. */
  collect_time: timestamp
})
export interface MarketOrderbook extends Schema.Schema.Type<typeof MarketOrderbook> {}

/** Parameters of {@link marketOrderbooks}. Source: docs/interface.md 4.6.4. */
export const MarketOrderbooksParams = Schema.Struct({
  ...MarketSeries.params,
  /**
   * How much of each side: its first 100 levels, which is the default, all within a tenth of the middle price, or all.
   */
  depth_limit: Params.smallerPages({ "10pct_mid_price": 100, full_book: 100 })(
    Params.openWord(["100", "10pct_mid_price", "full_book"])
  ),
  ...MarketSeries.granularity,
  /** Whole books, which is the default, or what has changed from each to the next. */
  dataset: Params.oneOf(["snapshots", "updates"]),
  /**
   * Gives a whole book as the first of the updates of each market; false when absent. A json_stream that is cut is then read
   * again from its start.
   */
  start_with_snapshot: Params.opening,
  /**
   * Records per page, 1 to 10,000, or to 100 with `full_book` or `10pct_mid_price`. By default Sluice requests 500, or those
   * 100: a record is long. Ignored with json_stream.
   */
  page_size: Params.pageSize(10_000, 500)
})
export interface MarketOrderbooksParams extends Schema.Schema.Type<typeof MarketOrderbooksParams> {}

/**
 * Reads order books of markets: the levels on both sides.
 *
 * **Gotchas**
 *
 * Several books of a market may have the same time; `coin_metrics_id` tells them apart, and says nothing of their order.
 * Whole books are kept less often than those of 100 levels.
 *
 * Source: docs/interface.md 4.6.4.
 */
export const marketOrderbooks: Endpoint.Endpoint<MarketOrderbooksParams, MarketOrderbook> = Endpoint.make(
  "/timeseries/market-orderbooks",
  {
    section: "4.6",
    order: "series",
    identity: ["coin_metrics_id"],
    params: MarketOrderbooksParams,
    record: MarketOrderbook
  }
)
