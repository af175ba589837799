import { NodeRuntime } from "@effect/platform-node"
import { ReferenceData, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

const assets = ["btc", "eth", "sol"]

/** Daily prices with the full names of their assets: a list is read once, and a series is joined to it as it streams. */
export const named = Effect.gen(function* () {
  const found = yield* Stream.runCollect(ReferenceData.assets({ assets }))
  const names = new Map(found.map(({ asset, full_name }) => [asset, full_name ?? asset]))
  return Timeseries.assetMetrics({
    assets,
    metrics: ["PriceUSD"],
    start_time: "2026-10-30",
    end_time: "2026-10-31"
  }).pipe(Stream.map(({ asset, time, PriceUSD }) => `${time.slice(0, 10)} ${names.get(asset) ?? asset} ${PriceUSD}`))
}).pipe(Stream.unwrap)

if (import.meta.main) {
  named.pipe(Stream.runForEach(Console.log), Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
}
