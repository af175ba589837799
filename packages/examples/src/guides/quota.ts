import { NodeRuntime } from "@effect/platform-node"
import { Client, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

const prices = Timeseries.assetMetrics({
  assets: ["btc", "eth"],
  metrics: ["PriceUSD"],
  start_time: "2026-01-01",
  end_time: "2026-03-31",
  page_size: 50
})

/** Reads a quarter, and says what is known of the quota before and after. */
export const quota = Effect.gen(function* () {
  const before = yield* Client.quota
  const records = yield* Stream.runCount(prices)
  const after = yield* Client.quota
  yield* Console.log(`before: ${before.plan ?? "unknown"}, ${before.limit} requests at most, ${before.sent} sent`)
  yield* Console.log(`after: ${after.plan}, ${after.limit} at most, ${after.sent} sent, ${after.rejected} refused`)
  return records
})

if (import.meta.main) quota.pipe(Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
