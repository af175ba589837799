/**
 * The candles and the quotes of a pair. Candles are made of reference rates, so they have prices and no volumes (docs/interface.md 3.14).
 */
import { nanos, SECOND, TODAY } from "../../internal/time/Calendar.ts"
import type { Holder } from "../Coverage.ts"
import * as Frequency from "../Frequency.ts"
import { seed, unit } from "../../internal/random/Noise.ts"
import * as Rows from "../Rows.ts"
import * as Candles from "./Candles.ts"
import * as Prices from "./Prices.ts"

/** So many rates are looked at between the first of a candle and that of the next. */
const looks = 8

export const candles = ({ id: pair, span }: Holder, grid: Frequency.Frequency): Rows.Rows => {
  const [base = "", quote = ""] = pair.split("-")
  const rate = (ms: number) => Prices.rounded(Prices.inDollars(base, ms) / Prices.inDollars(quote, ms))
  return Rows.perStretch(pair, grid, span, (place) => {
    const [start, end] = [grid.at(place), grid.at(place + 1)]
    const candle = Array.from({ length: looks + 1 }, (_, n) => start + ((end - start) * n) / looks)
      .map((ms) => Candles.still(rate(ms)))
      .reduce(Candles.join)
    return `{"pair":"${pair}","time":"${nanos(start)}",${Candles.prices(candle)}}`
  })
}

const fourASecond = Frequency.every("250ms", SECOND / 4, 0, "2022-01-01")

// A price of so many digits more tells both sides apart, however small it is.
const text = (price: number): string => price.toFixed(Prices.digits(price) + 4)

/**
 * The quotes of a pair, aggregated over its markets: four a second (docs/interface.md 6.4). The markets have something new once a
 * second; the others repeat what was known, with a new time.
 */
export const quotes = (pair: string): Rows.Rows => {
  const [base = "", quote = ""] = pair.split("-")
  const key = seed(pair)
  const size = (n: number, side: number) => (0.01 + 9 * unit(key + side, n)).toFixed(8)
  return Rows.onGrid(pair, fourASecond, { from: fourASecond.since, to: TODAY }, (place) => {
    const n = Math.floor(place / 4)
    const ms = n * SECOND
    const middle = Prices.inDollars(base, ms) / Prices.inDollars(quote, ms)
    const half = 0.00002 + 0.00008 * unit(key + 60, n)
    return (
      `{"pair":"${pair}","time":"${nanos(fourASecond.at(place))}","ask_price":"${text(middle * (1 + half))}","ask_size":"${size(n, 61)}"` +
      `,"bid_price":"${text(middle * (1 - half))}","bid_size":"${size(n, 62)}","mid_price":"${text(middle)}"` +
      `,"spread":"${(2 * half).toFixed(8)}"}`
    )
  })
}
