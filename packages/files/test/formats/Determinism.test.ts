import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Format } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Duck from "./Duck.ts"
import * as Samples from "./Samples.ts"

const options: ReadonlyArray<Format.Options> = [
  ...(["ndjson", "csv", "parquet"] as const).flatMap((as) =>
    ([undefined, "gzip", "zstd"] as const).map((compression) => ({
      ...(as === "parquet" ? Samples.exact : { as }),
      compression
    }))
  ),
  ...(["arrow", "arrows"] as const).map((as) => ({ ...Samples.exact, as }))
]

/** Long enough for several row groups and several blocks of a compressor. */
const records = [
  ...Samples.records(700),
  { ...Samples.record(2), Price: "7".repeat(3_000_000) },
  ...Samples.records(700)
]

const sizes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 400 }))).check(
  Schema.isMinLength(1)
)

/** The records in batches of these sizes, over and over. */
const batches = (sizes: ReadonlyArray<number>) => {
  const cut: Array<ReadonlyArray<unknown>> = []
  for (let at = 0, turn = 0; at < records.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    cut.push(records.slice(at, at + size))
    at += size
  }
  return Stream.fromArrays(...cut)
}

describe("the same records give the same bytes, whatever their batches", () => {
  for (const option of options) {
    const whole = Effect.runSync(
      Effect.cached(Duck.bytes(Timeseries.assetMetrics, Samples.params, option, records, records.length))
    )

    it.effect.prop(
      `as ${option.as} with ${option.compression ?? "no compression"}`,
      { sizes },
      ({ sizes }) =>
        Effect.gen(function* () {
          const encode = yield* Format.encode(Timeseries.assetMetrics, Samples.params, option)
          assert.isTrue(Buffer.concat(yield* Stream.runCollect(encode(batches(sizes)))).equals(yield* whole))
        }),
      { arbitrary: { runs: TestMode.times(2, 12) } }
    )
  }

  it.effect("and one encoder writes any number of files", () =>
    Effect.gen(function* () {
      for (const option of options) {
        const encode = yield* Format.encode(Timeseries.assetMetrics, Samples.params, option)
        const write = Stream.runCollect(encode(batches([50])))
        const [first, second] = yield* Effect.all([write, write], { concurrency: 2 })
        assert.isTrue(Buffer.concat(first).equals(Buffer.concat(second)))
      }
    })
  )
})

describe("a file is written while records come", () => {
  it.effect("row groups are written before the end", () =>
    Effect.gen(function* () {
      const encode = yield* Format.encode(Timeseries.assetMetrics, Samples.params, Samples.exact)
      const endless = Stream.flattenIterable(Stream.forever(Stream.succeed(Samples.records(1_000))))
      const begun = yield* Stream.runCollect(Stream.take(encode(endless), 2))
      assert.strictEqual(Buffer.from(begun[0] ?? []).toString("latin1", 0, 4), "PAR1")
    })
  )

  for (const option of options) {
    it.effect(`a failure is not taken for the end of ${option.as}, ${option.compression ?? "plain"}`, () =>
      Effect.gen(function* () {
        const encode = yield* Format.encode(Timeseries.assetMetrics, Samples.params, option)
        const written: Array<Uint8Array> = []
        const broken = Stream.concat(Stream.fromIterable(Samples.records(10)), Stream.fail("cut" as const))
        const error = yield* encode(broken).pipe(
          Stream.runForEach((bytes) => Effect.sync(() => written.push(bytes))),
          Effect.flip
        )
        assert.strictEqual(error, "cut")
        const whole = yield* Duck.bytes(Timeseries.assetMetrics, Samples.params, option, Samples.records(10))
        // Lines have no end mark; what has one must not have it.
        if (!["ndjson", "csv"].includes(option.as) || option.compression !== undefined) {
          assert.isBelow(Buffer.concat(written).length, whole.length)
        }
      })
    )
  }
})
