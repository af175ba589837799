/** The trades of markets. Source: docs/interface.md 4.6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, id, integer, text, timestamp, word } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import * as MarketSeries from "./MarketSeries.ts"

/** One trade. */
export const MarketTrade = Schema.Struct({
  ...MarketSeries.record,
  /** Identifies it among the trades of its market and time. Text: usually digits, sometimes `N-M`. */
  coin_metrics_id: id,
  /** Units of the base asset that changed hands. */
  amount: decimal,
  /** Units of the quote asset for one of the base asset. */
  price: decimal,
  /** The side of the taker. */
  side: word(["buy", "sell"]),
  /** Block of the trade, of a market on a chain. */
  block_hash: text,
  /** Height of the block, as text. */
  block_height: integer,
  /** Transaction of the trade, of a market on a chain. */
  txid: text,
  /** Account that signed the transaction. */
  initiator: text,
  /** Account that called the exchange's contract. */
  sender: text,
  /** Account that got what was bought. */
  beneficiary: text,
  /** When the service stored the trade. */
  database_time: timestamp,
  /** Mark price at the trade, of a derivative. */
  mark_price: decimal,
  /** Price of the underlying index at the trade, of a derivative. */
  index_price: decimal,
  /** Implied volatility of the trade, of an option. */
  iv_trade: decimal,
  /** Present where the trade liquidated a position. */
  liquidation: text
})
export interface MarketTrade extends Schema.Schema.Type<typeof MarketTrade> {}

/** Parameters of {@link marketTrades}. Source: docs/interface.md 4.6.4. */
export const MarketTradesParams = Schema.Struct({
  ...MarketSeries.params,
  /** Of markets on a chain: blocks on top of the trade's block, 0 to 99; 2 when absent. */
  min_confirmations: Params.integer(0, 99)
})
export interface MarketTradesParams extends Schema.Schema.Type<typeof MarketTradesParams> {}

/**
 * Reads every trade of markets.
 *
 * **Gotchas**
 *
 * Several trades of a market may have the same time, to the nanosecond: `coin_metrics_id` tells them apart, and says
 * nothing of their order.
 *
 * Source: docs/interface.md 4.6.4.
 */
export const marketTrades: Endpoint.Endpoint<MarketTradesParams, MarketTrade> = Endpoint.make(
  "/timeseries/market-trades",
  { section: "4.6", order: "series", identity: ["coin_metrics_id"], params: MarketTradesParams, record: MarketTrade }
)
