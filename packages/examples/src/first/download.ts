import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { Download } from "@sluice/files"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

/** A file of each asset; after a stop the same program goes on. */
Download.run({
  endpoint: Timeseries.assetMetrics,
  params: { assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2026-01-01" },
  split: { by: "assets" },
  to: "prices",
  format: { as: "parquet" }
}).pipe(
  Stream.runForEach(Console.log),
  Effect.provide([NodeClient.layerConfig(), NodeServices.layer]),
  NodeRuntime.runMain
)
