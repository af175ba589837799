import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Run from "../../src/chaos/Run.ts"

/** Always the same: `pnpm chaos` runs any number of others. */
const schedules = 2_000

const chunk = 100

describe("random schedules of faults, in memory", () => {
  for (let first = 1; first < schedules; first += chunk) {
    it.live(
      `${first} to ${first + chunk - 1}: the records are those of the undisturbed run, or a prefix with a typed error`,
      () =>
        Effect.gen(function* () {
          const { failed } = yield* Run.run(Run.draw(first, chunk, "memory"))
          if (failed.length > 0) assert.fail(yield* Run.explainAll(failed))
        })
    )
  }
})
