import { NodeRuntime } from "@effect/platform-node"
import { Bulk, Decimal, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Result, Stream } from "effect"

/** A day of minutes of twelve assets, an hour and four assets a request: 72 parts, plain data to print or to keep. */
const parts = Bulk.split(
  Timeseries.assetMetrics,
  {
    assets: "ada,algo,atom,bch,btc,doge,dot,eth,link,ltc,xlm,xrp",
    metrics: ["ReferenceRateUSD"],
    frequency: "1m",
    start_time: "2026-10-01T00:00:00",
    end_time: "2026-10-02T00:00:00",
    end_inclusive: false
  },
  { by: "assets", size: 4, every: "1 hour" }
)

/** The highest rate of each asset, from records that arrive in any order. */
export const highest = Effect.gen(function* () {
  const highs = new Map<string, number>()
  const records = Bulk.records(Timeseries.assetMetrics, yield* parts, { concurrency: 8 })
  yield* Stream.runForEachArray(records, (batch) =>
    Effect.sync(() => {
      for (const { asset, ReferenceRateUSD } of batch) {
        const rate = Result.getOrElse(Decimal.toNumber(ReferenceRateUSD ?? ""), () => -Infinity)
        highs.set(asset, Math.max(rate, highs.get(asset) ?? -Infinity))
      }
    })
  )
  return highs
})

if (import.meta.main) {
  highest.pipe(Effect.tap(Console.log), Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
}
