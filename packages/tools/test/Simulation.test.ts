import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Targets from "../src/simulation/Targets.ts"

describe("under many orders of their fibers, faults and delays", () => {
  for (const name of Targets.names) {
    it.live(`${name}: each record once, or a typed error, and nothing held afterwards`, () =>
      Effect.gen(function* () {
        const seeds = TestMode.times(6, 300)
        assert.strictEqual((yield* Targets.check(name, { seeds })).seeds, seeds)
      })
    )
  }
})
