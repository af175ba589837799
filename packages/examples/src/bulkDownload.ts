import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, FileSystem, Stream } from "effect"
import { Ndjson } from "effect/encoding"

/** Downloads the daily prices of one asset into a file of its own. */
const download = Effect.fn("download")(function* (asset: string) {
  const fs = yield* FileSystem.FileSystem
  yield* Timeseries.assetMetrics({
    assets: asset,
    metrics: ["PriceUSD", "TxCnt"],
    start_time: "2020-01-01",
    format: "json_stream"
  }).pipe(Stream.pipeThroughChannel(Ndjson.encode()), Stream.run(fs.sink(`out/${asset}.ndjson`)))
  yield* Console.log(`${asset} is complete`)
})

/** All at once: the client keeps to the plan's pace and the ten requests in flight, whatever the number of streams. */
export const bulkDownload = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory("out", { recursive: true })
  yield* Effect.forEach(["btc", "eth", "etc", "sol", "ltc", "doge"], download, { concurrency: "unbounded" })
})

if (import.meta.main) {
  bulkDownload.pipe(Effect.provide([NodeClient.layerConfig(), NodeServices.layer]), NodeRuntime.runMain)
}
