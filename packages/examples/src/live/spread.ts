import { NodeRuntime } from "@effect/platform-node"
import { Live, LiveStream } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import { Console, Effect } from "effect"

const markets = ["coinbase-btc-usd-spot", "binance-btc-usdt-spot"]

/** Tells by how much the last prices of two markets differ, within the event of the socket that brought the newer one. */
export const spread = (tell: (difference: number) => Effect.Effect<void> | void) => {
  const prices = new Map<string, number>()
  return Live.marketTrades({ markets }).pipe(
    LiveStream.runForEachArray((messages) => {
      for (const message of messages) {
        if (message._tag === "Data") prices.set(message.record.market, Number(message.record.price))
        // Nobody knows the last price until the next one.
        if (message._tag === "Gap") prices.delete(message.entity)
      }
      const [one, other] = prices.values()
      return one === undefined || other === undefined ? undefined : tell(Math.abs(one - other))
    })
  )
}

if (import.meta.main) {
  spread((difference) => Console.log(difference.toFixed(2))).pipe(
    Effect.provide(NodeLive.layerConfig()),
    NodeRuntime.runMain
  )
}
