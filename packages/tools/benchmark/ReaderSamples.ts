/** Records of each kind that the benchmark of the reader compares, as the service writes them. */
import { ReferenceData, Timeseries } from "@sluice/core"
import type { Clock, Schema } from "effect"
import * as Records from "./Records.ts"
import type { Kind } from "./Workload.ts"

export interface Sample {
  readonly name: string
  readonly schema: Schema.Codec<unknown>
  readonly texts: ReadonlyArray<string>
}

const start = Date.parse("2024-01-01T00:00:00Z")

const timeOf = (row: number) => `${new Date(start + row * 60_000).toISOString().slice(0, 19)}.000000000Z`

const sample = (name: string, record: Schema.Top, kind: Kind, metrics: ReadonlyArray<string> = []): Sample => {
  const write = Records.writerOf(kind, metrics)
  return {
    name,
    // Type boundary: the records of this library are checked without services.
    schema: record as Schema.Codec<unknown>,
    texts: Array.from({ length: kind === "books" ? 200 : 1_000 }, (_, row) => write("btc", row, timeOf(row)))
  }
}

const metrics = (name: string, names: ReadonlyArray<string>): Sample =>
  // Type boundary: names that the service does not have are read like any others.
  sample(name, Timeseries.assetMetrics.record({ assets: "btc", metrics: names } as never), "metrics", names)

/**
 * The nanoseconds that each of some ways takes for one of the things it counts. They take turns, and the fastest quarter of the rounds
 * counts: so another program on the machine changes the result little.
 */
export const quartiles = (
  ways: ReadonlyArray<(round: number) => number>,
  rounds: number,
  clock: Clock.Clock
): ReadonlyArray<number> => {
  const times = ways.map(() => new Float64Array(rounds))
  for (let round = -rounds / 4; round < rounds; round++) {
    for (const [index, way] of ways.entries()) {
      const before = clock.monotonicTimeNanosUnsafe()
      const count = way(Math.abs(round))
      if (round >= 0) times[index]![round] = Number(clock.monotonicTimeNanosUnsafe() - before) / count
    }
  }
  return times.map((all) => all.toSorted()[rounds >>> 2] ?? Number.NaN)
}

export const samples: ReadonlyArray<Sample> = [
  metrics("three long decimals", ["AUSD", "BUSD", "CUSD"]),
  metrics("half of the values short", ["AUSD", "ACnt", "BUSD", "BCnt"]),
  metrics(
    "thirty metrics",
    Array.from({ length: 30 }, (_, index) => `M${index}${index % 2 === 0 ? "USD" : "Cnt"}`)
  ),
  metrics("nulls now and then", ["OptAUSD", "OptBUSD", "OptCUSD", "OptDUSD"]),
  sample("trades", Timeseries.marketTrades.record(), "trades"),
  sample("order books (nested)", Timeseries.marketOrderbooks.record(), "books"),
  sample("names, one in ten not ASCII", ReferenceData.assets.record(), "names"),
  sample("names, none ASCII", ReferenceData.assets.record(), "foreign"),
  sample("names, each with an escape", ReferenceData.assets.record(), "escaped")
]
