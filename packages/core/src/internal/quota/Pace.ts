/**
 * Finds the limit of a service that answers 429 and names neither its limit nor a wait.
 *
 * After the first 429 the strictest published plan is assumed, and the number of parallel requests is halved. The pace then
 * doubles while nothing is refused. After a refusal it returns to the last confirmed pace, and then tries the middle between
 * that and the refused one. Every try that is refused doubles the number of replies that the next try takes, so that the cost
 * of searching decreases.
 */
import type { Policy } from "../../Quota.ts"
import { strictest } from "./Plans.ts"

/** The search, as data that a store can hold. */
export interface Pace {
  /** Absent while there is no pace. */
  rates?: Rates | undefined
  /** Requests that may run at once; as many as allowed when absent. */
  parallel?: number | undefined
  /** The replies that confirm a pace. */
  needed: number
  /** The start of the current pace. */
  since: number
  /** Replies since the last refusal, since the start of the current pace, and since one more request may run at once. */
  accepted: number
  seen: number
  sinceGrowth: number
  /** Whether a request has waited for the pace. Only a pace that is used up tells anything about the service. */
  isUsedUp: boolean
}

/**
 * Requests per millisecond: the rate now, the highest that was used up without a refusal, and the lowest that was refused since.
 */
export type Rates = readonly [current: number, confirmed: number, refused: number]

/** A rate that no service refuses, because it is never reached: where none was refused. */
const never = 1e6

/** Whose pace it is. */
export interface Paced {
  pace: Pace
  /** The most requests at once. */
  parallel: number
}

/** The replies that confirm a pace: at first, and after many refused tries. */
const minReplies = 10
const maxReplies = 640

/** Rates closer than this count as equal. */
const resolution = 1.1

/** At a faster rate no pace is needed. */
const fastest = 1

const second = 1_000

const { window } = strictest
const start = strictest.limit / window
const slowest = start / 10

export const none = (): Pace => ({
  needed: minReplies,
  since: 0,
  accepted: 0,
  seen: 0,
  sinceGrowth: 0,
  isUsedUp: false
})

/** Requests that may run at once. */
export const parallelOf = ({ pace, parallel }: Paced): number => Math.min(pace.parallel ?? parallel, parallel)

/**
 * The limits of the pace; empty while there is none. Two: the rate over the window, and bursts of at most a second's worth, because
 * the window of the service may be shorter. Bursts may be slightly faster than the rate, so that slow replies do not lower it.
 */
export const policiesOf = (state: Paced): ReadonlyArray<Policy> => {
  const { rates } = state.pace
  if (rates === undefined) return []
  const [current] = rates
  const burst = Math.max(1, Math.min(parallelOf(state), Math.ceil(current * second)))
  return [
    { limit: Math.max(1, Math.floor(current * window + 1e-9)), window },
    { limit: burst, window: (burst / current) * 0.8 }
  ]
}

const change = (pace: Pace, rates: Rates | undefined, now: number) => {
  pace.since = now
  pace.seen = 0
  pace.isUsedUp = false
  pace.rates = rates
}

const raised = ([current, , refused]: Rates): Rates | undefined => {
  if (current > fastest) return undefined
  if (current * 2 < refused) return [current * 2, current, refused]
  if (current * resolution < refused) return [(current + refused) / 2, current, refused]
  // The limit is known. One step further, in case the service allows more by now.
  return [current * resolution, current, never]
}

const lowered = ([current, confirmed, refused]: Rates): Rates => {
  if (current > confirmed) return [confirmed, confirmed, current]
  const half = Math.max(slowest, current / 2)
  return [half, half, half < current ? current : refused]
}

/** Notes a reply other than 429 to a request that was sent after the last refusal. */
export const accept = (state: Paced, now: number): void => {
  const { pace } = state
  const { rates } = pace
  const parallel = parallelOf(state)
  pace.accepted += 1
  if (parallel < state.parallel && ++pace.sinceGrowth >= parallel) {
    pace.sinceGrowth = 0
    pace.parallel = parallel + 1
  }
  if (rates === undefined || ++pace.seen < pace.needed || !pace.isUsedUp || now - pace.since < window) return
  if (rates[0] > rates[1]) pace.needed = Math.max(minReplies, pace.needed / 2)
  change(pace, raised(rates), now)
}

/** Notes a 429 without a limit and without a wait, to a request that was sent after the last refusal. */
export const refuse = (state: Paced, now: number): void => {
  const { pace } = state
  const { rates } = pace
  // No request succeeded since the last refusal: the window of the service is still full, so waiting is enough.
  if (rates !== undefined && pace.accepted === 0) return
  pace.accepted = 0
  pace.sinceGrowth = 0
  pace.parallel = Math.max(1, Math.floor(parallelOf(state) / 2))
  if (rates !== undefined && rates[0] > rates[1]) pace.needed = Math.min(maxReplies, pace.needed * 2)
  change(pace, rates === undefined ? [start, start, never] : lowered(rates), now)
}
