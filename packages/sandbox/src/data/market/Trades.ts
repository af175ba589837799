/**
 * The trades of a market, of which the other series of markets are made.
 *
 * Every hour of a market has the same number of trades, so the n-th trade of all is found without those before it. An
 * hour is drawn from its own seed, and the last few hours are remembered: pages and streams write it once. Each minute
 * has a trade at least, but for those of markets that pause. Of an hour some trades share one time to the nanosecond, as an order has that is filled by many.
 *
 * A candle folds over `trades` from `rows.from(its start)` to `rows.from(its end)`; liquidations are the trades of which
 * `isLiquidation`; what stands around the price asks `Prices.middle`. Where data of a market begins and ends says
 * `Availability.of`.
 */
import * as Assets from "../Assets.ts"
import * as Availability from "../Availability.ts"
import * as Blocks from "../Blocks.ts"
import { HOUR, MINUTE, nanos } from "../../internal/time/Calendar.ts"
import type { Instant } from "../../internal/time/Instant.ts"
import * as Exchanges from "../Exchanges.ts"
import type { Market } from "../Markets.ts"
import { below, hex, mix, seed, unit } from "../../internal/random/Noise.ts"
import type * as Rows from "../Rows.ts"
import * as Remembered from "../Remembered.ts"
import * as Prices from "./Prices.ts"

export interface Trade {
  /** Its number among all trades of the market, which its id is made of. */
  readonly n: number
  /** Whole milliseconds since 1970, and nanoseconds beyond. */
  readonly ms: number
  readonly beyond: number
  readonly isBuy: boolean
  readonly price: number
  /** In the base asset, or in contracts. */
  readonly amount: number
  readonly isLiquidation: boolean
}

/** One a minute, and those of an order that is filled by several. */
const least = 66

/** Trades of a market in an hour: many of what is traded most. */
const perHour = (market: Market): number => {
  const rank = Assets.find(market.base ?? "")?.rank ?? 300
  return market.type === "option" || market.type === "bond" || rank >= 40 ? least : rank < 4 ? 150 : 100
}

const isPool = (market: Market): boolean => Exchanges.find(market.exchange)?.venue === "pool"

// All pools are taken to be on the one chain of which blocks are modelled.
const chain = Assets.find("eth")!

/** The time of the block that a trade of a pool is in: the last one before it within its minute, or the first. */
const inBlock = (ms: number): number => {
  const minute = Math.floor(ms / MINUTE) * MINUTE
  const time = Blocks.timeAt(chain, Blocks.from(chain, ms + 1) - 1)
  return time >= minute ? time : Blocks.timeAt(chain, Blocks.from(chain, minute))
}

const fine = 1_000_000

/** The minutes of every fourth hour in which nothing is traded on a market that pauses. */
const pause = { from: 2, to: 10 }

/** The minutes after which pauses repeat. */
export const pausePeriod = 240

/** Whether a market has pauses: spot and futures of small assets do, where no pool makes the prices. */
export const hasPauses = (market: Market): boolean =>
  perHour(market) === least && (market.type === "spot" || market.type === "future") && !isPool(market)

export const isPause = (minute: number): boolean => minute >= pause.from && minute < pause.to

/** The times of an hour's trades, as nanoseconds since it began: plain numbers are drawn and sorted in half the time. */
const draw = (market: Market, key: number, hour: number): Float64Array => {
  const count = perHour(market)
  const salt = mix(key, hour)
  const isOnChain = isPool(market)
  const at = (offset: number, beyond: number): number =>
    isOnChain ? (inBlock(hour * HOUR + offset) - hour * HOUR) * fine : offset * fine + beyond
  // An order that is filled by several others, and in every eighth hour by many.
  const filled = below(salt, 1, 8) === 0 ? count - 60 : 3
  const isPausing = hasPauses(market) && hour % (pausePeriod / 60) === 0
  const traded = (minute: number) => (isPausing && isPause(minute) ? pause.to : minute)
  const ordered = below(salt, 2, HOUR)
  const order = at(traded(Math.floor(ordered / MINUTE)) * MINUTE + (ordered % MINUTE), below(salt, 3, fine))
  const moments = new Float64Array(count)
  for (let n = 0; n < count; n++) {
    if (n >= count - filled) moments[n] = order
    // Of the trades beyond one a minute, one in three has the time of another.
    else if (n >= 60 && below(salt, 4 * n + 3, 3) === 0) moments[n] = moments[below(salt, 4 * n, 60)]!
    else {
      const minute = traded(n < 60 ? n : below(salt, 4 * n, 60))
      moments[n] = at(minute * MINUTE + below(salt, 4 * n + 1, MINUTE), below(salt, 4 * n + 2, fine))
    }
  }
  return moments.sort()
}

const momentsOf = Remembered.make(64, ({ market }: Market, _key: number, hour: number) => `${market} ${hour}`, draw)

export type Trades = NonNullable<ReturnType<typeof of>>

/** One trade in so many liquidates a position. */
const perLiquidation = 50

export const liquidation = (market: Market, n: number): number =>
  n * perLiquidation + below(seed(market.market) + 14, n, perLiquidation)

/** The number of the first liquidation that is a trade or comes after it. */
const liquidationFrom = (market: Market, trade: number): number => {
  const n = Math.floor(trade / perLiquidation)
  return liquidation(market, n) >= trade ? n : n + 1
}

export const of = (market: Market) => {
  const span = Availability.of(market, "trades")
  if (span === undefined) return undefined
  const key = seed(market.market)
  const count = perHour(market)
  const spread = Prices.halfSpread(market)
  const from = ({ ms, nanos }: Instant): number => {
    const hour = Math.floor(ms / HOUR)
    const moments = momentsOf(market, key, hour)
    const instant = (ms - hour * HOUR) * fine + nanos
    const index = moments.findIndex((moment) => moment >= instant)
    return hour * count + (index === -1 ? count : index)
  }
  const timeAt = (n: number): Instant => {
    const hour = Math.floor(n / count)
    const moment = momentsOf(market, key, hour)[n - hour * count]!
    const offset = Math.floor(moment / fine)
    return { ms: hour * HOUR + offset, nanos: moment - offset * fine }
  }
  const at = (n: number): Trade => {
    const { ms, nanos: beyond } = timeAt(n)
    const isBuy = below(key + 11, n, 2) === 0
    const distance = spread * (1 + unit(key + 12, n))
    const size = unit(key + 13, n)
    return {
      n,
      ms,
      beyond,
      isBuy,
      price: Prices.middle(market, ms) * (isBuy ? 1 + distance : 1 - distance),
      amount: 0.0005 + size * size * (1 + 40 / (40 * (1 - size) + 1)),
      isLiquidation: market.type === "future" && liquidation(market, Math.floor(n / perLiquidation)) === n
    }
  }
  const isFrom = { ms: span.from, nanos: 0 }
  return { bounds: { first: from(isFrom), last: from({ ms: span.to, nanos: 1 }) - 1 }, at, timeAt, from }
}

/** The id of a trade: digits, or of one on a chain 63 of the digits and letters of base32hex. */
export const idOf = (market: Market, { n }: Trade): string =>
  isPool(market) ? `${n.toString(32).padStart(15, "0")}${hex(seed(market.market), n, 48)}` : String(1_000_000 + n)

const chainFields = (market: Market, { ms, n }: Trade): string => {
  const height = Blocks.from(chain, ms)
  const account = (place: number) => `0x${hex(seed(market.market) + place, n, 40)}`
  return (
    `,"block_hash":"${Blocks.hash(chain, height)}","block_height":"${height}","txid":"${hex(seed(market.market), n, 64)}"` +
    `,"initiator":"${account(1)}","sender":"${account(2)}","beneficiary":"${account(3)}"`
  )
}

const derivativeFields = (market: Market, { isLiquidation, ms, n }: Trade): string => {
  const mark = `,"mark_price":"${Prices.text(Prices.middle(market, ms))}","index_price":"${Prices.text(Prices.underlying(market, ms))}"`
  const volatility = market.type === "option" ? `,"iv_trade":"${Prices.volatility(market, ms).toFixed(4)}"` : ""
  return `${mark}${volatility}${isLiquidation ? `,"liquidation":"${n % 2 === 0 ? "M" : "T"}"` : ""}`
}

/** When the service stored a record of an instant: up to two seconds later. */
export const stored = (market: Market, ms: number, n: number): string =>
  nanos(ms + 150 + below(seed(market.market) + 15, n, 1850), below(seed(market.market) + 16, n, 1000) * 1000)

/** The trades of a market as the service writes them, those in blocks with so many others on top. */
export const rows = (market: Market, confirmations: number): Rows.Rows | undefined => {
  const trades = of(market)
  if (trades === undefined) return undefined
  const isOnChain = isPool(market)
  const isDerivative = market.type === "future" || market.type === "option"
  const { at, bounds, from, timeAt } = trades
  const confirmed = { ms: Blocks.timeAt(chain, Blocks.last(chain) - confirmations), nanos: 1 }
  return {
    entity: market.market,
    bounds: isOnChain ? { ...bounds, last: Math.min(bounds.last, from(confirmed) - 1) } : bounds,
    from,
    timeAt,
    published: isOnChain
      ? {
          until: (ms) => {
            const last = Blocks.from(chain, ms + 1) - 1 - confirmations
            return from({ ms: Blocks.timeAt(chain, last), nanos: 1 })
          }
        }
      : undefined,
    row: (place) => {
      const trade = at(place)
      return (
        `{"market":"${market.market}","time":"${nanos(trade.ms, trade.beyond)}"` +
        `,"coin_metrics_id":"${idOf(market, trade)}","amount":"${trade.amount.toFixed(8)}"` +
        `,"price":"${Prices.text(trade.price)}","side":"${trade.isBuy ? "buy" : "sell"}"` +
        `${isOnChain ? chainFields(market, trade) : ""}${isDerivative ? derivativeFields(market, trade) : ""}` +
        `,"database_time":"${stored(market, trade.ms, place)}"}`
      )
    }
  }
}

/** Some were ordered, and perhaps not executed. */
const isOrder = ({ market }: Market, place: number): boolean => below(seed(market) + 53, place, 5) === 0

export const liquidations = (market: Market): Rows.Rows | undefined => {
  const span = Availability.of(market, "liquidations")
  const trades = span === undefined ? undefined : of(market)
  if (span === undefined || trades === undefined) return undefined
  const from: Rows.Rows["from"] = (instant) => liquidationFrom(market, trades.from(instant))
  return {
    entity: market.market,
    bounds: { first: from({ ms: span.from, nanos: 0 }), last: from({ ms: span.to, nanos: 1 }) - 1 },
    from,
    timeAt: (place) => trades.timeAt(liquidation(market, place)),
    row: (place) => {
      const trade = trades.at(liquidation(market, place))
      return (
        `{"market":"${market.market}","time":"${nanos(trade.ms, trade.beyond)}"` +
        `,"coin_metrics_id":"${idOf(market, trade)}","amount":"${trade.amount.toFixed(8)}"` +
        `,"price":"${Prices.text(trade.price)}","type":"${isOrder(market, place) ? "order" : "trade"}","side":"${trade.isBuy ? "buy" : "sell"}"` +
        `,"database_time":"${stored(market, trade.ms, trade.n)}"}`
      )
    }
  }
}
