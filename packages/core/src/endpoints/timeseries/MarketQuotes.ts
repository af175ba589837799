/** Quotes of markets. Source: docs/interface.md 4.6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, id } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import * as MarketSeries from "./MarketSeries.ts"

/** The top of a stored order book. A side without orders is absent; of some older records its price and size are `0`. */
export const MarketQuote = Schema.Struct({
  ...MarketSeries.record,
  /** That of the order book it is the top of, such as `1783795799922619-0`; tells it from other quotes of its market and time. */
  coin_metrics_id: id,
  /** Lowest price that is asked for, in the quote asset; absent, or `0`, where nothing is offered. */
  ask_price: decimal,
  /** Amount offered at that price, in the base asset or in contracts. */
  ask_size: decimal,
  /** Highest price that is bid, in the quote asset; absent, or `0`, where nothing is bid. */
  bid_price: decimal,
  /** Amount wanted at that price. */
  bid_size: decimal
})
export interface MarketQuote extends Schema.Schema.Type<typeof MarketQuote> {}

/** Parameters of {@link marketQuotes}. Source: docs/interface.md 4.6.4. */
export const MarketQuotesParams = Schema.Struct({
  ...MarketSeries.params,
  ...MarketSeries.granularity,
  /** Gives books too of which a side, or both, are empty; false when absent. */
  include_one_sided: Params.boolean
})
export interface MarketQuotesParams extends Schema.Schema.Type<typeof MarketQuotesParams> {}

/**
 * Reads quotes of markets: the best bid and the best ask of each stored order book, every 10 seconds of major markets. Each change
 * between them is given by `OrderBook.quotes`, of the markets whose updates the service keeps.
 *
 * **Gotchas**
 *
 * Several quotes of a market may have the same time; `coin_metrics_id` tells them apart, and says nothing of their order.
 *
 * Source: docs/interface.md 4.6.4.
 */
export const marketQuotes: Endpoint.Endpoint<MarketQuotesParams, MarketQuote> = Endpoint.make(
  "/timeseries/market-quotes",
  { section: "4.6", order: "series", identity: ["coin_metrics_id"], params: MarketQuotesParams, record: MarketQuote }
)
