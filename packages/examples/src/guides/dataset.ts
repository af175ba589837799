import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

/** Brings the daily closes of three assets since 2024 up to date, and gives what is held of each. */
export const closes = (folder: string) =>
  Dataset.sync({
    endpoint: Timeseries.assetMetrics,
    params: { assets: ["btc", "eth", "sol"], metrics: ["PriceUSD"], frequency: "1d", start_time: "2024-01-01" },
    to: folder,
    layout: { period: "year" },
    format: { as: "parquet" },
    lookBack: "7 days"
  }).pipe(
    Stream.runDrain,
    Effect.andThen(Dataset.status(folder)),
    Effect.map((status) => status?.entities ?? [])
  )

if (import.meta.main) {
  closes("out/closes").pipe(
    Effect.flatMap(Effect.forEach(({ entity, last, rows }) => Console.log(`${entity}: ${rows} days, to ${last}`))),
    Effect.provide([NodeClient.layerConfig(), NodeServices.layer]),
    NodeRuntime.runMain
  )
}
