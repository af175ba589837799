/**
 * The candles of a market: its trades, folded over a stretch of time.
 *
 * Amounts are added as whole units of the last digit that trades are written with, so that a volume is the exact sum of
 * what the trades say.
 */
import * as Availability from "../Availability.ts"
import type { Dialect } from "../../Dialect.ts"
import { HOUR, MINUTE, nanos, SECOND } from "../../internal/time/Calendar.ts"
import * as Exchanges from "../Exchanges.ts"
import type { Frequency } from "../Frequency.ts"
import type { Market } from "../Markets.ts"
import * as Remembered from "../Remembered.ts"
import * as Rows from "../Rows.ts"
import * as Prices from "./Prices.ts"
import * as Trades from "./Trades.ts"

export interface Candle {
  readonly open: number
  readonly close: number
  readonly high: number
  readonly low: number
  /** In units of the eighth digit of the base asset. */
  readonly units: number
  /** The same times the price of each trade. */
  readonly value: number
  /** In US dollars. */
  readonly dollars: number
  readonly count: number
}

export const join = (before: Candle | undefined, after: Candle): Candle =>
  before === undefined
    ? after
    : {
        open: before.open,
        close: after.close,
        high: Math.max(before.high, after.high),
        low: Math.min(before.low, after.low),
        units: before.units + after.units,
        value: before.value + after.value,
        dollars: before.dollars + after.dollars,
        count: before.count + after.count
      }

const unitsOf = 100_000_000

/** The trades of a stretch of an hour at most. */
const fold = ({ market, trades }: Traded, start: number, end: number): Candle | undefined => {
  const first = Math.max(trades.bounds.first, trades.from({ ms: start, nanos: 0 }))
  const last = Math.min(trades.bounds.last, trades.from({ ms: end, nanos: 0 }) - 1)
  if (first > last) return undefined
  const open = Prices.rounded(trades.at(first).price)
  let [close, high, low, units, value] = [open, open, open, 0, 0]
  for (let n = first; n <= last; n++) {
    const trade = trades.at(n)
    close = Prices.rounded(trade.price)
    high = Math.max(high, close)
    low = Math.min(low, close)
    const amount = Math.round(trade.amount * unitsOf)
    units += amount
    value += amount * close
  }
  const rate = Prices.inDollars(market.quote ?? "usd", Math.floor(start / HOUR) * HOUR)
  return { open, close, high, low, units, value, dollars: (value / unitsOf) * rate, count: last - first + 1 }
}

/**
 * Makes candles of any length out of what folds a stretch of an hour at most: whatever is longer is whole hours, of which the last few
 * thousand are remembered.
 */
export const byHours = <A>(
  nameOf: (one: A) => string,
  fold: (one: A, start: number, end: number) => Candle | undefined
): typeof fold => {
  const hourOf = Remembered.make(
    16_384,
    (one: A, start: number) => `${nameOf(one)} ${start}`,
    (one, start) => fold(one, start, start + HOUR)
  )
  return (one, start, end) => {
    if (end - start < HOUR) return fold(one, start, end)
    let candle: Candle | undefined
    for (let hour = start; hour < end; hour += HOUR) {
      const next = hourOf(one, hour)
      if (next !== undefined) candle = join(candle, next)
    }
    return candle
  }
}

interface Traded {
  readonly market: Market
  readonly trades: Trades.Trades
}

const between = byHours(({ market }: Traded) => market.market, fold)

/** Nothing was traded: the price stays. */
export const still = (price: number): Candle => ({
  open: price,
  close: price,
  high: price,
  low: price,
  units: 0,
  value: 0,
  dollars: 0,
  count: 0
})

export const prices = ({ close, high, low, open }: Candle, text = Prices.text): string =>
  `"price_open":"${text(open)}","price_close":"${text(close)}","price_high":"${text(high)}","price_low":"${text(low)}"`

// A mean has more digits than the prices it is of.
const mean = (price: number): string => price.toFixed(Prices.digits(price) + 6)

export const volumes = ({ close, count, dollars, units, value }: Candle): string =>
  `"vwap":"${mean(units === 0 ? close : value / units)}","volume":"${(units / unitsOf).toFixed(8)}"` +
  `,"candle_usd_volume":"${dollars.toFixed(8)}","candle_trades_count":"${count}"`

/** Leaves out the candles without a trade: those of the pauses of a market, and of the minutes in which it begins and ends. */
const withoutFlat = (traded: Traded, grid: Frequency, all: Rows.Rows): Rows.Rows => {
  const isFlat = (place: number) => between(traded, grid.at(place), grid.at(place + 1)) === undefined
  const { first, last } = all.bounds
  const bounds = { first: isFlat(first) ? first + 1 : first, last: isFlat(last) ? last - 1 : last }
  const minutes = (grid.at(1) - grid.at(0)) / MINUTE
  const period = Trades.pausePeriod / minutes
  if (!Trades.hasPauses(traded.market) || !Number.isInteger(period)) return { ...all, bounds }
  const isTraded = (place: number) =>
    Array.from({ length: minutes }, (_, n) => place * minutes + n).some((minute) => !Trades.isPause(minute))
  const kept = Array.from({ length: period }, (_, place) => place).filter(isTraded)
  return Rows.keeping({ ...all, bounds }, period, kept)
}

/** How long after its end a candle is published, in milliseconds. */
const delays = { central: 5 * SECOND, other: 20 * MINUTE } as const

/** Whether the candles of a market are those of spot or futures of an exchange that is no pool. */
export const isCentral = ({ exchange, type }: Market): boolean =>
  (type === "spot" || type === "future") && Exchanges.find(exchange)?.venue === "book"

export const rows = (
  market: Market,
  grid: Frequency,
  { flatCandles }: Pick<Dialect, "flatCandles">
): Rows.Rows | undefined => {
  const span = Availability.of(market, "candles")
  const trades = span === undefined ? undefined : Trades.of(market)
  if (span === undefined || trades === undefined) return undefined
  const candles = Rows.perStretch(market.market, grid, span, (place) => {
    const start = grid.at(place)
    const candle =
      between({ market, trades }, start, grid.at(place + 1)) ?? still(Prices.rounded(Prices.middle(market, start)))
    return `{"market":"${market.market}","time":"${nanos(start)}",${prices(candle)},${volumes(candle)}}`
  })
  const present = flatCandles === "absent" ? withoutFlat({ market, trades }, grid, candles) : candles
  return Rows.later(present, isCentral(market) ? delays.central : delays.other)
}
