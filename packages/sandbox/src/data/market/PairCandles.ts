/**
 * The candles of a pair. They are made of reference rates, so they have prices and no volumes (docs/interface.md 3.14).
 */
import { nanos } from "../../internal/time/Calendar.ts"
import type { Holder } from "../Coverage.ts"
import type { Frequency } from "../Frequency.ts"
import * as Rows from "../Rows.ts"
import * as Candles from "./Candles.ts"
import * as Prices from "./Prices.ts"

/** So many rates are looked at between the first of a candle and that of the next. */
const looks = 8

export const rows = ({ id: pair, span }: Holder, grid: Frequency): Rows.Rows => {
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
