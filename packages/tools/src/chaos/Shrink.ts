/**
 * A simpler schedule that fails in the same way.
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schedule from "./Schedule.ts"
import * as Trial from "./Trial.ts"

/** Each step runs a schedule. */
const maxShrinks = { memory: 500, wire: 50 } as const

/** The first finding without names and numbers, which differ between schedules that fail in the same way. */
const kindOf = ({ findings }: Trial.Trial) =>
  (findings[0] ?? "").replace(/^.*?: |\/[\w/-]+|\[.*?\]|\(.*?\)|"[^"]*"|\d+/g, "")

/** Finds a simpler schedule. A schedule that was not drawn from its seed stays as it is. */
export const run = Effect.fnUntraced(function* (failed: Trial.Trial) {
  const { seed, world } = failed.schedule
  const drawn = yield* Schedule.draw(seed, world)
  if (JSON.stringify(drawn) !== JSON.stringify(failed.schedule)) return failed
  const kind = kindOf(failed)
  const result = yield* Arbitrary.checkEffect(
    Schedule.arbitrary(seed, world),
    (schedule) => Effect.map(Trial.run(schedule), (trial) => trial.findings.length === 0 || kindOf(trial) !== kind),
    { seed, size: Schedule.size, runs: 1, maxShrinks: maxShrinks[world] }
  )
  return result._tag === "Falsified" ? yield* Trial.run(result.shrunkInput) : failed
})
