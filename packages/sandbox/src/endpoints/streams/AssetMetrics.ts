/**
 * The live stream of asset metrics: by block, by second, and five times a second (docs/interface.md 6.2 to 6.4).
 */
import * as Effect from "effect/Effect"
import type * as Assets from "../../data/Assets.ts"
import { SECOND } from "../../internal/time/Calendar.ts"
import * as Frequency from "../../data/Frequency.ts"
import { seed } from "../../internal/random/Noise.ts"
import * as Series from "../../data/Series.ts"
import * as BlockFeed from "../../internal/live/BlockFeed.ts"
import * as Feed from "../../internal/live/Feed.ts"
import type { StreamEndpoint } from "../../internal/live/StreamEndpoint.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Query from "../../internal/request/Query.ts"
import { assets, metrics } from "../timeseries/AssetMetrics.ts"
import * as Stream from "./Stream.ts"

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

export const all: ReadonlyArray<StreamEndpoint> = [assetMetrics]
