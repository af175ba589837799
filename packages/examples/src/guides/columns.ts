import { NodeRuntime } from "@effect/platform-node"
import { Columns, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect } from "effect"

/** The mean of the last so many values, for each value. NaN is no value. */
const rollingMean = (values: Float64Array, count: number) => {
  let [sum, known] = [0, 0]
  const add = (value: number, sign: 1 | -1) => {
    if (Number.isNaN(value)) return
    sum += sign * value
    known += sign
  }
  return values.map((value, at) => {
    add(value, 1)
    if (at >= count) add(values[at - count]!, -1)
    return sum / known
  })
}

/** The closes of a market each minute, their logarithmic returns, and the mean of each hour before. */
export const minutes = (start_time: string, end_time: string) =>
  Effect.gen(function* () {
    const market = { markets: "coinbase-btc-usd-spot", frequency: "1m", start_time, end_time } as const
    const { columns } = yield* Columns.collect(
      Timeseries.marketCandles,
      { ...market, format: "json_stream" },
      { columns: ["time", "price_close"] }
    )
    const close = columns.price_close.values
    const returns = close.map((price, at) => (at === 0 ? Number.NaN : Math.log(price / close[at - 1]!)))
    return { time: columns.time.values, close, returns, means: rollingMean(close, 60) }
  })

const program = Effect.gen(function* () {
  const { close, means, returns, time } = yield* minutes("2025-10-01", "2026-09-30")
  for (const at of [60, time.length - 1]) yield* Console.log(time[at], close[at], returns[at], means[at])
})

if (import.meta.main) program.pipe(Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
