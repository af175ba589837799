import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { Format } from "@sluice/files"
import { NodeClient } from "@sluice/node"
import { Effect, FileSystem, Stream } from "effect"

const params = { markets: ["coinbase-btc-usd-spot"], limit_per_market: 24, frequency: "1h" } as const

const program = Effect.gen(function* () {
  const to = yield* FileSystem.FileSystem
  const encode = yield* Format.encode(Timeseries.marketCandles, params, { as: "csv", compression: "gzip" })
  yield* Stream.run(encode(Timeseries.marketCandles(params)), to.sink("candles.csv.gz"))
})

// The key comes from SLUICE_API_KEY in the environment.
program.pipe(Effect.provide([NodeClient.layerConfig(), NodeServices.layer]), NodeRuntime.runMain)
