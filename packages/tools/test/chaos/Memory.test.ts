import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Run from "../../src/chaos/Run.ts"
import * as RegularSchedules from "./RegularSchedules.ts"

describe("random schedules of faults, in memory", () => {
  for (const [index, schedules] of RegularSchedules.chunks("memory", 25).entries()) {
    it.live(`part ${index + 1}: the records are those of the undisturbed run, or a prefix with a typed error`, () =>
      Effect.gen(function* () {
        const { failed } = yield* Run.run(schedules)
        if (failed.length > 0) assert.fail(yield* Run.explainAll(failed))
      })
    )
  }
})
