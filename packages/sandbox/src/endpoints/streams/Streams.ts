/**
 * Every live stream by its path; and those of quotes, of levels, and of the metrics of assets by block, by second, and five times a second
 * (docs/interface.md 6.2 to 6.4).
 */
import * as Markets from "./Markets.ts"
import * as Effect from "effect/Effect"
import type * as Assets from "../../data/Assets.ts"
import * as PairRows from "../../data/market/PairRows.ts"
import * as Pairs from "../../data/Pairs.ts"
import * as Feed from "../../internal/live/Feed.ts"
import * as Query from "../../internal/request/Query.ts"
import { assets, metrics } from "../timeseries/AssetMetrics.ts"
import * as Entities from "../timeseries/Entities.ts"
import * as Stream from "./Stream.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Series from "../../data/Series.ts"
import { SECOND } from "../../internal/time/Calendar.ts"
import { seed } from "../../internal/random/Noise.ts"
import * as BlockFeed from "../../internal/live/BlockFeed.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as IndexRows from "../../data/index/IndexRows.ts"
import * as Indexes from "../../data/Indexes.ts"
import { indexes } from "../timeseries/Indexes.ts"

const bySecond = Frequency.every("1s", SECOND, 0, "2022-01-01")
const fast = Frequency.every("200ms", SECOND / 5, 0, "2022-01-01")

const frequencies = ["1b", "1s", "200ms"] as const

const without = (record: string, names: ReadonlyArray<string>) =>
  names.reduce((text, name) => text.replace(new RegExp(`,"${name}":(?:null|"[^"]*")`), ""), record)

// At one instant in three, half of the metrics come in a message of their own.
const splitter = (asset: Assets.Asset, metrics: ReadonlyArray<Series.Column>) => {
  const key = seed(asset.asset)
  const half = Math.ceil(metrics.length / 2)
  const later = metrics.slice(half).map(({ metric }) => metric)
  const earlier = metrics.slice(0, half).map(({ metric }) => metric)
  return (record: string, at: number): ReadonlyArray<string> =>
    metrics.length < 2 || !Feed.isThird(key, at) ? [record] : [without(record, later), without(record, earlier)]
}

const assetMetrics = Stream.make<Assets.Asset>({
  name: "asset-metrics",
  entities: assets,
  feeds: Effect.fnUntraced(function* (query, caller) {
    const frequency = (yield* Query.oneOf(query, "frequency", frequencies)) ?? "1b"
    // What is followed by the second is followed five times a second.
    const metricsOf = yield* metrics(query, caller, frequency === "200ms" ? "1s" : frequency)
    return (asset) => {
      const found = metricsOf(asset)
      if (found instanceof Refusal.Refusal) return found
      const shown = Series.plain(caller.dialect.noValue)
      const split = splitter(asset, found.columns)
      return frequency === "1b"
        ? BlockFeed.make(asset, Series.blocks(asset, found, shown, 0, "time"), split, caller.forks)
        : Feed.ofRows(Series.grid(found, frequency === "1s" ? bySecond : fast, shown, false), (row) => row, split)
    }
  })
})

const pairs = Entities.fixed(Pairs.all, ({ pair }) => pair)

const method = (query: Query.Query) => Query.oneOf(query, "aggregation_method", ["aggregated_spread"])

const feed = (pair: string): Feed.Feed => Feed.ofRows(PairRows.quotes(pair), (row) => row)

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
        grid === undefined ? undefined : IndexRows.levels(index, grid, grid, Query.flag(query, "include_verification"))
      return rows === undefined ? undefined : Feed.ofRows(rows, (row) => row)
    })
})

export const byPath: ReadonlyMap<string, Stream.Endpoint> = new Map(
  [assetMetrics, ...Markets.all, ofAssets, ofPairs, levels].map((stream) => [stream.path, stream])
)
