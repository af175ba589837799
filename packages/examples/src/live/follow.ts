import { NodeRuntime } from "@effect/platform-node"
import { Live } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

/** The trades of a market from a moment on: first those that HTTP has, then those to come. */
const trades = Live.marketTrades({ markets: "coinbase-btc-usd-spot" }, { since: "2026-10-31T23:00:00Z" })

/** Prints each trade, and says where some may be missing. Goes on until it is interrupted. */
export const follow = trades.pipe(
  Stream.tap((message) => {
    switch (message._tag) {
      case "Data":
        return Console.log(message.origin, message.record.time, message.record.price)
      case "Gap":
        return Effect.logWarning(`${message.entity}: trades may be missing from ${message.from} to ${message.to}`)
      case "Dropped":
        return Effect.logWarning(`${message.count} trades were dropped`)
      case "Disconnected":
        return Effect.logWarning(`connects again: ${message.error.message}`)
      default:
        return Effect.void
    }
  })
)

if (import.meta.main) {
  Stream.runDrain(follow).pipe(Effect.provide(NodeLive.layerConfig()), NodeRuntime.runMain)
}
