/**
 * The order book of a market at any instant, and its top, which is the market's quote.
 *
 * A side begins at the best price, goes on at multiples of a step, and further out at wider ones. What stands at a price is
 * drawn from the price and the time, and stays for some seconds or minutes: so a book differs little from the one before,
 * and an update is short.
 */
import type { Market } from "../Markets.ts"
import { below, mix, seed, unit } from "../../internal/random/Noise.ts"
import { SECOND } from "../../internal/time/Calendar.ts"
import * as Prices from "./Prices.ts"

export interface Level {
  readonly price: string
  readonly size: string
}

/** Both sides, the best price of each first. */
export interface Book {
  readonly asks: ReadonlyArray<Level>
  readonly bids: ReadonlyArray<Level>
}

/** How much of a book: so many levels of each side, those within a tenth of the middle price, or all. */
export type Depth = number | "10pct_mid_price" | "full_book"

/** Levels of a side that stand a step from each other; those beyond are wide ones. */
const near = 120
const wide = 16

/** At a price other than the best nothing stands for as long as less than this share of the most would. */
const least = 0.1

/** What a whole book covers, as a share of the price. */
const whole = 0.3

interface Scale {
  readonly key: number
  readonly ms: number
  readonly middle: number
  readonly digits: number
  /** Ticks of a price. */
  readonly perUnit: number
  /** Ticks from one level to the next: the same for all prices of a size. */
  readonly step: number
  /** The best prices, in ticks. */
  readonly ask: number
  readonly bid: number
}

const scaleOf = (market: Market, ms: number): Scale => {
  const middle = Prices.middle(market, ms)
  const digits = Prices.digits(middle)
  const perUnit = 10 ** digits
  const half = Prices.halfSpread(market)
  let step = 1
  while (step < middle * perUnit * 0.0001) step *= 2
  const bid = Math.max(1, Math.floor(middle * (1 - half) * perUnit))
  return {
    key: seed(market.market),
    ms,
    middle,
    digits,
    perUnit,
    step,
    bid,
    ask: Math.max(bid + 1, Math.ceil(middle * (1 + half) * perUnit))
  }
}

const levelAt = (
  { digits, key, ms, perUnit }: Scale,
  tick: number,
  more: number,
  isBest: boolean
): Level | undefined => {
  const place = mix(key + 40, tick)
  const stays = (10 + below(place, 1, 20) * 10) * SECOND
  // Not all at once.
  const size = unit(place, Math.floor((ms + below(place, 2, 10) * SECOND) / stays))
  if (size < least && !isBest) return undefined
  const units = 1 + Math.floor(size * size * 60_000) + more
  return { price: (tick / perUnit).toFixed(digits), size: (units / 10_000).toFixed(4) }
}

/** The levels of a side, outwards from its best price. Of several books at one instant, later ones have `more` there. */
const levels = (scale: Scale, best: number, outwards: 1 | -1, depth: Depth, more: number): ReadonlyArray<Level> => {
  const { middle, perUnit, step } = scale
  const share = depth === "10pct_mid_price" ? 0.1 : whole
  const last = middle * perUnit * (1 + outwards * share)
  const isWithin = (tick: number) => tick > 0 && (outwards === 1 ? tick <= last : tick >= last)
  const next = (tick: number, step: number) =>
    outwards === 1 ? (Math.floor(tick / step) + 1) * step : (Math.ceil(tick / step) - 1) * step
  const found: Array<Level> = []
  const most = typeof depth === "number" ? depth : Number.POSITIVE_INFINITY
  for (let tick = best; found.length < most && (tick === best || isWithin(tick));) {
    const level = levelAt(scale, tick, tick === best ? more : 0, tick === best)
    if (level !== undefined) found.push(level)
    tick = next(tick, found.length < near ? step : step * wide)
  }
  return found
}

/** The book of a market at an instant. Of several at one instant, the later ones have a little more at their top. */
export const at = (market: Market, ms: number, depth: Depth, number = 0): Book => {
  const scale = scaleOf(market, ms)
  return { asks: levels(scale, scale.ask, 1, depth, number), bids: levels(scale, scale.bid, -1, depth, number) }
}

export const top = (market: Market, ms: number, number = 0): { readonly ask: Level; readonly bid: Level } => {
  const scale = scaleOf(market, ms)
  return { ask: levels(scale, scale.ask, 1, 1, number)[0]!, bid: levels(scale, scale.bid, -1, 1, number)[0]! }
}

/** Whether a level that leaves the best so many of a side, because better ones came, is told of. */
export type Leaving = "removed" | "silent"

const changed = (
  before: ReadonlyArray<Level>,
  after: ReadonlyArray<Level>,
  isBeyond: (price: string) => boolean
): ReadonlyArray<Level> => {
  const sizes = new Map(before.map(({ price, size }) => [price, size]))
  const is = new Set(after.map(({ price }) => price))
  const gone = before.filter(({ price }) => !is.has(price) && !isBeyond(price))
  return [
    ...after.filter(({ price, size }) => sizes.get(price) !== size),
    ...gone.map(({ price }) => ({ price, size: "0" }))
  ]
}

/** The levels that differ from one book to the next, and those that are gone, of size 0. */
export const update = (before: Book, after: Book, leaving: Leaving = "removed"): Book => {
  const side = (name: keyof Book, sign: 1 | -1) => {
    const worst = after[name].length < before[name].length ? undefined : after[name].at(-1)
    const isBeyond = (price: string) =>
      leaving === "silent" && worst !== undefined && sign * (Number(price) - Number(worst.price)) > 0
    return changed(before[name], after[name], isBeyond).toSorted((a, b) => sign * (Number(a.price) - Number(b.price)))
  }
  return { asks: side("asks", 1), bids: side("bids", -1) }
}
