/** Order books as the service writes them (docs/interface.md 3.13). */
import * as Availability from "../Availability.ts"
import { HOUR, nanos, SECOND } from "../../internal/time/Calendar.ts"
import * as Frequency from "../Frequency.ts"
import type { Market } from "../Markets.ts"
import * as Rows from "../Rows.ts"
import * as Books from "./Books.ts"
import * as Trades from "./Trades.ts"

const byTenSeconds = Frequency.every("10s", 10 * SECOND, 0, "2019-04-01")
const byHour = Frequency.every("1h", HOUR, 0, "2019-04-01")

/** Quotes and books of one instant have one id: its microseconds, and a number. */
const idOf = (ms: number, number: number): string => `${ms * 1_000}-${number}`

export const head = (market: Market, ms: number, number: number): string =>
  `{"market":"${market.market}","time":"${nanos(ms)}","coin_metrics_id":"${idOf(ms, number)}"`

const levels = (side: ReadonlyArray<Books.Level>): string =>
  `[${side.map(({ price, size }) => `{"price":"${price}","size":"${size}"}`).join(",")}]`

export const sides = ({ asks, bids }: Books.Book): string => `"asks":${levels(asks)},"bids":${levels(bids)}`

/**
 * The order books of a market: of up to a hundred levels or a tenth of the price those of every ten seconds, two at each minute;
 * of more levels those of every hour.
 */
export const books = (
  market: Market,
  depth: Books.Depth,
  grid: Frequency.Frequency | undefined
): Rows.Rows | undefined => {
  const isTop = typeof depth === "number" ? depth <= 100 : depth === "10pct_mid_price"
  const span = Availability.of(market, isTop ? "orderbooks" : "full_orderbooks")
  if (span === undefined) return undefined
  const book = (ms: number, number: number) =>
    `${head(market, ms, number)},${sides(Books.at(market, ms, depth, number))}` +
    `,"database_time":"${Trades.stored(market, ms, 2 * ms + number)}"}`
  if (!isTop || grid !== undefined) {
    const own = isTop || grid?.name === "1d" ? (grid ?? byHour) : byHour
    return Rows.onGrid(market.market, own, span, (n) => book(own.at(n), 0))
  }
  return Rows.inPattern(market.market, byTenSeconds, span, [2, 1, 1, 1, 1, 1], (n, number) =>
    book(byTenSeconds.at(n), number)
  )
}
