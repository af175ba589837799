/**
 * The time series of markets (docs/interface.md 4.6.4 and 3.13).
 */
import * as Effect from "effect/Effect"
import * as Frequency from "../../data/Frequency.ts"
import * as Candles from "../../data/market/Candles.ts"
import * as Trades from "../../data/market/Trades.ts"
import type { Market } from "../../data/Markets.ts"
import type { Endpoint } from "../../internal/listing/Endpoint.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Family from "./Family.ts"
import { series } from "./MarketSeries.ts"

const trades = series("trades", {
  parameters: ["min_confirmations"],
  rows: Effect.fnUntraced(function* (query) {
    const confirmations = yield* Query.integer(query, "min_confirmations", { minimum: 0, maximum: 99 })
    return (market) => Trades.rows(market, confirmations ?? 2)
  })
})

const candles = series("candles", {
  parameters: ["frequency"],
  isLenient: true,
  rows: (query) =>
    Effect.map(Family.frequency(query, Frequency.isOfCandles), (grid) => (market: Market) => Candles.rows(market, grid))
})

/** Every time series of markets. */
export const all: ReadonlyArray<Endpoint> = [candles, trades]
