/**
 * Every live stream by its path; and those of quotes and levels (docs/interface.md 6.2 and 6.4).
 */
import type { StreamEndpoint } from "../../internal/live/StreamEndpoint.ts"
import * as AssetMetrics from "./AssetMetrics.ts"
import * as Markets from "./Markets.ts"
import * as Effect from "effect/Effect"
import type * as Assets from "../../data/Assets.ts"
import * as Quotes from "../../data/market/PairQuotes.ts"
import * as Pairs from "../../data/Pairs.ts"
import * as Feed from "../../internal/live/Feed.ts"
import * as Query from "../../internal/request/Query.ts"
import { assets } from "../timeseries/AssetMetrics.ts"
import type { Entities } from "../timeseries/Entities.ts"
import * as Stream from "./Stream.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Levels from "../../data/index/Levels.ts"
import * as Indexes from "../../data/Indexes.ts"
import { indexes } from "../timeseries/Indexes.ts"

const pairs: Entities<Pairs.Pair> = {
  name: ({ pair }) => pair,
  all: () => Pairs.all,
  find: Pairs.find
}

const method = (query: Query.Query) => Query.oneOf(query, "aggregation_method", ["aggregated_spread"])

const feed = (pair: string): Feed.Feed => Feed.ofRows(Quotes.rows(pair), (row) => row)

const ofPairs = Stream.make<Pairs.Pair>({
  name: "pair-quotes",
  entities: pairs,
  feeds: (query) => Effect.as(method(query), ({ pair }: Pairs.Pair) => feed(pair))
})

const ofAssets = Stream.make<Assets.Asset>({
  name: "asset-quotes",
  entities: assets,
  feeds: (query) => Effect.as(method(query), ({ asset }: Assets.Asset) => feed(`${asset}-usd`))
})

const levels = Stream.make<Indexes.Index>({
  name: "index-levels",
  entities: indexes,
  feeds: (query) =>
    Effect.succeed((index: Indexes.Index) => {
      const grid = Frequency.find(Indexes.frequenciesOf(index)[0] ?? "")
      const rows =
        grid === undefined ? undefined : Levels.rows(index, grid, grid, Query.flag(query, "include_verification"))
      return rows === undefined ? undefined : Feed.ofRows(rows, (row) => row)
    })
})

export const byPath: ReadonlyMap<string, StreamEndpoint> = new Map(
  [...AssetMetrics.all, ...Markets.all, ofAssets, ofPairs, levels].map((stream) => [stream.path, stream])
)
