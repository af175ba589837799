import { NodeRuntime } from "@effect/platform-node"
import { CatalogV2 } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

const params = { exchange: "coinbase" } as const

CatalogV2.marketTrades(params, { query: { newer: "1" } }).pipe(
  Stream.runForEach((record) => Console.log(JSON.stringify(record))),
  Effect.provide(NodeClient.layerConfig({ root: "https://community-api.coinmetrics.io/v4" })),
  NodeRuntime.runMain
)
