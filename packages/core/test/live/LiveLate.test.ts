import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as LiveWorld from "./LiveWorld.ts"
import { firstSeed, isLong, oneOf, times } from "../TestMode.ts"

const manners = [
  ["in the order of their times", { jitter: 0, lag: 500, httpJitter: 0 }],
  ["up to 20 ms late", { jitter: 20, lag: 0, httpJitter: 20 }],
  ["up to 100 ms late", { jitter: 100, lag: 200, httpJitter: 100 }],
  ["up to a second late", { jitter: 1_000, lag: 500, httpJitter: 1_000 }],
  ["over HTTP with lags that differ by five seconds", { jitter: 100, lag: 1_000, httpJitter: 5_000 }]
] as const

/** Five thousand markets, most of which trade a few times in the minute. */
const many = { jitter: 100, lag: 1_000, httpJitter: 1_000, markets: 5_000, mean: 20_000 }

const seeds = Array.from({ length: times(4, 100) }, (_, seed) => seed)

describe.each(manners)("Records that are published %s", (_, manner) => {
  it.effect.each(seeds)("are delivered once, whatever breaks, in either order: seed %i", (seed) =>
    Effect.gen(function* () {
      for (const order of oneOf(["series", "arrival"] as const, seed)) {
        const { lost, messages, repeated } = yield* LiveWorld.run(
          { seed, breaks: 1 + (seed % 6), ...manner },
          { order }
        )
        assert.deepStrictEqual({ lost, repeated }, { lost: [], repeated: [] })
        assert.isEmpty(messages.filter(({ _tag }) => _tag === "Gap"))
      }
    })
  )
})

describe.skipIf(!isLong)("The records of 5,000 entities", () => {
  it.effect.each(["series", "arrival"] as const)("are delivered once, though connections break: %s", (order) =>
    Effect.gen(function* () {
      const { lost, messages, repeated } = yield* LiveWorld.run({ seed: firstSeed, breaks: 2, ...many }, { order })
      assert.deepStrictEqual({ lost, repeated }, { lost: [], repeated: [] })
      assert.isEmpty(messages.filter(({ _tag }) => _tag === "Gap"))
    })
  )
})
