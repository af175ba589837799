/**
 * A simpler schedule that fails in the same way.
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schedule from "./Schedule.ts"
import * as Trial from "./Trial.ts"

/** Each step runs at most one schedule. */
const maxShrinks = { memory: 500, wire: 50 } as const

/** By the wall clock: a step may be a schedule that is slow, or hangs. */
const longest = "1 minute"

/** The first finding without names and numbers, which differ between schedules that fail in the same way. */
const kindOf = ({ findings }: Trial.Trial) =>
  (findings[0] ?? "").replace(/^.*?: |\/[\w/-]+|\[.*?\]|\(.*?\)|"[^"]*"|\d+/g, "")

/**
 * Finds a simpler schedule: the simplest found until the steps or the time are used up. A schedule that was not drawn from its
 * seed stays as it is.
 */
export const run = Effect.fnUntraced(function* (failed: Trial.Trial) {
  const { seed, world } = failed.schedule
  const drawn = yield* Schedule.draw(seed, world)
  if (JSON.stringify(drawn) !== JSON.stringify(failed.schedule)) return failed
  const kind = kindOf(failed)
  let simplest = failed
  const isKept = Effect.fnUntraced(function* (schedule: Schedule.Schedule) {
    const trial = yield* Trial.runInTime(schedule)
    if (trial.findings.length === 0 || kindOf(trial) !== kind) return true
    // A candidate is only made of one that failed, so each that fails is simpler than those before.
    simplest = trial
    return false
  })
  const options = { seed, size: Schedule.size, runs: 1, maxShrinks: maxShrinks[world] }
  yield* Arbitrary.checkEffect(Schedule.arbitrary(seed, world), isKept, options).pipe(Effect.timeoutOption(longest))
  return simplest
})
