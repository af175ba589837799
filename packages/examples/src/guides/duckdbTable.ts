import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { NodeClient } from "@sluice/node"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import { Console, Effect, Stream } from "effect"

/** Brings a table of hourly rates up to date, and tells how many it has of each asset. */
export const load = Effect.fnUntraced(function* (file: string) {
  const table = DatasetDuckdb.make({ file, table: "rates" })
  yield* Dataset.sync({
    endpoint: Timeseries.assetMetrics,
    params: { assets: ["btc", "eth"], metrics: ["ReferenceRateUSD"], frequency: "1h", start_time: "2026-10-01" },
    to: table
  }).pipe(Stream.runDrain)
  return (yield* Dataset.status(table))?.entities ?? []
})

if (import.meta.main) {
  load("out/rates.duckdb").pipe(
    Effect.tap((assets) =>
      Effect.forEach(assets, ({ entity, first, last, rows }) => Console.log(entity, rows, first, last))
    ),
    Effect.provide([NodeClient.layerConfig(), NodeServices.layer]),
    NodeRuntime.runMain
  )
}
