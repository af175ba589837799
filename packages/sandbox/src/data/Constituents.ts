/**
 * The markets that an asset metric is made of, and when they changed (docs/interface.md 3.15). What the texts of the service
 * say is not published: here they are the shares of the markets [assumed].
 */
import { at, TODAY } from "../internal/time/Calendar.ts"
import { mix, seed } from "../internal/random/Noise.ts"
import type * as Span from "./Span.ts"

const markets = ["binance", "bitstamp", "coinbase", "gemini", "kraken"].map((exchange) => `${exchange}-btc-usd-spot`)

/** The metrics that have constituents. */
export const metrics: ReadonlyArray<string> = ["ReferenceRate", "ReferenceRateEUR", "ReferenceRateUSD"]

/** The constituents over one stretch of time; the last one has not ended. */
export interface Stretch {
  readonly from: number
  readonly to: number | undefined
  /** Shares of the markets; null where a market was suspended. */
  readonly shares: Readonly<Record<string, string | null>>
}

// Reviewed on the first of every month.
const months = Array.from({ length: 12 }, (_, n) => String(n + 1).padStart(2, "0"))

const reviews: ReadonlyArray<number> = [2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026]
  .flatMap((year) => months.map((month) => at(`${year}-${month}-01`)))
  .filter((ms) => ms < TODAY)

const shares = (metric: string, ms: number): Stretch["shares"] => {
  const key = seed(`${metric} ${ms}`)
  const taken = markets.filter((_, n) => mix(key, n) % 4 !== 0)
  const each = (1 / Math.max(1, taken.length)).toFixed(6)
  return Object.fromEntries(taken.map((market, n) => [market, mix(key, 100 + n) % 9 === 0 ? null : each]))
}

/** The stretches of a metric, in their order. */
export const of = (metric: string): ReadonlyArray<Stretch> =>
  reviews.map((from, n) => ({ from, to: reviews[n + 1], shares: shares(metric, from) }))

/** Whether a stretch has a moment in common with a span. */
export const overlaps = ({ from, to = TODAY }: Stretch, span: Span.Span): boolean => from < span.to && to > span.from
