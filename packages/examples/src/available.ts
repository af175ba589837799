import { NodeRuntime } from "@effect/platform-node"
import { Discover } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Layer } from "effect"

/** The names of the metrics of an asset that the key may read at a frequency. */
export const metricsAt = (asset: string, frequency: string) =>
  Discover.metrics(asset).pipe(
    Effect.map((all) => all.filter((one) => one.frequency === frequency).map(({ metric }) => metric))
  )

const layer = Discover.layer().pipe(Layer.provideMerge(NodeClient.layerConfig()))

if (import.meta.main) {
  metricsAt("btc", "1h").pipe(Effect.tap(Console.log), Effect.provide(layer), NodeRuntime.runMain)
}
