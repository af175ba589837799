/** What exchanges publish of futures and options, drawn from the table (docs/interface.md 3.13). */
import * as Availability from "../Availability.ts"
import * as Drawn from "../Drawn.ts"
import { at, DAY, HOUR, MINUTE, nanos, SECOND } from "../../internal/time/Calendar.ts"
import * as Frequency from "../Frequency.ts"
import type { Market } from "../Markets.ts"
import { below, seed } from "../../internal/random/Noise.ts"
import * as Remembered from "../Remembered.ts"
import * as Rows from "../Rows.ts"
import * as Trades from "./Trades.ts"

const byMinute = Frequency.every("raw", MINUTE, 0, "2017-01-01")
const byPayment = Frequency.every("8h", 8 * HOUR, 0, "2017-01-01")
const thrice = Frequency.every("20s", 20 * SECOND, 0, "2017-01-01")

const expires = (market: Market): number => {
  const expiration = market["expiration"]
  return typeof expiration === "string" ? at(expiration) : Number.POSITIVE_INFINITY
}

const surprises: Partial<Record<Availability.Kind, (market: Market, ms: number) => Drawn.Json>> = {
  // What a contract would be settled at is known in its last day. When futures were published, over HTTP nobody knows.
  contract_prices: (market, ms) => ({
    ...(expires(market) - ms <= DAY ? {} : { settlement_price_estimated: undefined }),
    ...(market.type === "future" ? { exchange_time: undefined } : {})
  }),
  funding_rates: () => ({ period: "08:00:00", interval: "08:00:00" }),
  funding_rates_predicted: (_, ms) => ({ rate_time: nanos(byPayment.at(byPayment.from(ms + 1))) }),
  // 0 or below: no quote.
  implied_volatility: ({ market }, ms) => {
    const drawn = below(seed(market), Math.floor(ms / MINUTE), 40)
    return drawn < 2 ? { iv_bid: drawn === 0 ? "-1" : "0" } : {}
  }
}

const drawn = Remembered.make(
  16,
  (kind: Availability.Kind) => kind,
  (kind) => Drawn.recordsOf(`/timeseries/market-${kind.replaceAll("_", "-")}`)
)

/** Writes a record; two of one time have different numbers. */
const written = (market: Market, kind: Availability.Kind, ms: number, own: Drawn.Json, number = 0): string =>
  JSON.stringify({
    ...drawn(kind)(seed(market.market) + number, ms),
    market: market.market,
    ...surprises[kind]?.(market, ms),
    ...own
  })

const stored = (market: Market, kind: Availability.Kind, ms: number, n: number, number = 0): string =>
  written(market, kind, ms, { database_time: Trades.stored(market, ms, n) }, number)

/** The rows of one kind of data: at each minute or payment, or at each instant of a grid that is asked for. */
export const rows = (
  market: Market,
  kind: Availability.Kind,
  asked?: Frequency.Frequency | undefined
): Rows.Rows | undefined => {
  const span = Availability.of(market, kind)
  const grid = asked ?? (kind === "funding_rates" ? byPayment : byMinute)
  return span && Rows.onGrid(market.market, grid, span, (n) => stored(market, kind, grid.at(n), n))
}

/** The prices of a contract as a live stream has them: three a minute, at whole seconds, none where HTTP has its own. */
export const livePrices = (market: Market): Rows.Rows | undefined => {
  const span = Availability.of(market, "contract_prices")
  const key = seed(market.market) + 24
  const at = (n: number) => thrice.at(n) + (1 + below(key, n, 19)) * SECOND
  const row = (n: number) =>
    written(market, "contract_prices", at(n), { database_time: undefined, exchange_time: nanos(at(n)) })
  return span && Rows.shifted(Rows.onGrid(market.market, thrice, span, row), thrice, (n) => ({ ms: at(n), nanos: 0 }))
}

/** What the next payment is expected to be: every fifth minute twice. */
export const predicted = (market: Market): Rows.Rows | undefined => {
  const span = Availability.of(market, "funding_rates_predicted")
  return (
    span &&
    Rows.inPattern(market.market, byMinute, span, [1, 1, 1, 2, 1], (n, number) =>
      stored(market, "funding_rates_predicted", byMinute.at(n), 2 * n + number, number)
    )
  )
}
