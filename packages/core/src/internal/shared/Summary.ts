/**
 * The state of a shared quota as users see it: from the newest answer of the store.
 */
import * as Duration from "effect/Duration"
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
  const planned = Window.planOf(own.plan)
  const tightest = answer === undefined ? (planned ?? { limit: 10, window: 6_000 }) : answer.tightest
  const { limit, window } = tightest ?? { limit: Infinity, window: 6_000 }
  const { inFlight = 0, plan = own.plan, rejected = 0, remaining = limit, reset = 0, sent = 0 } = answer ?? {}
  return {
    plan,
    limit,
    window: Duration.millis(window),
    remaining: limit === Infinity ? limit : remaining,
    reset: reset < 0 ? Duration.infinity : Duration.millis(reset),
    inFlight,
    waiting: Math.max(own.waiting, answer?.waiting ?? 0),
    sent,
    rejected,
    shared: { store: own.store, processes: answer?.processes ?? 0, isReached: answer !== undefined && own.isReached }
  }
}
