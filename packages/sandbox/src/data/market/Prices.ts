/**
 * What a market trades at, at any instant: the path that its trades, candles, quotes and books lie around.
 *
 * The price is a function of the market and the instant alone. Spot markets and futures follow the prices of their two
 * assets, each with a deviation of its own; options are worth what is in the money and the time that is left; bonds stay
 * near their price per 100.
 */
import * as Assets from "../Assets.ts"
import { at, DAY } from "../../internal/time/Calendar.ts"
import type { Market } from "../Markets.ts"
import { curve, seed, unit } from "../../internal/random/Noise.ts"
import * as Values from "../Values.ts"

// In US dollars, of what is no asset of the stand-in.
const fiat: Readonly<Record<string, number>> = { eur: 1.09, jpy: 0.0067, krw: 0.00073 }

/** The price of an asset or a currency in US dollars; assets of no known price are worth one. */
export const inDollars = (ticker: string, ms: number): number => {
  const asset = Assets.find(ticker === "weth" ? "eth" : ticker)
  if (asset !== undefined) return Values.price(asset, Math.max(ms, asset.listed))
  if (ticker === "usd") return 1
  return (fiat[ticker] ?? 1) * (0.97 + 0.06 * curve(seed(ticker), ms / (60 * DAY)))
}

/** The price in the quote asset of what a market is of, which is the index that a derivative follows. */
export const underlying = ({ base = "", quote = "" }: Market, ms: number): number =>
  inDollars(base, ms) / inDollars(quote, ms)

/** The years until an option ends; a minute at least. */
export const yearsLeft = (market: Market, ms: number): number =>
  Math.max(at(String(market["expiration"])) - ms, 60_000) / (365 * DAY)

/** The volatility that an option is priced at, as a share of the price in a year. */
export const volatility = (market: Market, ms: number): number =>
  0.45 + 0.3 * curve(seed(market.base ?? ""), ms / (20 * DAY)) + 0.1 * unit(seed(market.market), 70)

/** What an option that is worth nothing trades at. */
const leastOption = 0.0001

// In the base asset, as such options are quoted. The bell over the distance to the strike has no exponential in it, which
// engines may round differently.
const option = (market: Market, ms: number): number => {
  const price = underlying(market, ms)
  const strike = Number(market["strike"])
  const inside = Math.max(0, market["option_contract_type"] === "put" ? strike - price : price - strike)
  const spread = volatility(market, ms) * price * Math.sqrt(yearsLeft(market, ms))
  const distance = (price - strike) / spread
  const time = (0.4 * spread) / (1 + distance * distance * (0.5 + distance * distance))
  return Math.max(leastOption, (inside + time) / price)
}

/** The price in the quote asset, in the middle between bid and ask. */
export const middle = (market: Market, ms: number): number => {
  const key = seed(market.market)
  switch (market.type) {
    case "option":
      return option(market, ms)
    case "bond":
      return Number(market["price_per100"]) * (0.98 + 0.04 * curve(key, ms / (30 * DAY)))
    default:
      return underlying(market, ms) * (0.9985 + 0.003 * curve(key, ms / (DAY / 6)))
  }
}

/** Half of the distance between bid and ask, as a share of the price. */
export const halfSpread = (market: Market): number => 0.00005 + 0.0004 * unit(seed(market.market), 71)

/** The digits behind the point that a price of this size is written with. */
export const digits = (price: number): number =>
  price >= 1000 ? 2 : price >= 10 ? 4 : price >= 0.01 ? 6 : price >= 0.0001 ? 8 : 12

export const rounded = (price: number): number => {
  const scale = 10 ** digits(price)
  return Math.round(price * scale) / scale
}

export const text = (price: number): string => price.toFixed(digits(price))
