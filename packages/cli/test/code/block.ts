import { NodeRuntime } from "@effect/platform-node"
import { BlockchainV2 } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

const params = { asset: "btc", block_hash: "00000000000000000001" } as const

// The key comes from SLUICE_API_KEY in the environment.
Stream.fromEffect(BlockchainV2.block(params)).pipe(
  Stream.runForEach((record) => Console.log(JSON.stringify(record))),
  Effect.provide(NodeClient.layerConfig()),
  NodeRuntime.runMain
)
