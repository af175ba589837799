/**
 * The gate of one caller: its window, and the ten places for running requests (docs/interface.md 8.1).
 */
import * as Semaphore from "effect/Semaphore"
import * as Plan from "./Plan.ts"
import * as Window from "./Window.ts"

/** What stands between one caller and the service. */
export interface Gate {
  readonly window: Window.Window
  /** One permit for each request that may run; those beyond wait in order of arrival. */
  readonly places: Semaphore.Semaphore
}

/** The gates of all callers, made when first passed. */
export interface Gates {
  readonly of: (caller: string, plan: Plan.Name) => Gate
}

/** Makes gates that nobody has passed. */
export const make = (countRejected: boolean): Gates => {
  const gates = new Map<string, Gate>()
  return {
    of: (caller, plan) => {
      const known = gates.get(caller)
      if (known !== undefined) return known
      const gate: Gate = {
        window: Window.make(Plan.plans[plan], countRejected),
        places: Semaphore.makeUnsafe(Plan.PARALLEL)
      }
      gates.set(caller, gate)
      return gate
    }
  }
}
