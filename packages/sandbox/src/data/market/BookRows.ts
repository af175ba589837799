/**
 * Order books and quotes as the service writes them (docs/interface.md 3.13).
 */
import * as Availability from "../Availability.ts"
import { HOUR, MINUTE, nanos, SECOND } from "../../internal/time/Calendar.ts"
import * as Frequency from "../Frequency.ts"
import type { Market } from "../Markets.ts"
import { below, seed } from "../../internal/random/Noise.ts"
import * as Rows from "../Rows.ts"
import * as Books from "./Books.ts"
import * as Trades from "./Trades.ts"

const bySecond = Frequency.every("1s", SECOND, 0, "2019-04-01")
const byTenSeconds = Frequency.every("10s", 10 * SECOND, 0, "2019-04-01")
const byHour = Frequency.every("1h", HOUR, 0, "2019-04-01")

/** Quotes and books of one instant have one id. */
const idOf = (ms: number, number: number): string => String((ms / SECOND) * 2 + number)

const head = (market: Market, ms: number, number: number): string =>
  `{"market":"${market.market}","time":"${nanos(ms)}","coin_metrics_id":"${idOf(ms, number)}"`

const levels = (side: ReadonlyArray<Books.Level>): string =>
  `[${side.map(({ price, size }) => `{"price":"${price}","size":"${size}"}`).join(",")}]`

const written = (market: Market, ms: number, number: number, { asks, bids }: Books.Book): string =>
  `${head(market, ms, number)},"asks":${levels(asks)},"bids":${levels(bids)}` +
  `,"database_time":"${Trades.stored(market, ms, 2 * ms + number)}","collect_time":"${nanos(ms + 1 + number)}"}`

/** What is asked of order books. */
export interface Asked {
  readonly depth: Books.Depth
  readonly grid: Frequency.Frequency | undefined
  readonly isUpdates: boolean
  /** Whether the first update is a whole book. */
  readonly isOpened: boolean
}

/** The order books of a market: of every ten seconds, two at each minute; the whole ones of every hour. */
export const books = (market: Market, { depth, grid, isOpened, isUpdates }: Asked): Rows.Rows | undefined => {
  const isTop = depth === "100"
  const span = Availability.of(market, isTop ? "orderbooks" : "full_orderbooks")
  if (span === undefined) return undefined
  const book = (ms: number, number: number) => written(market, ms, number, Books.at(market, ms, depth, number))
  if (isUpdates) {
    const at = (ms: number) => Books.at(market, ms, depth)
    const whole = (n: number) => book(byTenSeconds.at(n), 0)
    const first = byTenSeconds.from(span.from)
    const rows = Rows.onGrid(market.market, byTenSeconds, span, (n) => {
      const ms = byTenSeconds.at(n)
      return n === first ? whole(n) : written(market, ms, 0, Books.update(at(ms - 10 * SECOND), at(ms)))
    })
    return isOpened ? { ...rows, opening: whole } : rows
  }
  if (!isTop || grid !== undefined) {
    const own = isTop || grid?.name === "1d" ? (grid ?? byHour) : byHour
    return Rows.onGrid(market.market, own, span, (n) => book(own.at(n), 0))
  }
  return Rows.inPattern(market.market, byTenSeconds, span, [2, 1, 1, 1, 1, 1], (n, number) =>
    book(byTenSeconds.at(n), number)
  )
}

/** The second of each minute of which a side of the book, or both, are empty. */
const emptySecond = 39

const perMinute = (isWithEmpty: boolean) =>
  Array.from({ length: 60 }, (_, second) => (second === 0 ? 2 : second === emptySecond && !isWithEmpty ? 0 : 1))

const withEmpty = perMinute(true)
const without = perMinute(false)

/** The quotes of a market, of every second, two at each minute. */
export const quotes = (
  market: Market,
  grid: Frequency.Frequency | undefined,
  isWithEmpty: boolean
): Rows.Rows | undefined => {
  const span = Availability.of(market, "quotes")
  if (span === undefined) return undefined
  const quote = (ms: number, number: number) => {
    const { ask, bid } = Books.top(market, ms, number)
    const isEmpty = ms % MINUTE === emptySecond * SECOND
    const empty = isEmpty ? below(seed(market.market) + 50, ms / SECOND, 3) : undefined
    const asks = empty === 0 || empty === 2 ? "" : `,"ask_price":"${ask.price}","ask_size":"${ask.size}"`
    const bids = empty === 1 || empty === 2 ? "" : `,"bid_price":"${bid.price}","bid_size":"${bid.size}"`
    return `${head(market, ms, number)}${asks}${bids}}`
  }
  if (grid !== undefined) return Rows.onGrid(market.market, grid, span, (n) => quote(grid.at(n), 0))
  return Rows.inPattern(market.market, bySecond, span, isWithEmpty ? withEmpty : without, (n, number) =>
    quote(bySecond.at(n), number)
  )
}
