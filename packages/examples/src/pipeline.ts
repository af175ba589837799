import { NodeRuntime } from "@effect/platform-node"
import { Decimal, Timeseries, TokenMetrics } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Result, Stream } from "effect"

const days = Timeseries.assetMetrics({
  assets: "eth",
  metrics: [TokenMetrics.TxTknCnt],
  start_time: "2026-01-01",
  end_time: "2026-03-31"
})

/** The day's count as a number; fails for a day without a value, which is then left out. */
const countOf = ({ time, TxTknCnt }: Stream.Success<typeof days>) =>
  Result.map(Decimal.toNumber(TxTknCnt ?? ""), (count) => ({ time, count }))

/** Seven-day means of ether's token transactions, for the next stage of a pipeline. */
export const weeklyMeans = days.pipe(
  Stream.filterMap(countOf),
  Stream.sliding(7),
  Stream.map((week) => ({
    until: week.at(-1)?.time,
    mean: Math.round(week.reduce((sum, { count }) => sum + count, 0) / week.length)
  }))
)

if (import.meta.main) {
  weeklyMeans.pipe(Stream.runForEach(Console.log), Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
}
