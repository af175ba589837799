import { NodeRuntime } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

export const closes = Timeseries.marketCandles({
  markets: ["coinbase-btc-usd-spot"],
  frequency: "1h",
  start_time: "2026-10-01T00:00:00",
  end_time: "2026-10-01T03:00:00"
}).pipe(Stream.runForEach(({ time, price_close }) => Console.log(time, price_close)))

if (import.meta.main) closes.pipe(Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
