import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Batches from "../src/internal/Batches.ts"
import * as Slots from "../src/internal/Slots.ts"

const pairs = (ranges: ReadonlyArray<Batches.Range>) => ranges.map(({ end, first }) => [first, end])

describe("the parts of a backfill, in batches", () => {
  it("are the ones that are not done, in gaps of which the nearest are one where there are too many", () => {
    assert.deepStrictEqual(pairs(Batches.gapsOf([], 9, 4)), [[0, 9]])
    assert.deepStrictEqual(pairs(Batches.gapsOf([0, 1, 2], 3, 4)), [])
    const done = [0, 3, 4, 5, 6, 8]
    assert.deepStrictEqual(pairs(Batches.gapsOf(done, 10, 4)), [
      [1, 3],
      [7, 8],
      [9, 10]
    ])
    assert.deepStrictEqual(pairs(Batches.gapsOf(done, 10, 2)), [
      [1, 3],
      [7, 10]
    ])
    assert.deepStrictEqual(pairs(Batches.gapsOf(done, 10, 1)), [[1, 10]])
  })

  it("are divided without a hole, and share what they may be divided among", () => {
    const rest = { ...Batches.begin({ first: 3, end: 103 }, 256), first: 13 }
    for (const pieces of [1, 7, 90]) {
      const divided = Batches.divide(rest, pieces)
      assert.lengthOf(divided, pieces)
      const ends = [13, ...divided.map(({ end }) => end)]
      assert.deepStrictEqual([...divided.map(({ first }) => first), 103], ends)
      assert.isAtMost(
        divided.reduce((sum, { share }) => sum + share, 0),
        256
      )
    }
    assert.deepStrictEqual(Batches.divide(rest, 0), [])
  })

  it("are divided by the time that they take", () => {
    const rest = Batches.begin({ first: 0, end: 10_000 }, Batches.most)
    assert.strictEqual(Batches.piecesOf(rest, 2), 80)
    assert.strictEqual(Batches.piecesOf(rest, 20), 128)
    assert.strictEqual(Batches.piecesOf(rest, 100), 250)
    const [piece] = Batches.divide(rest, 128)
    assert.strictEqual(piece && Batches.piecesOf(piece, 40), 1)
    assert.strictEqual(Batches.piecesOf(rest, 3_600_000), Batches.most)
    assert.strictEqual(Batches.piecesOf({ ...rest, end: 3 }, 3_600_000), 3)
    assert.strictEqual(Batches.piecesOf({ ...rest, share: 1 }, 2), 1)
  })
})

describe("the slots of a worker", () => {
  it.effect("go to the highest priority first, and of one priority to whoever came first", () =>
    Effect.gen(function* () {
      const slots = Slots.make(1)
      const order: Array<string> = []
      const one = (name: string, priority: number) =>
        Effect.forkChild(slots.within(priority)(Effect.sync(() => order.push(name))), { startImmediately: true })
      const fibers = yield* slots.within(0)(
        Effect.gen(function* () {
          assert.isFalse(slots.isOutranked(-1))
          const others = [yield* one("low", -1), yield* one("first", 0)]
          const stopped = yield* one("stopped", 5)
          others.push(yield* one("high", 5), yield* one("second", 0))
          assert.isTrue(slots.isOutranked(0))
          assert.isFalse(slots.isOutranked(5))
          yield* Fiber.interrupt(stopped)
          assert.deepStrictEqual(order, [])
          return others
        })
      )
      for (const fiber of fibers) yield* Fiber.join(fiber)
      assert.deepStrictEqual(order, ["high", "first", "second", "low"])
      yield* slots.within(0)(Effect.void)
    })
  )
})
