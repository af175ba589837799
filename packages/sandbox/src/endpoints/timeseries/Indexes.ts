/** The time series of indexes, and the candles of pairs (docs/interface.md 4.6.5 and 3.14). */
import * as Effect from "effect/Effect"
import * as IndexRows from "../../data/index/IndexRows.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Indexes from "../../data/Indexes.ts"
import { SECOND } from "../../internal/time/Calendar.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Entities from "./Entities.ts"
import * as Family from "./Family.ts"
import * as Coverage from "../../data/Coverage.ts"
import * as PairRows from "../../data/market/PairRows.ts"

export const indexes = Entities.fixed(Indexes.all, ({ index }) => index)

const series = (name: string, own: Omit<Family.Series<Indexes.Index>, "path" | "entities">): Source =>
  Family.endpoint({ path: `/timeseries/index-${name}`, entities: indexes, ...own })

const isOfLevels = (name: string) => /^(?:1s|15s|1h|1d|1d-ny-close|1d-sg-close|1d-\d\d:00)$/.test(name)

const thinner = /^(1d-(?:ny|ldn|sg)-close|1d-\d\d:00)(-last-second)?$/

/** Reads `granularity`: the close of a day or its last second; nothing for `raw`, the default. */
const granularity = Effect.fnUntraced(function* (query: Query.Query) {
  const word = query.get("granularity") ?? "raw"
  if (word === "raw") return undefined
  const [, name = "", isBefore] = thinner.exec(word) ?? []
  const grid = Frequency.find(name)
  if (grid === undefined) return yield* Refusal.unsupported("granularity", word)
  return isBefore === undefined
    ? grid
    : { ...grid, at: (n: number) => grid.at(n) - SECOND, from: (ms: number) => grid.from(ms + SECOND) }
})

const levels = series("levels", {
  corrected: ["level"],
  rows: Effect.fnUntraced(function* (query) {
    const grid = yield* Family.frequency(query, isOfLevels)
    const coarse = yield* granularity(query)
    const isVerified = Query.flag(query, "include_verification")
    const isThinned = coarse !== undefined && coarse.at(1) - coarse.at(0) > grid.at(1) - grid.at(0)
    return (index) => IndexRows.levels(index, grid, isThinned ? coarse : grid, isVerified)
  })
})

const isOfConstituents = (name: string) => /^(?:1h|1d|1d-ny-close|1d-ny-midday|1d-sg-close)$/.test(name)

const constituents = series("constituents", {
  rows: (query) =>
    Effect.map(
      query.has("frequency") ? Family.frequency(query, isOfConstituents) : Effect.undefined,
      (grid) => (index: Indexes.Index) => IndexRows.constituents(index, grid)
    )
})

const candles = series("candles", {
  corrected: ["price_close"],
  rows: (query) => Effect.map(Family.candles(query), (grid) => (index: Indexes.Index) => IndexRows.candles(index, grid))
})

const pairCandles = Family.endpoint<Coverage.Holder>({
  path: "/timeseries/pair-candles",
  entities: Entities.fixed(Coverage.pairs, ({ id }) => id),
  corrected: ["price_high"],
  rows: (query) => Effect.map(Family.candles(query), (grid) => (pair: Coverage.Holder) => PairRows.candles(pair, grid))
})

export const all: ReadonlyArray<Source> = [candles, constituents, levels, pairCandles]
