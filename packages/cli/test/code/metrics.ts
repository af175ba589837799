import { NodeRuntime } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

const params = {
  assets: ["btc", "eth"],
  metrics: ["PriceUSD", "TxCnt"],
  start_time: "2024-01-01",
  end_inclusive: false
} as const

// The key comes from SLUICE_API_KEY in the environment.
Timeseries.assetMetrics(params).pipe(
  Stream.runForEach((record) => Console.log(JSON.stringify(record))),
  Effect.provide(NodeClient.layerConfig()),
  NodeRuntime.runMain
)
