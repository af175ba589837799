import { Effect, Stream } from "effect"
import { Columns, ReferenceData, Timeseries, Batch } from "@sluice/core"
import * as BatchReader from "../../core/src/internal/wire/BatchReader.ts"
import * as RecordDecoder from "../../core/src/internal/wire/RecordDecoder.ts"
import * as RecordReader from "../../core/src/internal/wire/RecordReader.ts"
import { samples } from "./ReaderSamples.ts"

const names = ["AUSD", "BUSD", "CUSD"]
const cases: any[] = [
  ["trades", Timeseries.marketTrades, { markets: "coinbase-btc-usd-spot" }, samples[4]],
  ["metrics", Timeseries.assetMetrics, { assets: "btc", metrics: names }, samples[0]],
  ["metrics short", Timeseries.assetMetrics, { assets: "btc", metrics: ["AUSD", "ACnt", "BUSD", "BCnt"] }, samples[1]],
  ["nulls", Timeseries.assetMetrics, { assets: "btc", metrics: ["OptAUSD", "OptBUSD", "OptCUSD", "OptDUSD"] }, samples[3]],
  ["books", Timeseries.marketOrderbooks, { markets: "x" }, samples[5]],
  ["names", ReferenceData.assets, {}, samples[6]]
]
for (const [name, endpoint, params, sample] of cases) {
  const decoder: any = RecordDecoder.make(sample.schema, RecordReader.make)
  const text: string[] = []
  let size = 0
  const chunks: Uint8Array[] = []
  const counts: number[] = []
  for (let i = 0; size < 65_000 * 1; i++) { const t = sample.texts[i % sample.texts.length]; text.push(t); size += t.length + 1 }
  const bytes = new TextEncoder().encode(text.join("\n") + "\n")
  const count = text.length
  const rounds = Math.ceil((name === "books" ? 5e6 : 100e6) / bytes.length)
  const run = Effect.gen(function* () {
    const reader = BatchReader.make(sample.schema, decoder.isValid)
    let left = rounds
    let lazies = 0
    const toArray = (): any => {
      const r = reader.read(bytes, 0, bytes.length - 1, 10)
      if (r !== undefined && Batch.of(r)) lazies++
      return r ?? decoder.check(JSON.parse("[" + new TextDecoder().decode(bytes.subarray(0, -1)).replaceAll("\n", ",") + "]")).success
    }
    const records = Stream.fromPull(Effect.succeed(Effect.suspend(() => left-- > 0 ? Effect.succeed(toArray()) : Effect.fail({_tag:"x"} as any))))
    void records
    const stream = Stream.fromIterable(Array.from({ length: rounds }, (_, i) => i)).pipe(Stream.rechunk(1), Stream.flatMap(() => Stream.fromArray(toArray() as any)))
    void stream
    const pulls = Stream.transformPull(Stream.fromIterable(Array.from({ length: rounds }, (_, i) => i)).pipe(Stream.rechunk(1)), (pull) => Effect.succeed(Effect.map(pull, () => toArray())))
    const t0 = process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3
    let n = 0, last: any
    yield* Stream.runForEach(Columns.fromRecords(endpoint, params, pulls as any, { rows: Number(process.env.ROWS ?? 65536) }), (b: any) => Effect.sync(() => { n += b.length; last ??= b }))
    const t1 = process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3
    return { n, ms: t1 - t0, last, lazies }
  })
  Effect.runSync(Effect.suspend(() => Effect.void))
  await Effect.runPromise(run)
  const { n, ms, last, lazies } = await Effect.runPromise(run)
  // JSON.parse with the same conversion
  const t0 = process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3
  let m = 0
  const keys = Object.entries(last.columns) as any
  for (let r = 0; r < rounds; r++) {
    const lines = new TextDecoder().decode(bytes.subarray(0, -1)).split("\n")
    const arrays: any = keys.map(([, c]: any) => c.type === "double" ? new Float64Array(lines.length) : c.type === "time" ? new BigInt64Array(lines.length) : new Array(lines.length))
    for (let i = 0; i < lines.length; i++) {
      const rec = JSON.parse(lines[i]!)
      for (let k = 0; k < keys.length; k++) {
        const [key, c] = keys[k]
        const v = rec[key]
        arrays[k][i] = v == null ? (c.type === "time" ? 0n : NaN) : c.type === "double" ? Number(v) : c.type === "time" ? BigInt(Date.parse(v.slice(0, 23) + "Z")) * 1000000n + BigInt(v.slice(23, 29)) : v
      }
      m++
    }
  }
  const t1 = process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3
  const t2 = process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3
  for (let r = 0; r < rounds; r++) { for (const line of new TextDecoder().decode(bytes.subarray(0, -1)).split("\n")) JSON.parse(line) }
  const t3 = process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3
  console.log(name, "GB/s", (rounds * bytes.length / ms / 1e6).toFixed(2), "M rows/s", (n / ms / 1e3).toFixed(2), "lazy", lazies, "/", rounds, "vs parse+convert", (ms / (t1 - t0)).toFixed(3), "vs parse alone", (ms / (t3 - t2)).toFixed(3), m, n)
  const c0 = last.columns
  console.log(Object.values(c0).map((c: any) => `${c.name}:${c.type}:${c.nulls}:${c.at(1)}`).join("  ").slice(0, 300))
  void counts; void chunks; void count
}
