import { NodeRuntime } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Duration, Effect, Stream } from "effect"

/** Counts the daily prices of an asset, or says in a sentence why not. Only what a program can do differs by error. */
export const countOf = (asset: string) =>
  Timeseries.assetMetrics({ assets: [asset], metrics: ["PriceUSD"], start_time: "2026-01-01" }).pipe(
    Stream.runCount,
    Effect.map((count) => `${count} prices`),
    Effect.catchTags({
      InvalidRequest: ({ parameter, reason }) => Effect.succeed(`check ${parameter ?? "the request"}: ${reason}`),
      Forbidden: () => Effect.succeed("the licence of this key does not cover it"),
      RateLimited: ({ retryAfter }) =>
        Effect.succeed(`others use this key; again in ${Duration.format(retryAfter ?? Duration.minutes(1))}`),
      Unavailable: ({ transient }) => Effect.succeed(transient ? "try again later" : "the service cannot answer this")
    })
  )

if (import.meta.main) {
  countOf("btc").pipe(Effect.flatMap(Console.log), Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
}
