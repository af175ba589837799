/**
 * The limits of one caller: its window, and ten slots for running requests (docs/interface.md 8.1).
 */
import * as Semaphore from "effect/Semaphore"
import * as Plan from "../../Plan.ts"
import * as SlidingWindow from "./SlidingWindow.ts"

export type CallerLimits = ReturnType<ReturnType<typeof make>>

export const make = (countRejected: boolean) => {
  const create = (plan: Plan.Name) => ({
    window: SlidingWindow.make(Plan.plans[plan], countRejected),
    slots: Semaphore.makeUnsafe(Plan.PARALLEL)
  })
  const limits = new Map<string, ReturnType<typeof create>>()
  return (caller: string, plan: Plan.Name) => {
    const own = limits.get(caller) ?? create(plan)
    limits.set(caller, own)
    return own
  }
}
