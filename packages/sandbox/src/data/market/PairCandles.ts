/**
 * The candles of a pair: those of the two oldest of its spot markets that still trade, taken together.
 *
 * **Details**
 *
 * Prices begin and end as on the older of the markets that were traded, and reach as far as on either. Two are enough to
 * see that something is added up, and a day of all markets of a large pair would cost a tenth of a second.
 */
import * as Availability from "../Availability.ts"
import { DAY, nanos, TODAY } from "../../internal/time/Calendar.ts"
import type { Holder } from "../Coverage.ts"
import type { Frequency } from "../Frequency.ts"
import * as MarketIndex from "../MarketIndex.ts"
import type { Market } from "../Markets.ts"
import * as Rows from "../Rows.ts"
import * as Candles from "./Candles.ts"
import * as Prices from "./Prices.ts"
import * as Trades from "./Trades.ts"

const bases = new Map<string, ReadonlyArray<Market>>()

/** The markets that the candles of a pair are made of, the older first. */
export const marketsOf = (pair: string): ReadonlyArray<Market> => {
  const known = bases.get(pair)
  if (known !== undefined) return known
  const [base = ""] = pair.split("-")
  const found = MarketIndex.ofAsset(base)
    .filter((market) => market.pair === pair && market.type === "spot")
    .flatMap((market) => {
      const span = Availability.of(market, "candles")
      return span === undefined ? [] : [{ market, from: span.from, hasEnded: span.to < TODAY - DAY }]
    })
    .sort((a, b) => Number(a.hasEnded) - Number(b.hasEnded) || a.from - b.from)
    .slice(0, 2)
    .map(({ market }) => market)
  bases.set(pair, found)
  return found
}

const add = (older: Candles.Candle | undefined, other: Candles.Candle): Candles.Candle =>
  older === undefined ? other : { ...Candles.join(older, other), close: older.close }

/** The candles of a pair as the service writes them. */
export const rows = ({ id: pair, span }: Holder, grid: Frequency): Rows.Rows => {
  const markets = marketsOf(pair).flatMap((market) => {
    const trades = Trades.of(market)
    return trades === undefined ? [] : [{ market, trades }]
  })
  const [base = "", quote = ""] = pair.split("-")
  return Rows.perStretch(pair, grid, span, (place) => {
    const start = grid.at(place)
    let candle: Candles.Candle | undefined
    for (const { market, trades } of markets) {
      const own = Candles.between(market, trades, start, grid.at(place + 1))
      if (own !== undefined) candle = add(candle, own)
    }
    const still = () => Candles.still(Prices.rounded(Prices.inDollars(base, start) / Prices.inDollars(quote, start)))
    const { prices, volumes } = Candles
    const found = candle ?? still()
    return `{"pair":"${pair}","time":"${nanos(start)}",${prices(found)},${volumes(found)}}`
  })
}
