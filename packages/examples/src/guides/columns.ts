import { NodeRuntime } from "@effect/platform-node"
import { Columns, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect } from "effect"

/** The mean of the last so many values, for each value. */
const rollingMean = (values: Float64Array, count: number) => {
  const means = new Float64Array(values.length).fill(NaN)
  let sum = 0
  for (let at = 0; at < values.length; at++) {
    sum += values[at]!
    if (at >= count) sum -= values[at - count]!
    if (at >= count - 1) means[at] = sum / count
  }
  return means
}

export const program = Effect.gen(function* () {
  const { columns, length } = yield* Columns.collect(Timeseries.marketCandles, {
    markets: "coinbase-btc-usd-spot",
    frequency: "1m",
    start_time: "2026-09-01",
    end_time: "2026-09-02"
  })
  const { time } = columns
  const close = columns.price_close.values
  const means = rollingMean(close, 60)
  const returns = close.map((price, at) => (at === 0 ? NaN : Math.log(price / close[at - 1]!)))
  const last = length - 1
  yield* Console.log(
    new Date(Number(time.values[last]! / 1_000_000n)).toISOString(),
    close[last],
    means[last],
    returns[last]
  )
})

if (import.meta.main) program.pipe(Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
