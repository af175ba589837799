import { NodeRuntime } from "@effect/platform-node"
import { Profile } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

// The key comes from SLUICE_API_KEY in the environment.
Profile.assets().pipe(
  Stream.runForEach((record) => Console.log(JSON.stringify(record))),
  Effect.provide(NodeClient.layerConfig()),
  NodeRuntime.runMain
)
