/** Which data of a market exists, and from when to when (docs/interface.md 4.5). */
import * as Assets from "./Assets.ts"
import { at, DAY, HOUR, MINUTE, SECOND, TODAY } from "../internal/time/Calendar.ts"
import * as Exchanges from "./Exchanges.ts"
import type { Market } from "./Markets.ts"
import { below, seed, unit } from "../internal/random/Noise.ts"
import * as Remembered from "./Remembered.ts"
import * as Span from "./Span.ts"

const instantOf = (market: Market, ...fields: ReadonlyArray<string>): number | undefined => {
  const text = fields.map((field) => market[field]).find((value) => typeof value === "string")
  return typeof text === "string" ? at(text) : undefined
}

// A spot market opens some time after its exchange and its two assets.
const opened = (market: Market, key: number): number => {
  const exchange = Exchanges.find(market.exchange)
  const venue = exchange?.venue === "pool" ? at("2020-05-05") : at("2011-06-13")
  const listed = [market.base, market.quote].map((ticker) => Assets.find(ticker ?? "")?.listed ?? 0)
  return Math.max(venue + below(exchange?.seed ?? 0, 20, 1800) * DAY, ...listed) + below(key, 60, 400) * DAY
}

/** The life of a market, from its first trade to its last; undefined when it is still to be listed. */
export const life = Remembered.each((market: Market): Span.Span | undefined => {
  const key = seed(market.market)
  const from = (instantOf(market, "listing", "issue_date") ?? opened(market, key)) + below(key, 61, DAY)
  const end = instantOf(market, "expiration", "maturity_date") ?? Number.POSITIVE_INFINITY
  const last = Math.min(end, TODAY)
  if (from >= last) return undefined
  // What is offline before its end has stopped at some time.
  const hasStopped = market["status"] === "offline" && end > TODAY
  const to = hasStopped ? from + Math.floor((last - from) * (0.3 + 0.6 * unit(key, 62))) : last - below(key, 63, MINUTE)
  return to > from ? { from, to } : undefined
})

const isAny = () => true
const isFuture = (market: Market) => market.type === "future"
const isOption = (market: Market) => market.type === "option"
const isDerivative = (market: Market) => isFuture(market) || isOption(market)
const isPerpetual = (market: Market) => isFuture(market) && market["expiration"] === undefined
const isSpotOrFuture = (market: Market) => market.type === "spot" || isFuture(market)
const hasBook = (market: Market) =>
  Exchanges.find(market.exchange)?.venue === "book" && market["experimental"] === undefined

/** Exchanges whose order books are kept update by update. */
const updated = new Set("binance bitfinex bybit coinbase deribit gemini huobi okex".split(" "))
const hasUpdates = (market: Market) => hasBook(market) && updated.has(market.exchange)

/** Data that some markets have, of which nothing was collected before, with so many milliseconds from one value to the next. */
const rule = (has: (market: Market) => boolean, since: string, step: number) => {
  const collected = at(since)
  const spanOf = Remembered.each((market: Market): Span.Span | undefined => {
    const whole = has(market) ? life(market) : undefined
    return whole && Span.snap({ from: Math.max(whole.from, collected), to: whole.to }, step)
  })
  return { step, spanOf }
}

const rules = {
  trades: rule(isAny, "2010-07-17", 1),
  candles: rule(isSpotOrFuture, "2010-07-17", MINUTE),
  orderbooks: rule(hasBook, "2019-04-01", 10 * SECOND),
  full_orderbooks: rule(hasBook, "2020-03-01", HOUR),
  orderbook_updates: rule(hasUpdates, "2026-06-26", SECOND),
  quotes: rule(hasBook, "2019-04-01", 10 * SECOND),
  funding_rates: rule(isPerpetual, "2019-09-08", 8 * HOUR),
  funding_rates_predicted: rule(isPerpetual, "2023-06-01", MINUTE),
  contract_prices: rule(isDerivative, "2020-06-01", MINUTE),
  implied_volatility: rule(isOption, "2021-02-01", MINUTE),
  greeks: rule(isOption, "2021-02-01", MINUTE),
  openinterest: rule(isDerivative, "2019-06-01", MINUTE),
  liquidations: rule(isFuture, "2020-01-01", SECOND)
}

export type Kind = keyof typeof rules

// Type boundary: the keys of an object are any text to the compiler.
export const kinds = Object.keys(rules) as ReadonlyArray<Kind>

export const stepOf = (kind: Kind): number => rules[kind].step
export const of = (market: Market, kind: Kind): Span.Span | undefined => rules[kind].spanOf(market)
