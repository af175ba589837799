import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { NodeLive } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

/** Keeps the trades of a market since a moment, and goes on until it is interrupted: what is new is kept every ten seconds. */
export const watched = (folder: string, since: string) =>
  Dataset.watch({
    endpoint: Timeseries.marketTrades,
    params: { markets: ["coinbase-btc-usd-spot"], start_time: since },
    to: folder,
    format: { as: "ndjson" },
    every: "10 seconds"
  }).pipe(
    Stream.tap((event) => {
      switch (event._tag) {
        case "Changed":
          return Console.log(`${event.records - event.replaced} trades more`)
        case "Failed":
          return Effect.logWarning(event.reason)
        default:
          return Effect.void
      }
    })
  )

if (import.meta.main) {
  Stream.runDrain(watched("out/trades", "2026-10-01T00:00:00Z")).pipe(
    Effect.provide([NodeLive.layerConfig(), NodeServices.layer]),
    NodeRuntime.runMain
  )
}
