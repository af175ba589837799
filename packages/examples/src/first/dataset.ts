import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

/** The folder `closes` has what was read before; the rest is asked for, and kept. */
Dataset.read(
  Timeseries.assetMetrics,
  { assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2026-10-01" },
  { from: "closes" }
).pipe(
  Stream.runForEach(Console.log),
  Effect.provide([NodeClient.layerConfig(), NodeServices.layer]),
  NodeRuntime.runMain
)
