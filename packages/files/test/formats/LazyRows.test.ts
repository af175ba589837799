import { assert, describe, it } from "@effect/vitest"
import { Catalog, Timeseries } from "@sluice/core"
import { Format } from "@sluice/files"
import * as LazyRows from "@sluice/files/internal/format/LazyRows"
import * as ParquetFile from "@sluice/files/internal/parquet/ParquetFile"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Duck from "./Duck.ts"
import * as Samples from "./Samples.ts"

const metrics = { endpoint: Timeseries.assetMetrics, params: Samples.params }

const alert = (index: number) => ({
  asset: "btc",
  name: `a${index}`,
  conditions: [{ description: 'over "5"', threshold: index % 3 === 0 ? null : index }, [], "€"]
})

const cases = [
  { ...metrics, options: { as: "ndjson" }, records: Samples.records(900) },
  { ...metrics, options: Samples.exact, records: Samples.records(900) },
  { ...metrics, options: { as: "parquet", compression: "gzip" }, records: Samples.fittingRecords(900) },
  {
    ...metrics,
    options: { as: "parquet", times: "micros", numbers: "decimal" },
    records: Array.from({ length: 900 }, (_, index) => ({
      ...Samples.record(index),
      time: `20${10 + (index % 90)}-02-28T23:59:59.${index % 2 === 0 ? "000000" : "999999"}000Z`,
      Price: index % 3 === 0 ? null : `${index}.25`,
      'Odd"name': "-1"
    }))
  },
  {
    endpoint: Catalog.assetAlerts,
    params: {},
    options: { as: "parquet" },
    records: Array.from({ length: 900 }, (_, index) => alert(index))
  },
  {
    endpoint: Catalog.assetAlerts,
    params: {},
    options: { as: "ndjson" },
    records: Array.from({ length: 900 }, (_, index) => alert(index))
  }
] as const

/** Reads a file in arrays of lazy records. */
const read = (file: Uint8Array, as: "ndjson" | "parquet"): Stream.Stream<unknown, unknown> => {
  if (as === "ndjson") {
    const size = 4_999
    return LazyRows.ofLines(
      Stream.map(Stream.range(0, Math.ceil(file.length / size) - 1), (at) => file.subarray(at * size, (at + 1) * size))
    )
  }
  const bytes = {
    size: file.length,
    read: (from: number, to: number) => Effect.sync(() => Uint8Array.from(file.subarray(from, to)))
  }
  return ParquetFile.pages(bytes, new Set(["conditions"])).pipe(
    Stream.mapEffect((page) => Effect.fromResult(ParquetFile.rowsOf(page))),
    LazyRows.ofPages
  )
}

describe("records that are read lazily", () => {
  for (const { endpoint, options, params, records } of cases) {
    for (const seed of TestMode.seeds(3, 30)) {
      it.effect(`give the file that they are of: ${Object.values(options).join(" ")}, ${endpoint.path}, ${seed}`, () =>
        Effect.gen(function* () {
          const draw = Draw.from(seed)
          const file = yield* Duck.bytes(endpoint, params, options, records, 100)
          let at = 0
          // In parts, of which some are objects: what is behind an array of objects is not asked for.
          const parts = Stream.flatMap(
            Stream.rechunk(
              Stream.mapArray(read(file, options.as), (some) => [some] as const),
              1
            ),
            (some) => {
              const cut: Array<ReadonlyArray<unknown>> = []
              for (let from = 0; from < some.length;) {
                const to = Math.min(some.length, from + 1 + draw.below(200))
                cut.push(draw.below(4) === 0 ? records.slice(at + from, at + to) : some.slice(from, to))
                assert.strictEqual(cut.at(-1)?.length, to - from)
                from = to
              }
              at += some.length
              return Stream.fromArrays(...cut)
            }
          )
          const encode = yield* Format.encode(endpoint, params, options)
          const again = Buffer.concat(yield* Stream.runCollect(encode(parts)))
          assert.strictEqual(at, records.length)
          assert.isTrue(again.equals(file))
        })
      )
    }
  }

  it.effect("are reported where they have a key without a column", () =>
    Effect.gen(function* () {
      const heard: Array<unknown> = []
      const file = yield* Duck.bytes(metrics.endpoint, metrics.params, Samples.exact, Samples.records(9), 9)
      const encode = yield* Format.encode(
        metrics.endpoint,
        { ...metrics.params, metrics: "Price" },
        { as: "parquet", numbers: "text" }
      )
      yield* Effect.provide(
        Stream.runDrain(encode(read(file, "parquet"))),
        Logger.layer([Logger.make<unknown, void>(({ message }) => void heard.push(message))])
      )
      assert.deepStrictEqual(heard.flat(), [
        '/timeseries/asset-metrics as parquet has no column for Odd"name; ndjson keeps every key'
      ])
    })
  )
})
