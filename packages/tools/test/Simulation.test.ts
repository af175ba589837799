import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Targets from "../src/simulation/Targets.ts"

// A long run has seeds of its own, which the names of its tests tell.
const from = TestMode.isLong ? Math.floor(Math.random() * 2 ** 31) : TestMode.firstSeed

describe("under many orders of their fibers, faults and delays", () => {
  // Seconds of the processor go by until the engine of PostgreSQL has started.
  for (const name of Targets.names.filter((name) => TestMode.isLong || name !== "tables")) {
    it.live(`${name}: each record once, or a typed error, and nothing held afterwards, from seed ${from} on`, () =>
      Effect.gen(function* () {
        const seeds = TestMode.times(6, 300)
        assert.strictEqual((yield* Targets.check(name, { from, seeds })).seeds, seeds)
      })
    )
  }
})
