/** The state of a shared quota as users see it: from the newest answer of the store. */
import type { Plan, State } from "../../Quota.ts"
import * as Window from "../quota/Window.ts"
import type { Answer } from "./Step.ts"

/** What the process knows by itself. */
export interface Own {
  /** The plan that was configured. */
  readonly plan: Plan | undefined
  readonly waiting: number
  /** Where the store is, and whether it can be reached. */
  readonly store: string
  readonly isReached: boolean
}

/** Builds the state; before the first answer, from what is assumed. */
export const make = (answer: Answer | undefined, own: Own): State => {
  const assumed = () => ({ ...Window.stateOf(Window.make(own.plan, 1), 0), inFlight: 0, waiting: 0 })
  const state = answer?.state ?? assumed()
  return {
    ...state,
    plan: state.plan ?? own.plan,
    waiting: Math.max(own.waiting, state.waiting),
    shared: { store: own.store, processes: answer?.processes ?? 0, isReached: answer !== undefined && own.isReached }
  }
}
