import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Permits from "../../src/internal/quota/Permits.ts"
import * as Virtual from "../Virtual.ts"

const millis = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Who takes a permit: when, of which lane, for how long, and when it is interrupted, waiting or holding. */
const taker = Schema.Struct({ at: millis(50), lane: millis(3), holds: millis(20), until: millis(60) })

describe("Permits", () => {
  it.effect.prop(
    "never gives more than there are, loses none, and serves each lane in its order",
    {
      takers: Schema.Array(taker).check(Schema.isMaxLength(60)),
      count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))
    },
    ({ count, takers }) =>
      Effect.gen(function* () {
        const permits = Permits.make<number>(count)
        const served: Array<readonly [lane: number, at: number]> = []
        let held = 0
        let most = 0
        const hold = Effect.acquireRelease(
          Effect.sync(() => {
            held += 1
            most = Math.max(most, held)
          }),
          () =>
            Effect.sync(() => {
              held -= 1
            })
        )
        const run = ({ at, holds, lane, until }: typeof taker.Type) =>
          Effect.gen(function* () {
            yield* permits.takeScoped(lane)
            yield* hold
            served.push([lane, at])
            yield* Effect.sleep(holds)
          }).pipe(Effect.scoped, Effect.timeoutOption(until + 1), Effect.delay(at))
        yield* Effect.forEach(takers, run, { concurrency: "unbounded", discard: true }).pipe(Virtual.run)
        assert.isAtMost(most, count)
        assert.strictEqual(held, 0)
        for (const lane of new Set(takers.map(({ lane }) => lane))) {
          const times = served.filter((one) => one[0] === lane).map((one) => one[1])
          assert.deepStrictEqual(
            times,
            times.toSorted((a, b) => a - b)
          )
        }
        // All are there again.
        const all = Effect.forEach(Array.from({ length: count }), () => permits.takeScoped(9), { discard: true })
        yield* Effect.scoped(Effect.timeout(all, 1_000)).pipe(Virtual.run)
      }),
    { arbitrary: { runs: 150 } }
  )

  it.effect("gives a free permit to the lane that holds the fewest, in turn where they hold equally many", () =>
    Effect.gen(function* () {
      const permits = Permits.make<string>(3)
      const served: Array<string> = []
      const take = (lane: string, index: number) =>
        Effect.scoped(
          Effect.gen(function* () {
            yield* permits.takeScoped(lane)
            served.push(`${lane}${index}`)
            yield* Effect.sleep(10)
          })
        )
      const lane = (name: string) =>
        Effect.forEach([0, 1, 2, 3], (index) => take(name, index), { concurrency: "unbounded", discard: true })
      const all = Effect.all([lane("a"), lane("b"), lane("c")], { concurrency: "unbounded", discard: true })
      yield* Virtual.run(all)
      assert.deepStrictEqual(served, ["a0", "a1", "a2", "b0", "c0", "a3", "b1", "c1", "b2", "c2", "b3", "c3"])
    })
  )

  it.effect("wakes ten thousand that wait, and that give back at once", () =>
    Effect.gen(function* () {
      const permits = Permits.make<number>(2)
      let served = 0
      const take = Effect.scoped(
        Effect.andThen(
          permits.takeScoped(0),
          Effect.sync(() => {
            served += 1
          })
        )
      )
      const waiting = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.forEach([0, 1], permits.takeScoped)
          const fiber = yield* Effect.forkDetach(
            Effect.forEach(Array.from({ length: 10_000 }), () => take, { concurrency: "unbounded", discard: true }),
            { startImmediately: true }
          )
          assert.strictEqual(served, 0)
          return fiber
        })
      )
      yield* Fiber.join(waiting)
      assert.strictEqual(served, 10_000)
    })
  )
})
