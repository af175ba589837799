import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { Download } from "@sluice/files"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

/** Daily values of six assets: a request and a gzipped CSV file of each asset and year, ten requests at a time. */
export const bulkDownload = (folder: string) =>
  Download.run({
    endpoint: Timeseries.assetMetrics,
    params: {
      assets: ["btc", "eth", "etc", "sol", "ltc", "doge"],
      metrics: ["PriceUSD", "TxCnt"],
      start_time: "2022-01-01",
      end_time: "2025-12-31"
    },
    split: { by: "assets", every: "1 year" },
    to: folder,
    format: { as: "csv", compression: "gzip" }
  }).pipe(
    // Killed at any moment and started again, it keeps the finished files. Those that were being written are read again,
    // from their first record.
    Stream.runForEach((event) => {
      if (event._tag === "Started") return Console.log(`${event.done} of ${event.parts} files are there already`)
      if (event._tag === "PartDone") return Console.log(`${event.file}: ${event.records} records`)
      return event._tag === "Finished" ? Console.log(`${event.records} records in ${event.folder}`) : Effect.void
    })
  )

if (import.meta.main) {
  bulkDownload("out/prices").pipe(Effect.provide([NodeClient.layerConfig(), NodeServices.layer]), NodeRuntime.runMain)
}
