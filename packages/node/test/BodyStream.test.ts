import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import { Readable } from "node:stream"
import * as BodyStream from "../src/internal/http/BodyStream.ts"

const open = () => {
  const body = new Readable({ read() {} })
  return { body, stream: BodyStream.make(body, String) }
}

const text = (chunks: ReadonlyArray<Uint8Array>) => chunks.map((chunk) => Buffer.from(chunk).toString())

describe("the chunks of a body", () => {
  it.effect("come together where one read of the socket brought them, and each as it was", () =>
    Effect.gen(function* () {
      const { body, stream } = open()
      const pulled: Array<ReadonlyArray<string>> = []
      const read = Stream.runForEachArray(stream, (chunks) => Effect.sync(() => pulled.push(text(chunks))))
      const fiber = yield* Effect.forkChild(read)
      for (const pair of ["ab", "cd"]) {
        yield* Effect.yieldNow
        for (const chunk of pair) body.push(Buffer.from(chunk))
      }
      yield* Effect.yieldNow
      body.push(null)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(pulled, [
        ["a", "b"],
        ["c", "d"]
      ])
    })
  )

  it.effect("stay where they are while the reader is busy", () =>
    Effect.gen(function* () {
      const { body, stream } = open()
      const ready = yield* Latch.make(false)
      const pulled: Array<ReadonlyArray<string>> = []
      const read = Stream.runForEachArray(stream, (chunks) =>
        Effect.andThen(
          Effect.sync(() => pulled.push(text(chunks))),
          ready.await
        )
      )
      const fiber = yield* Effect.forkChild(read)
      yield* Effect.yieldNow
      body.push(Buffer.from("a"))
      yield* Effect.yieldNow
      assert.isTrue(body.isPaused())
      body.push(Buffer.from("b"))
      body.push(null)
      yield* Effect.yieldNow
      assert.deepStrictEqual(pulled, [["a"]])
      assert.strictEqual(body.readableLength, 1)
      yield* ready.open
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(pulled, [["a"], ["b"]])
      assert.isTrue(body.destroyed)
    })
  )

  it.effect("come before the error behind them", () =>
    Effect.gen(function* () {
      const { body, stream } = open()
      const pulled: Array<string> = []
      const fiber = yield* Effect.forkChild(
        Effect.flip(Stream.runForEachArray(stream, (chunks) => Effect.sync(() => pulled.push(...text(chunks)))))
      )
      yield* Effect.yieldNow
      body.push(Buffer.from("a"))
      yield* Effect.yieldNow
      body.destroy(new Error("cut"))
      assert.include(yield* Fiber.join(fiber), "cut")
      assert.deepStrictEqual(pulled, ["a"])
    })
  )
})
