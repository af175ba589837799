/** Liquidations of futures. Source: docs/interface.md 4.6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, id, word } from "../../internal/wire/fields.ts"
import * as MarketSeries from "./MarketSeries.ts"

/** One position that was closed, or a part of it. */
export const MarketLiquidation = Schema.Struct({
  ...MarketSeries.record,
  /** Tells it from the others of its market and time. Text: digits as a rule, and `N-M` at times. */
  coin_metrics_id: id,
  /** Amount of the position that was closed, in contracts or in the base asset. */
  amount: decimal,
  /** Price at which it was closed, in the quote asset. */
  price: decimal,
  /** What is known of it: `order` when it was placed, perhaps not executed; `trade` once it was executed. */
  type: word(["trade", "order"]),
  /** The side of the order that closed the position: `buy` closes one that was short. */
  side: word(["buy", "sell"]),
  ...MarketSeries.stored
})
export interface MarketLiquidation extends Schema.Schema.Type<typeof MarketLiquidation> {}

/** Parameters of {@link marketLiquidations}. Source: docs/interface.md 4.6.4. */
export const MarketLiquidationsParams = Schema.Struct({ ...MarketSeries.params, ...MarketSeries.futures })
export interface MarketLiquidationsParams extends Schema.Schema.Type<typeof MarketLiquidationsParams> {}

/**
 * Reads liquidations of markets: positions that the exchange closed for want of margin.
 *
 * **Gotchas**
 *
 * Several liquidations of a market may have the same time; `coin_metrics_id` tells them apart, and says nothing of their
 * order.
 *
 * Source: docs/interface.md 4.6.4.
 */
export const marketLiquidations: Endpoint.Endpoint<MarketLiquidationsParams, MarketLiquidation> = Endpoint.make(
  "/timeseries/market-liquidations",
  {
    section: "4.6",
    order: "series",
    identity: ["coin_metrics_id"],
    params: MarketLiquidationsParams,
    record: MarketLiquidation
  }
)
