import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Format } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as BlockPool from "../../src/internal/parquet/BlockPool.ts"
import * as Parquet from "../../src/internal/parquet/Parquet.ts"
import * as FileStream from "../../src/internal/format/FileStream.ts"
import * as Duck from "./Duck.ts"
import * as Samples from "./Samples.ts"

const long = "long".repeat(300)

/** Enough for several row groups, another for each number. */
const rows = (from: number, count = 3_000) =>
  Array.from({ length: count }, (_, index) => ({
    ...Samples.record(from + index),
    asset: `asset ${from + index} ${long}`
  }))

const endless = (from: number) => Stream.flattenIterable(Stream.forever(Stream.succeed(rows(from, 500))))

const bad = { ...Samples.record(1), asset: "\uD83D" }

/** Each way a file can end before it is whole, with what is seen of it. */
const cutShort = {
  "its records fail": (from: number) => Stream.concat(Stream.fromIterable(rows(from)), Stream.fail("cut")),
  "a value cannot be written": (from: number) => Stream.fromIterable([...rows(from), bad]),
  "nobody wants the rest": (from: number) => Stream.take(endless(from), TestMode.times(3_001, 7_001))
}

type Encoder = (records: Stream.Stream<unknown, string>) => Stream.Stream<Uint8Array, unknown>

/** Encodes until some bytes are there, waits, and is interrupted while it is asked for more. */
const interrupted = Effect.fnUntraced(function* (encode: Encoder, from: number) {
  const begun = yield* Latch.make()
  const records = Stream.concat(
    Stream.fromIterable(rows(from)),
    Stream.fromEffect(Effect.andThen(begun.open, Effect.never))
  )
  const fiber = yield* Effect.forkChild(Stream.runDrain(encode(records)))
  yield* begun.await
  yield* Fiber.interrupt(fiber)
})

/** A pool, and its blocks that are in use. */
const counted = () => {
  const pool = BlockPool.make()
  const inUse = new Set<Buffer>()
  const counting: BlockPool.BlockPool = {
    acquire: () => {
      const block = pool.acquire()
      assert.isFalse(inUse.has(block), "a block is in use once")
      inUse.add(block)
      return block
    },
    release: (released) => {
      for (const block of released) assert.isTrue(inUse.delete(block), "a block is released once")
      pool.release(released)
    }
  }
  return { pool: counting, inUse }
}

describe("the memory of Parquet files", () => {
  const begin = Effect.fnUntraced(function* () {
    const { pool, inUse } = counted()
    const columns = yield* Format.columns(Timeseries.assetMetrics, Samples.params)
    const file = Parquet.make(columns, { numbers: "text" }, pool)
    const encode: Encoder = (records) => Stream.suspend(() => FileStream.make(file(), records))
    return { encode, inUse }
  })

  it.effect("is released when a file is complete", () =>
    Effect.gen(function* () {
      const { encode, inUse } = yield* begin()
      yield* Stream.runDrain(encode(Stream.fromIterable(rows(0))))
      assert.strictEqual(inUse.size, 0)
    })
  )

  for (const [why, records] of Object.entries(cutShort)) {
    it.effect(`is released when ${why}`, () =>
      Effect.gen(function* () {
        const { encode, inUse } = yield* begin()
        const seen = yield* Effect.exit(Stream.runDrain(encode(records(0))))
        assert.strictEqual(Exit.isSuccess(seen), why === "nobody wants the rest")
        assert.strictEqual(inUse.size, 0)
      })
    )
  }

  it.effect("is released when the reader has enough bytes", () =>
    Effect.gen(function* () {
      const { encode, inUse } = yield* begin()
      yield* Stream.runDrain(Stream.take(encode(endless(0)), 3))
      assert.strictEqual(inUse.size, 0)
    })
  )

  it.effect("is released when a file is interrupted, and not before", () =>
    Effect.gen(function* () {
      const { encode, inUse } = yield* begin()
      let most = 0
      yield* interrupted((records) => {
        const watched = Stream.mapArray(records, (batch) => {
          most = Math.max(most, inUse.size)
          return batch
        })
        return encode(watched)
      }, 0)
      assert.isAbove(most, 0)
      assert.strictEqual(inUse.size, 0)
    })
  )
})

describe("what one file leaves behind", () => {
  for (const compression of TestMode.isLong ? ([undefined, "gzip", "zstd"] as const) : ([undefined, "zstd"] as const)) {
    it.effect(`is not in another, with ${compression ?? "no compression"}`, () =>
      Effect.gen(function* () {
        const options = { ...Samples.exact, compression }
        const encode = yield* Format.encode(Timeseries.assetMetrics, Samples.params, options)
        const whole = (from: number) =>
          Effect.map(
            Stream.runCollect(encode(Stream.rechunk(Stream.fromIterable(rows(from)), 70))),
            (bytes) => [from, Buffer.concat(bytes)] as const
          )
        const dropped = (from: number) => [
          ...Object.values(cutShort).map((records) => Effect.exit(Stream.runDrain(encode(records(from))))),
          interrupted(encode, from)
        ]
        // Side by side, among files that are never whole; then once more in the memory these have left.
        const round = (from: number, count: number) => {
          const others = Effect.all(dropped(from + 1), { concurrency: "unbounded" })
          const numbers = Array.from({ length: count }, (_, index) => from + 2 * index)
          const files = Effect.all(numbers.map(whole), { concurrency: "unbounded" })
          return Effect.map(Effect.all([others, files], { concurrency: 2 }), ([, files]) => files)
        }
        const counts = [TestMode.times(2, 3), TestMode.times(1, 3)] as const
        const files = [...(yield* round(0, counts[0])), ...(yield* round(10, counts[1]))]
        assert.strictEqual(files.length, counts[0] + counts[1])
        for (const [from, bytes] of files) {
          const alone = yield* Duck.bytes(Timeseries.assetMetrics, Samples.params, options, rows(from))
          assert.isTrue(bytes.equals(alone), `the file from ${from}`)
        }
      })
    )
  }
})
