/** Quotes aggregated over markets. Source: docs/interface.md 6.2 and 6.4. */
import * as Schema from "effect/Schema"
import { decimal, id } from "../../internal/wire/fields.ts"
import * as LiveEndpoint from "../../LiveEndpoint.ts"
import * as Params from "../../Params.ts"
import { Timestamp } from "../../Timestamp.ts"
import * as LiveSeries from "./LiveSeries.ts"

/** The best prices of a pair over the markets that trade it. */
export const AggregatedQuote = Schema.Struct({
  /** The pair, such as `btc-usd`. */
  pair: id,
  /** The moment of the record, to the nanosecond. */
  time: Timestamp,
  /** Lowest price that is asked for, in the quote asset. */
  ask_price: decimal,
  /** Amount offered at that price, in the base asset. */
  ask_size: decimal,
  /** Highest price that is bid, in the quote asset. */
  bid_price: decimal,
  /** Amount wanted at that price, in the base asset. */
  bid_size: decimal,
  /** The middle between bid and ask. */
  mid_price: decimal,
  /** The distance between bid and ask, as a fraction of the price. */
  spread: decimal,
  ...LiveSeries.record
})
export interface AggregatedQuote extends Schema.Schema.Type<typeof AggregatedQuote> {}

const params = {
  /** How the quotes of markets become one; `aggregated_spread` when absent. */
  aggregation_method: Params.openWord(["aggregated_spread"]),
  ...LiveSeries.params
}

/** Parameters of {@link assetQuotes}. Source: docs/interface.md 6.2. */
export const AssetQuotesParams = Schema.Struct({
  /** Asset tickers, or `*` for all. Records name each as the pair `<asset>-usd`. */
  assets: Params.entities(Params.requiredList),
  ...params
})
export interface AssetQuotesParams extends Schema.Schema.Type<typeof AssetQuotesParams> {}

/** Parameters of {@link pairQuotes}. Source: docs/interface.md 6.2. */
export const PairQuotesParams = Schema.Struct({
  /** Pairs, such as `btc-usd`; `*` stands for any characters, as in `btc-*`. */
  pairs: Params.entities(Params.requiredList, "pair"),
  ...params
})
export interface PairQuotesParams extends Schema.Schema.Type<typeof PairQuotesParams> {}

/**
 * Follows quotes of assets, aggregated over markets: one every 250 milliseconds at most.
 *
 * **Gotchas**
 *
 * Without news the last quote comes again with a new time, for up to 10 minutes. No HTTP operation has these quotes, so a hole after a broken connection stays: a `Gap` says from when to when.
 *
 * Source: docs/interface.md 6.2.
 */
export const assetQuotes: LiveEndpoint.LiveEndpoint<AssetQuotesParams, AggregatedQuote> = LiveEndpoint.make(
  "/timeseries-stream/asset-quotes",
  { section: "6.2", entity: "pair", params: AssetQuotesParams, record: AggregatedQuote }
)

/**
 * Follows quotes of pairs, aggregated over markets: one every 250 milliseconds at most.
 *
 * **Gotchas**
 *
 * Without news the last quote comes again with a new time, for up to 10 minutes. No HTTP operation has these quotes, so a hole after a broken connection stays: a `Gap` says from when to when.
 *
 * Source: docs/interface.md 6.2.
 */
export const pairQuotes: LiveEndpoint.LiveEndpoint<PairQuotesParams, AggregatedQuote> = LiveEndpoint.make(
  "/timeseries-stream/pair-quotes",
  { section: "6.2", entity: "pair", params: PairQuotesParams, record: AggregatedQuote }
)
