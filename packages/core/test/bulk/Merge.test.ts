import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import * as Merge from "../../src/internal/bulk/Merge.ts"

/** A stream of single items, which tells of each before it gives it, and of its end. */
const telling = (log: Array<string>, name: string, count: number) =>
  Stream.range(1, count).pipe(
    Stream.rechunk(1),
    Stream.map((number) => {
      log.push(`give ${name}${number}`)
      return `${name}${number}`
    }),
    Stream.ensuring(Effect.sync(() => log.push(`end ${name}`)))
  )

const read = (log: Array<string>, stream: Stream.Stream<string, string>) =>
  Stream.runForEach(stream, (item) => Effect.sync(() => log.push(item)))

describe("by arrival", () => {
  it.effect("a reader that waits has each array before its stream goes on", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      yield* read(
        log,
        Merge.byArrival(["a"], (name) => telling(log, name, 3), 1)
      )
      assert.deepStrictEqual(log, ["give a1", "a1", "give a2", "a2", "give a3", "a3", "end a"])
    })
  )

  it.effect("streams wait for a slow reader, and go on where they were", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const given = () => log.filter((entry) => entry.startsWith("give")).length
      const ready = yield* Latch.make(false)
      const items: Array<string> = []
      const merged = Merge.byArrival(["a", "b"], (name) => telling(log, name, 100), 2)
      const fiber = yield* Effect.forkChild(
        Stream.runForEach(merged, (item) =>
          Effect.andThen(
            Effect.sync(() => items.push(item)),
            ready.await
          )
        )
      )
      yield* Effect.repeat(Effect.yieldNow, { times: 100 })
      // One is with the reader, sixteen are buffered, and each stream has one more.
      assert.strictEqual(given(), 19)
      yield* ready.open
      yield* Fiber.join(fiber)
      for (const name of ["a", "b"]) {
        const expected = Array.from({ length: 100 }, (_, index) => `${name}${index + 1}`)
        assert.deepStrictEqual(
          items.filter((item) => item.startsWith(name)),
          expected
        )
      }
    })
  )

  it.effect("what came before a failure is read first", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const failing = Stream.concat(telling(log, "a", 3), Stream.fail("broken"))
      const items: Array<string> = []
      const slow = Stream.runForEachArray(
        Merge.byArrival([failing], (stream) => stream, 1),
        (array) =>
          Effect.gen(function* () {
            yield* Effect.repeat(Effect.yieldNow, { times: 20 })
            items.push(...array)
          })
      )
      assert.strictEqual(yield* Effect.flip(slow), "broken")
      assert.deepStrictEqual(items, ["a1", "a2", "a3"])
    })
  )

  it.effect("a reader that stops ends all streams, also the one that it reads from", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const never = Stream.ensuring(
        Stream.never,
        Effect.sync(() => log.push("end never"))
      )
      const merged = Merge.byArrival([never, telling(log, "a", 100)], (stream) => stream, 2)
      yield* read(log, Stream.take(merged, 2))
      assert.deepStrictEqual(
        log.filter((entry) => !entry.startsWith("give")),
        ["a1", "a2", "end never", "end a"]
      )
    })
  )
})

describe("in order", () => {
  it.effect("each stream follows the one before, and is a few arrays ahead at most", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      yield* read(
        log,
        Merge.inOrder(["a", "b"], (name) => telling(log, name, 9), 2)
      )
      const items = log.filter((entry) => !entry.includes(" "))
      assert.deepStrictEqual(
        items,
        ["a", "b"].flatMap((name) => Array.from({ length: 9 }, (_, index) => `${name}${index + 1}`))
      )
      assert.isAbove(log.indexOf("give b4"), log.indexOf("end a"))
    })
  )
})
