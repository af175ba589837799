import { NodeRuntime } from "@effect/platform-node"
import { Retry, type Root, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

/**
 * A client with every setting that a program is likely to change; all are optional. The key comes from SLUICE_API_KEY, and the
 * root, unless it is given, from SLUICE_BASE_URL.
 */
export const clientOf = (root?: Root.Input) =>
  NodeClient.layerConfig({
    root,
    retry: Retry.make({ times: 4, within: "1 minute" }),
    parallel: 4,
    connect: "5 seconds",
    firstByte: "2 minutes",
    idle: "1 minute",
    minBytesPerSecond: 1_000,
    longestWait: "1 hour",
    onDisorder: "fail",
    deprecated: "fail",
    limits: { maxReceivingBytes: 64 * 1024 * 1024, maxLineBytes: 16 * 1024 * 1024, maxEmptyPages: 100 }
  })

/** A json_stream whose end is checked, and which gives up after three attempts: settings of this call alone. */
export const minutes = Timeseries.assetMetrics(
  {
    assets: "btc",
    metrics: ["ReferenceRateUSD"],
    frequency: "1m",
    start_time: "2026-10-01",
    // A date is its whole day: all of 1 October, and nothing of the second.
    end_time: "2026-10-01",
    format: "json_stream"
  },
  { checkEnd: true, retry: Retry.make({ times: 2 }) }
)

if (import.meta.main) {
  minutes.pipe(Stream.runCount, Effect.tap(Console.log), Effect.provide(clientOf()), NodeRuntime.runMain)
}
