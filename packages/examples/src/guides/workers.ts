import { NodeRuntime } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

const trades = Timeseries.marketTrades({
  markets: ["coinbase-btc-usd-spot", "coinbase-eth-usd-spot"],
  start_time: "2026-10-01T00:00:00",
  end_time: "2026-10-01T00:30:00"
})

type Trade = Stream.Success<typeof trades>

/**
 * Four workers behind a queue of a hundred trades. While the queue is full the stream waits, with one page requested ahead at
 * most, so memory stays bounded however slow the workers are. An error of the stream or of a worker ends all of them.
 */
export const work = <E>(handle: (trade: Trade) => Effect.Effect<void, E>) =>
  trades.pipe(
    Stream.buffer({ capacity: 100 }),
    Stream.mapEffect(handle, { concurrency: 4, unordered: true }),
    Stream.runDrain
  )

if (import.meta.main) {
  work((trade) => Console.log(trade.market, trade.price)).pipe(
    Effect.provide(NodeClient.layerConfig()),
    NodeRuntime.runMain
  )
}
