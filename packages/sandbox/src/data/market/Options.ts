/**
 * What options respond to: their volatilities and their greeks (docs/interface.md 3.13).
 *
 * **Details**
 *
 * The distribution of the price is a rational function that has the shape of a bell, since engines may round exponentials
 * differently. The greeks belong together as those of a textbook do: gamma is the slope of delta, vega and theta follow
 * from gamma.
 */
import { MINUTE } from "../../internal/time/Calendar.ts"
import type { Market } from "../Markets.ts"
import { seed, unit } from "../../internal/random/Noise.ts"
import * as Prices from "./Prices.ts"

const text = (value: number): string => value.toFixed(10)

/** The volatilities of bid, ask, mark and last trade. Of some minutes nobody bids. */
export const volatility = (market: Market, ms: number): string => {
  const key = seed(market.market)
  const minute = Math.floor(ms / MINUTE)
  const mark = Prices.volatility(market, ms)
  const half = 0.002 + 0.004 * unit(key + 30, minute)
  const trade = mark + half * (2 * unit(key + 31, minute) - 1)
  // 0 or below: no quote.
  const quoted = unit(key + 32, minute)
  const bid = quoted < 0.025 ? "-1" : quoted < 0.05 ? "0" : (mark - half).toFixed(4)
  return `"iv_trade":"${trade.toFixed(4)}","iv_bid":"${bid}","iv_ask":"${(mark + half).toFixed(4)}","iv_mark":"${mark.toFixed(4)}"`
}

const daysOfYear = 365

/** The greeks. */
export const greeks = (market: Market, ms: number): string => {
  const price = Prices.index(market, ms)
  const strike = Number(market["strike"])
  const years = Prices.yearsLeft(market, ms)
  const volatility = Prices.volatility(market, ms)
  const spread = volatility * price * Math.sqrt(years)
  const distance = (price - strike) / spread
  const root = Math.sqrt(1 + distance * distance)
  // The chance that the option ends in the money, of a call.
  const call = 0.5 * (1 + distance / root)
  const isPut = market["option_contract_type"] === "put"
  const delta = isPut ? call - 1 : call
  const gamma = 0.5 / (spread * root * root * root)
  const dollars = price * price * volatility * gamma
  return (
    `"vega":"${text((dollars * years) / 100)}","theta":"${text((-dollars * volatility) / 2 / daysOfYear)}"` +
    `,"rho":"${text((strike * years * delta) / 100)}","delta":"${text(delta)}","gamma":"${text(gamma)}"`
  )
}
