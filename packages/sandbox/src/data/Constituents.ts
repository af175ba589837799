/**
 * What asset metrics are made of, and when that changed (docs/interface.md 3.15). The kind `exchange` is published; that reference
 * rates are made of markets is assumed.
 */
import { at, TODAY } from "../internal/time/Calendar.ts"
import { mix, seed } from "../internal/random/Noise.ts"
import type * as Span from "./Span.ts"

export interface Composition {
  /** The field of a record that names a constituent. */
  readonly kind: "exchange" | "market"
  readonly names: ReadonlyArray<string>
}

const exchanges = ["binance.us", "bitstamp", "coinbase", "gemini", "kraken"]

const trusted: Composition = { kind: "exchange", names: exchanges }
const rates: Composition = { kind: "market", names: exchanges.map((exchange) => `${exchange}-btc-usd-spot`) }

export const metrics: ReadonlyMap<string, Composition> = new Map([
  ["volume_trusted_spot_usd_1d", trusted],
  ["ReferenceRate", rates],
  ["ReferenceRateEUR", rates],
  ["ReferenceRateUSD", rates]
])

// Reviewed on the first of every month.
const months = Array.from({ length: 12 }, (_, n) => String(n + 1).padStart(2, "0"))

const reviews: ReadonlyArray<number> = [2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026]
  .flatMap((year) => months.map((month) => at(`${year}-${month}-01`)))
  .filter((ms) => ms < TODAY)

const isPart = (metric: string, name: string, ms: number) => mix(seed(`${metric} ${ms}`), seed(name)) % 4 !== 0

/** The constituents at each review: by time, those of one time in no order. */
export const snapshots = (metric: string, { names }: Composition) => {
  const unordered = names.toSorted((a, b) => mix(seed(metric), seed(a)) - mix(seed(metric), seed(b)))
  return reviews.flatMap((at) => unordered.filter((name) => isPart(metric, name, at)).map((name) => ({ at, name })))
}

export interface Stretch {
  readonly name: string
  readonly from: number
  /** Undefined while it is one. */
  readonly to: number | undefined
}

/** The stretches of all constituents, by their start and name. */
export const stretches = (metric: string, { names }: Composition): ReadonlyArray<Stretch> =>
  names
    .flatMap((name) => {
      const isIn = reviews.map((ms) => isPart(metric, name, ms))
      return reviews.flatMap((from, n) => {
        if (!isIn[n] || isIn[n - 1]) return []
        const end = isIn.indexOf(false, n)
        return [{ name, from, to: end < 0 ? undefined : reviews[end] } satisfies Stretch]
      })
    })
    .toSorted((a, b) => a.from - b.from || (a.name < b.name ? -1 : 1))

export const overlaps = ({ from, to = TODAY }: Stretch, span: Span.Span): boolean => from <= span.to && to >= span.from
