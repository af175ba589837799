import { NodeRuntime } from "@effect/platform-node"
import { Blockchain } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

const params = { page_size: 3, asset: "btc" } as const

// The key comes from SLUICE_API_KEY in the environment.
Blockchain.transactionTracker(params).pipe(
  Stream.take(3),
  Stream.runForEach((record) => Console.log(JSON.stringify(record))),
  Effect.provide(NodeClient.layerConfig()),
  NodeRuntime.runMain
)
