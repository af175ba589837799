/**
 * The gate of one caller: its window, and the ten places for running requests (docs/interface.md 8.1).
 */
import * as Semaphore from "effect/Semaphore"
import * as Plan from "../../Plan.ts"
import * as SlidingWindow from "./SlidingWindow.ts"

/** What stands between one caller and the service. */
export interface CallerLimits {
  readonly window: SlidingWindow.SlidingWindow
  /** One permit for each request that may run; those beyond wait in order of arrival. */
  readonly slots: Semaphore.Semaphore
}

/** The gates of all callers, made when first passed. */
export interface LimitsByCaller {
  readonly of: (caller: string, plan: Plan.Name) => CallerLimits
}

/** Makes gates that nobody has passed. */
export const make = (countRejected: boolean): LimitsByCaller => {
  const gates = new Map<string, CallerLimits>()
  return {
    of: (caller, plan) => {
      const known = gates.get(caller)
      if (known !== undefined) return known
      const gate: CallerLimits = {
        window: SlidingWindow.make(Plan.plans[plan], countRejected),
        slots: Semaphore.makeUnsafe(Plan.PARALLEL)
      }
      gates.set(caller, gate)
      return gate
    }
  }
}
