/**
 * The live streams of quotes of assets and pairs, which no time series has (docs/interface.md 6.2 and 6.4).
 */
import * as Effect from "effect/Effect"
import type * as Assets from "../../data/Assets.ts"
import * as Quotes from "../../data/market/PairQuotes.ts"
import * as Pairs from "../../data/Pairs.ts"
import * as Feed from "../../internal/live/Feed.ts"
import type { StreamEndpoint } from "../../internal/live/StreamEndpoint.ts"
import * as Query from "../../internal/request/Query.ts"
import { assets } from "../timeseries/AssetMetrics.ts"
import type { Entities } from "../timeseries/Entities.ts"
import * as Stream from "./Stream.ts"

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

/** Every live stream of such quotes. */
export const all: ReadonlyArray<StreamEndpoint> = [ofAssets, ofPairs]
