/**
 * The limits of one caller: its window, and ten slots for running requests (docs/interface.md 8.1).
 */
import * as Semaphore from "effect/Semaphore"
import * as Plan from "../../Plan.ts"
import * as SlidingWindow from "./SlidingWindow.ts"

/** The limits of one caller. */
export interface CallerLimits {
  readonly window: SlidingWindow.SlidingWindow
  /** One permit for each running request. Others wait in order of arrival. */
  readonly slots: Semaphore.Semaphore
}

/** The limits of all callers, created on first use. */
export interface LimitsByCaller {
  readonly of: (caller: string, plan: Plan.Name) => CallerLimits
}

/** Builds the limits of callers. */
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
