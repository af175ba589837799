/** A state in memory, to which several clients of a process make their steps. */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Monotonic from "../retry/Monotonic.ts"
import type { State } from "./State.ts"
import type { Step } from "./Step.ts"
import * as Transition from "./Transition.ts"

/** Begins with this state, or with none. */
export const make = (initial?: State) => {
  let state = initial
  const latches = new Map<string, Latch.Latch>()
  const latchOf = (process: string) => {
    const latch = latches.get(process) ?? Latch.makeUnsafe(false)
    latches.set(process, latch)
    return latch
  }
  return {
    step: (step: Step) =>
      Effect.map(Monotonic.now, (now) => {
        const next = Transition.advance(state, step, Math.floor(now))
        state = next.state
        for (const process of next.wake) latchOf(process).openUnsafe()
        return next.answer
      }),
    awaitWake: (process: string) =>
      Effect.suspend(() => {
        const latch = latchOf(process)
        return Effect.tap(latch.await, latch.close)
      })
  }
}
