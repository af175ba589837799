/**
 * The candles of pairs (docs/interface.md 4.6.5 and 3.14).
 */
import * as Effect from "effect/Effect"
import * as Coverage from "../../data/Coverage.ts"
import * as PairCandles from "../../data/market/PairCandles.ts"
import * as Family from "./Family.ts"

/** The time series of the candles of pairs. */
export const pairCandles = Family.endpoint<Coverage.Holder>({
  path: "/timeseries/pair-candles",
  entities: {
    name: ({ id }) => id,
    all: Coverage.pairs,
    find: (name) => Coverage.pairs().find(({ id }) => id === name)
  },
  corrected: ["price_high"],
  rows: (query) => Effect.map(Family.candles(query), (grid) => (pair: Coverage.Holder) => PairCandles.rows(pair, grid))
})
