import { NodeRuntime } from "@effect/platform-node"
import { Live, LiveStream } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import { Console, Effect } from "effect"

/** Tells the newest price of a market with each trade, as soon as it arrives. */
export const newestPrice = (tell: (price: string) => Effect.Effect<void> | void) => {
  let newest = ""
  return Live.marketTrades({ markets: "coinbase-btc-usd-spot" }, { order: "arrival" }).pipe(
    LiveStream.runForEachArray((messages) => {
      let price: string | null | undefined
      for (const message of messages) {
        // What was missed comes behind newer records, marked `filled`, and may be late in any case.
        if (message._tag !== "Data" || message.record.time < newest) continue
        newest = message.record.time
        price = message.record.price
      }
      return price == null ? undefined : tell(price)
    })
  )
}

if (import.meta.main) {
  newestPrice(Console.log).pipe(Effect.provide(NodeLive.layerConfig()), NodeRuntime.runMain)
}
