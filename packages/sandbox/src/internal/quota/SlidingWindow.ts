/**
 * The limits of callers (docs/interface.md 8.1 and 8.3): a sliding window, as a log of arrivals, and slots for running requests.
 */
import * as Duration from "effect/Duration"
import * as Semaphore from "effect/Semaphore"
import * as Plan from "../../Plan.ts"

export interface WindowState {
  readonly isAccepted: boolean
  readonly remaining: number
  /** Whole seconds until the window has room again, or more room than now. */
  readonly reset: number
}

/** Makes a window with an empty log; `countRejected` makes a rejected request count like an accepted one. */
export const make = (plan: Plan.Plan, countRejected: boolean) => {
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
    /** Accepts or rejects an arrival, and logs it. */
    add: (now: number): WindowState => {
      slide(now)
      const isAccepted = log.length - head < plan.limit
      if (isAccepted || countRejected) log.push(now)
      return standing(now, isAccepted)
    },
    peek: (now: number): WindowState => {
      slide(now)
      return standing(now, true)
    }
  }
}

export type SlidingWindow = ReturnType<typeof make>

/** Finds the limits of a caller: its window, and one permit for each running request, while others wait in order of arrival. */
export const perCaller = (countRejected: boolean) => {
  const create = (plan: Plan.Name) => ({
    window: make(Plan.plans[plan], countRejected),
    slots: Semaphore.makeUnsafe(Plan.PARALLEL)
  })
  const limits = new Map<string, CallerLimits>()
  return (caller: string, plan: Plan.Name): CallerLimits => {
    const own = limits.get(caller) ?? create(plan)
    limits.set(caller, own)
    return own
  }
}

export interface CallerLimits {
  readonly window: SlidingWindow
  readonly slots: Semaphore.Semaphore
}
