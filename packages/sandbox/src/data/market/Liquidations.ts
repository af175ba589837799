/**
 * The liquidations of a future: those of its trades that closed a position (docs/interface.md 3.13).
 */
import * as Availability from "../Availability.ts"
import { nanos } from "../../internal/time/Calendar.ts"
import { below, seed } from "../../internal/random/Noise.ts"
import type { Market } from "../Markets.ts"
import type * as Rows from "../Rows.ts"
import * as Prices from "./Prices.ts"
import * as Trades from "./Trades.ts"

/** Some were ordered, and perhaps not executed. */
const isOrder = ({ market }: Market, place: number): boolean => below(seed(market) + 53, place, 5) === 0

export const rows = (market: Market): Rows.Rows | undefined => {
  const span = Availability.of(market, "liquidations")
  const trades = span === undefined ? undefined : Trades.of(market)
  if (span === undefined || trades === undefined) return undefined
  const from: Rows.Rows["from"] = (instant) => Trades.liquidationFrom(market, trades.from(instant))
  return {
    entity: market.market,
    bounds: { first: from({ ms: span.from, nanos: 0 }), last: from({ ms: span.to, nanos: 1 }) - 1 },
    from,
    timeAt: (place) => trades.timeAt(Trades.liquidation(market, place)),
    row: (place) => {
      const trade = trades.at(Trades.liquidation(market, place))
      return (
        `{"market":"${market.market}","time":"${nanos(trade.ms, trade.beyond)}"` +
        `,"coin_metrics_id":"${Trades.idOf(market, trade)}","amount":"${trade.amount.toFixed(8)}"` +
        `,"price":"${Prices.text(trade.price)}","type":"${isOrder(market, place) ? "order" : "trade"}","side":"${trade.isBuy ? "buy" : "sell"}"` +
        `,"database_time":"${Trades.stored(market, trade.ms, trade.n)}"}`
      )
    }
  }
}
