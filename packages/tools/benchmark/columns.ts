/**
 * `pnpm bench:columns`: time to make columns of bytes in memory, compared with `JSON.parse` of each line and the same typed arrays
 * made by hand, in one process. The two take turns at every run of 64 KiB.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Timeseries } from "@sluice/core"
import { Clock, Console, Effect, Result } from "effect"
import * as Collector from "../../core/src/internal/columns/Collector.ts"
import type * as Column from "../../core/src/internal/columns/Column.ts"
import * as LazyDecoder from "../../core/src/internal/read/LazyDecoder.ts"
import * as RecordDecoder from "../../core/src/internal/wire/RecordDecoder.ts"
import * as ColumnsByHand from "./ColumnsByHand.ts"
import { quartiles, type Sample, samples } from "./ReaderSamples.ts"
import * as Report from "./Report.ts"
import * as Workload from "./Workload.ts"

const runBytes = 65_536
const lineFeed = 10
const rounds = 3_000

/** The first lines that take 64 KiB together. */
const runOf = ({ texts }: Sample): Uint8Array => {
  const lines: Array<string> = []
  for (let at = 0, length = 0; length < runBytes; at++) {
    const text = texts[at % texts.length]!
    lines.push(text)
    length += text.length + 1
  }
  return new TextEncoder().encode(lines.join("\n"))
}

const measure = (sample: Sample, endpoint: Column.Source, params: object, kind: Workload.Kind, clock: Clock.Clock) => {
  const { decoder } = LazyDecoder.make(RecordDecoder.make(sample.schema))
  const { add } = Collector.make(Result.getOrThrow(Collector.prepare(endpoint, params)), () => {})
  const byHand = ColumnsByHand.begin({ kind, assets: [], start: "", rows: 0 }, Workload.nothing())
  const run = runOf(sample)
  const ways = [
    () => {
      const lines = new TextDecoder().decode(run).split("\n")
      byHand(lines.map((line): Workload.Rows[number] => JSON.parse(line)))
      return 1
    },
    () => {
      add(decoder.read(run, 0, run.length, lineFeed) ?? [])
      return 1
    }
  ]
  const [parsed = Number.NaN, read = Number.NaN] = quartiles(ways, rounds, clock)
  const speed = (nanos: number) => (run.length / nanos).toFixed(2)
  return [sample.name, speed(parsed), speed(read), (read / parsed).toFixed(2)]
}

const [threeLong, halfShort] = samples
const trades = samples.find(({ name }) => name === "trades")

const program = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const metrics = (sample: Sample, names: ReadonlyArray<string>) =>
    measure(sample, Timeseries.assetMetrics, { assets: "btc", metrics: names }, "metrics", clock)
  const rows = [
    metrics(threeLong!, ["AUSD", "BUSD", "CUSD"]),
    metrics(halfShort!, ["AUSD", "ACnt", "BUSD", "BCnt"]),
    measure(trades!, Timeseries.marketTrades, { markets: "btc" }, "trades", clock)
  ]
  yield* Console.log(Report.align([["records", "by hand, GB/s", "columns, GB/s", "ratio"], ...rows]))
})

NodeRuntime.runMain(program)
