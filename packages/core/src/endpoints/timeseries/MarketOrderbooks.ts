/** Order books of markets. Source: docs/interface.md 4.6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, id, many, timestamp, word } from "../../internal/wire/fields.ts"
import * as Parameter from "../../Parameter.ts"
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

/** An order book; or with `dataset: "updates"` one of its changes, or the whole of it amid them. */
export const MarketOrderbook = Schema.Struct({
  ...MarketSeries.record,
  /**
   * Tells a whole book from the others of its market and time. Books, updates and live books have ids of different series and
   * forms, so they cannot be joined by it. Of updates it is not unique: a snapshot may repeat the time and the id of the
   * update before it.
   */
  coin_metrics_id: id,
  /** What is offered, the lowest price first. */
  asks: many<PriceLevel>(PriceLevel),
  /** What is wanted, the highest price first. */
  bids: many<PriceLevel>(PriceLevel),
  /**
   * Of updates alone. `snapshot`: the whole book, which replaces what was known, wherever it stands. `update`: the levels that
   * have changed; those that are not named stay.
   */
  type: word(["snapshot", "update"]),
  ...MarketSeries.stored,
  /** When the service collected the record. Of updates alone. */
  collect_time: timestamp
})
export interface MarketOrderbook extends Schema.Schema.Type<typeof MarketOrderbook> {}

/** What the service asks for beside updates. */
const datasets: Readonly<Record<string, Parameter.Variant>> = {
  updates: {
    needs: {
      depth_limit: ["full_book", "30000"],
      granularity: ["raw"],
      format: ["json_stream"],
      paging_from: ["start"]
    },
    identity: []
  }
}

/** The largest page where a record has many levels. */
const smallerPages = { "10pct_mid_price": 100, full_book: 100, "30000": 100 }

/** Parameters of {@link marketOrderbooks}. Source: docs/interface.md 4.6.4. */
export const MarketOrderbooksParams = Schema.Struct({
  ...MarketSeries.params,
  /**
   * How much of each side: so many of its best levels, 1 to 30,000; all within a tenth of the middle price; or all. When absent
   * 100, and all with `dataset: "updates"`.
   */
  depth_limit: Params.smallerPages(smallerPages)(Params.openWord(["100", "10pct_mid_price", "full_book"])),
  ...MarketSeries.granularity,
  /**
   * Whole books, which is the default, or each change of them. Updates are of all levels (`full_book` or `30000`), `raw`, a
   * json_stream and from the start; Sluice asks for that, and refuses anything else beside `updates`. Markets that have them
   * are those of which `datasets` in the catalog of order books says so. A `limit_per_market` counts from the start then.
   */
  dataset: Parameter.declare(Params.oneOf(["snapshots", "updates"]), { variants: new Map(Object.entries(datasets)) }),
  /**
   * Begins the updates of each market at the nearest snapshot before `start_time`, with the updates between; false, the exact
   * range, when absent.
   */
  start_with_snapshot: Params.opening,
  /**
   * Records per page, 1 to 10,000, or to 100 with `full_book`, `30000` or `10pct_mid_price`. By default Sluice requests 500, or those
   * 100: a record is long. Ignored with json_stream.
   */
  page_size: Params.pageSize(10_000, 500)
}).check(Parameter.needing("dataset", datasets), Params.fittingPage("depth_limit", smallerPages))
export interface MarketOrderbooksParams extends Schema.Schema.Type<typeof MarketOrderbooksParams> {}

/**
 * Reads order books of markets: the levels on both sides.
 *
 * **Gotchas**
 *
 * Several books of a market may have the same time; `coin_metrics_id` tells them apart, and says nothing of their order.
 * Books of 100 levels are kept every ten seconds, of major markets, and whole ones every hour.
 *
 * With `dataset: "updates"` snapshots come amid the updates, at any place, and each replaces the book; `OrderBook.replay` gives
 * the books. That updates are refused beside anything else is published; a service that takes more can be asked unchecked, with
 * `query: { dataset: "updates" }` in the options.
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
