import { NodeRuntime } from "@effect/platform-node"
import { Decimal, Timeseries, Timestamp } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { BigDecimal, Console, Effect, Stream } from "effect"

const trades = Timeseries.marketTrades({ markets: "coinbase-btc-usd-spot", limit_per_market: 3 })

/** What three trades are worth together, to the last digit, and the nanoseconds between the first and the last. */
export const worth = Effect.gen(function* () {
  const read = yield* Stream.runCollect(trades)
  let total = BigDecimal.fromNumberUnsafe(0)
  for (const { amount, price } of read) {
    // A converter gives a Result, because text such as "N/A" is no number. Here that ends the effect with NotDecimal.
    const size = yield* Effect.fromResult(Decimal.toBigDecimal(amount ?? ""))
    const each = yield* Effect.fromResult(Decimal.toBigDecimal(price ?? ""))
    total = BigDecimal.sum(total, BigDecimal.multiply(size, each))
  }
  const moments = yield* Effect.forEach(read, ({ time }) => Effect.fromResult(Timestamp.toEpochNanos(time)))
  const nanos = (moments.at(-1) ?? 0n) - (moments[0] ?? 0n)
  return { total: BigDecimal.format(total), nanos }
})

if (import.meta.main) {
  worth.pipe(Effect.flatMap(Console.log), Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
}
