import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { NodeClient } from "@sluice/node"
import * as DatasetPostgres from "@sluice/datasets/DatasetPostgres"
import { Config, Console, Effect, type Redacted, Stream } from "effect"

/** Brings a table of daily prices up to date. Its events tell what was kept. */
export const load = (url: Redacted.Redacted) =>
  Dataset.sync({
    endpoint: Timeseries.assetMetrics,
    params: { assets: ["btc", "eth", "sol"], metrics: ["PriceUSD"], start_time: "2026-01-01" },
    to: DatasetPostgres.make({ url, table: "prices", numbers: "decimal" })
  })

if (import.meta.main) {
  Stream.unwrap(Effect.map(Config.Redacted("DATABASE_URL"), load)).pipe(
    Stream.runForEach((event) => (event._tag === "Finished" ? Console.log(event) : Effect.void)),
    Effect.provide([NodeClient.layerConfig(), NodeServices.layer]),
    NodeRuntime.runMain
  )
}
