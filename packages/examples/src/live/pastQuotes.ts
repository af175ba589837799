import { NodeRuntime } from "@effect/platform-node"
import { OrderBook } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

/** Each quote of a market in a minute of the past. */
export const pastQuotes = OrderBook.quotes({
  markets: "coinbase-btc-usd-spot",
  start_time: "2026-10-01T12:00:00",
  end_time: "2026-10-01T12:00:59"
})

if (import.meta.main) {
  pastQuotes.pipe(
    Stream.runForEach(({ ask_price = "-", bid_price = "-", time }) => Console.log(time, bid_price, ask_price)),
    Effect.provide(NodeClient.layerConfig()),
    NodeRuntime.runMain
  )
}
