/**
 * A sliding window, as a log of arrivals (docs/interface.md 8.1 and 8.3).
 */
import * as Duration from "effect/Duration"
import type { Plan } from "../../Plan.ts"

export interface WindowState {
  readonly isAccepted: boolean
  readonly remaining: number
  /** Whole seconds until the window has room again, or more room than now. */
  readonly reset: number
}

export interface SlidingWindow {
  readonly plan: Plan
  /** Accepts or rejects an arrival, and logs it. */
  readonly add: (now: number) => WindowState
  /** The state without an arrival. */
  readonly peek: (now: number) => WindowState
}

/** Makes a window with an empty log; `countRejected` makes a rejected request count like an accepted one. */
export const make = (plan: Plan, countRejected: boolean): SlidingWindow => {
  const length = Duration.toMillis(plan.window)
  let log: Array<number> = []
  let head = 0

  const slide = (now: number) => {
    while (head < log.length && (log[head] ?? 0) <= now - length) head++
    // The passed part is dropped now and then, so that an arrival costs the same however long the log has been kept.
    if (head > 8192) {
      log = log.slice(head)
      head = 0
    }
  }

  const standing = (now: number, isAccepted: boolean): WindowState => {
    const count = log.length - head
    const next = log[count >= plan.limit ? log.length - plan.limit : head]
    return {
      isAccepted,
      remaining: Math.max(0, plan.limit - count),
      reset: next === undefined ? 0 : Math.max(1, Math.ceil((next + length - now) / 1000))
    }
  }

  return {
    plan,
    add: (now) => {
      slide(now)
      const isAccepted = log.length - head < plan.limit
      if (isAccepted || countRejected) log.push(now)
      return standing(now, isAccepted)
    },
    peek: (now) => {
      slide(now)
      return standing(now, true)
    }
  }
}
