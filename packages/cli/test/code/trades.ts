import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { Format } from "@sluice/files"
import { NodeClient } from "@sluice/node"
import { Effect, FileSystem, Stream } from "effect"

const params = { page_size: 1000, markets: ["coinbase-btc-usd-spot"] } as const

const program = Effect.gen(function* () {
  const to = yield* FileSystem.FileSystem
  const encode = yield* Format.encode(Timeseries.marketTrades, params, {
    numbers: "decimal",
    decimal: { precision: 30, scale: 9 },
    as: "parquet"
  })
  yield* Stream.run(encode(Timeseries.marketTrades(params).pipe(Stream.take(1000))), to.sink("trades.parquet"))
})

// The key comes from SLUICE_API_KEY in the environment.
program.pipe(Effect.provide([NodeClient.layerConfig(), NodeServices.layer]), NodeRuntime.runMain)
