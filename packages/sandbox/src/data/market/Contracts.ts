/**
 * What exchanges publish of futures and options: prices, open interest, funding (docs/interface.md 3.13).
 */
import * as Availability from "../Availability.ts"
import { at, DAY, HOUR, MINUTE, nanos, SECOND } from "../../internal/time/Calendar.ts"
import * as Frequency from "../Frequency.ts"
import type { Market } from "../Markets.ts"
import { below, curve, seed, unit } from "../../internal/random/Noise.ts"
import * as Rows from "../Rows.ts"
import * as Prices from "./Prices.ts"
import * as Trades from "./Trades.ts"

const byMinute = Frequency.every("raw", MINUTE, 0, "2017-01-01")

/** When the service stored a record, and the exchange's own time of it, a little before it, where that is known. */
const stamps = (market: Market, ms: number, n: number, isTimed = true): string =>
  `"database_time":"${Trades.stored(market, ms, n)}"` +
  (isTimed ? `,"exchange_time":"${nanos(ms - 1 - below(seed(market.market) + 20, n, 900))}"` : "")

/** The rows of one kind of data: at each minute, or at each instant of a grid that is asked for. */
export const rows = (
  market: Market,
  kind: Availability.Kind,
  grid: Frequency.Frequency | undefined,
  fields: (ms: number) => string,
  isTimed = true
): Rows.Rows | undefined => {
  const span = Availability.of(market, kind)
  const { at } = grid ?? byMinute
  return (
    span &&
    Rows.onGrid(market.market, grid ?? byMinute, span, (n) =>
      row(market, at(n), `${fields(at(n))},${stamps(market, at(n), n, isTimed)}`)
    )
  )
}

const row = (market: Market, ms: number, fields: string): string =>
  `{"market":"${market.market}","time":"${nanos(ms)}",${fields}}`

const thrice = Frequency.every("20s", 20 * SECOND, 0, "2017-01-01")

/** The prices of a contract as a live stream has them: three a minute, at whole seconds, none where HTTP has its own. */
export const livePrices = (market: Market): Rows.Rows | undefined => {
  const span = Availability.of(market, "contract_prices")
  const key = seed(market.market) + 24
  const at = (n: number) => thrice.at(n) + (1 + below(key, n, 19)) * SECOND
  return (
    span &&
    Rows.shifted(
      Rows.onGrid(market.market, thrice, span, (n) =>
        row(market, at(n), `${prices(market, at(n))},"exchange_time":"${nanos(at(n))}"`)
      ),
      thrice,
      (n) => ({ ms: at(n), nanos: 0 })
    )
  )
}

/** The prices of a contract over HTTP, at whole minutes. Of futures nobody knows when the exchange published them. */
export const storedPrices = (market: Market, grid: Frequency.Frequency | undefined): Rows.Rows | undefined =>
  rows(market, "contract_prices", grid, (ms) => prices(market, ms), market.type !== "future")

const expires = (market: Market): number => {
  const expiration = market["expiration"]
  return typeof expiration === "string" ? at(expiration) : Number.POSITIVE_INFINITY
}

/** Mark and index price; in the last day of a contract what it would be settled at, the mean of the index by then. */
export const prices = (market: Market, ms: number): string => {
  const index = Prices.index(market, ms)
  const isLast = expires(market) - ms <= DAY
  const mean = (index + Prices.index(market, ms - 10 * MINUTE) + Prices.index(market, ms - 20 * MINUTE)) / 3
  return (
    `"mark_price":"${Prices.text(Prices.middle(market, ms))}","index_price":"${Prices.text(index)}"` +
    (isLast ? `,"settlement_price_estimated":"${Prices.text(mean)}"` : "")
  )
}

/** The contracts that are open, and what they are worth. */
export const openInterest = (market: Market, ms: number): string => {
  const key = seed(market.market)
  const most = (market.type === "option" ? 400 : 900_000) * (0.2 + unit(key, 72))
  const open = 1 + most * (0.3 + 0.6 * curve(key + 21, ms / DAY) + 0.1 * curve(key + 22, ms / HOUR))
  // Some exchanges count parts of contracts.
  const count = Number(open.toFixed(key % 4))
  const asset = market.size_asset ?? "usd"
  const worth = count * Number(market["contract_size"] ?? 1) * Prices.inDollars(asset, ms)
  return `"contract_count":"${count.toFixed(key % 4)}","value_usd":"${worth.toFixed(6)}"`
}

const interval = 8 * HOUR

/** Every eight hours. */
const byPayment = Frequency.every("8h", interval, 0, "2017-01-01")

const rateText = (rate: number): string => rate.toFixed(8)

/** What is paid at an instant: a hundredth of a percent, and what the price was off its index on the way there. */
const rate = (market: Market, ms: number): number => {
  const off = (hours: number) => Prices.middle(market, ms - hours * HOUR) / Prices.index(market, ms - hours * HOUR) - 1
  const mean = (off(1) + off(3) + off(5) + off(7)) / 4
  return 0.0001 + Math.max(-0.003, Math.min(0.003, mean / 3))
}

/** The payments of a perpetual future as the service writes them. */
export const funding = (market: Market): Rows.Rows | undefined => {
  const span = Availability.of(market, "funding_rates")
  return (
    span &&
    Rows.onGrid(market.market, byPayment, span, (n) => {
      const ms = byPayment.at(n)
      const stored = `"database_time":"${Trades.stored(market, ms, n)}"`
      return row(
        market,
        ms,
        `"rate":"${rateText(rate(market, ms))}","period":"08:00:00","interval":"08:00:00",${stored}`
      )
    })
  )
}

/** What the next payment is expected to be, the closer to it the better; every fifth minute twice. */
export const predicted = (market: Market): Rows.Rows | undefined => {
  const span = Availability.of(market, "funding_rates_predicted")
  return (
    span &&
    Rows.inPattern(market.market, byMinute, span, [1, 1, 1, 2, 1], (n, number) => {
      const ms = byMinute.at(n)
      const paid = byPayment.at(byPayment.from(ms + 1))
      const error = ((paid - ms) / interval) * (unit(seed(market.market) + 23, 2 * n + number) - 0.5) * 0.0002
      const stored = `"database_time":"${Trades.stored(market, ms, 2 * n + number)}"`
      const text = rateText(rate(market, paid) + error)
      return row(market, ms, `"rate_predicted":"${text}","rate_time":"${nanos(paid)}",${stored}`)
    })
  )
}
