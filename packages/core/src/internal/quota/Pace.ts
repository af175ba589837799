/**
 * Finds the limit of a service that answers 429 and names neither its limit nor a wait.
 *
 * After the first 429 the strictest published plan is assumed, and the number of parallel requests is halved. The pace then
 * doubles while nothing is refused. After a refusal it returns to the last confirmed pace, and then tries the middle between
 * that and the refused one. Every try that is refused doubles the number of replies that the next try takes, so that the cost
 * of searching decreases.
 */
import type { Policy } from "../../Quota.ts"

/** The pace of one client. */
export interface Pace {
  /** The limits of the pace; empty while there is none. */
  readonly policies: () => ReadonlyArray<Policy>
  /** Requests that may run at once. */
  readonly parallel: () => number
  /** Notes that a request waits for the pace. Only a pace that is used up tells anything about the service. */
  readonly markUsedUp: () => void
  /** Notes a reply other than 429, to a request sent at this time. */
  readonly accept: (sent: number, now: number) => void
  /** Notes a 429 without a limit and without a wait. */
  readonly refuse: (sent: number, now: number) => void
  /** Stops pacing, because the service has named its limit. */
  readonly reset: () => void
}

/** Requests per millisecond. */
interface Rates {
  readonly current: number
  /** The highest rate that was used up without a refusal. */
  readonly confirmed: number
  /** The lowest rate that was refused since. */
  readonly refused: number
}

/** The replies that confirm a pace: at first, and after many refused tries. */
const minReplies = 10
const maxReplies = 640

/** Rates closer than this count as equal. */
const resolution = 1.1

/** At a faster rate no pace is needed. */
const fastest = 1

const second = 1_000

/** Builds the pace of a client that starts with `strictest` and runs up to `most` requests at once. */
export const make = (strictest: Policy, most: number): Pace => {
  const { window } = strictest
  const start = strictest.limit / window
  const slowest = start / 10
  let rates: Rates | undefined
  let kept: ReadonlyArray<Policy> = []
  let parallel = most
  let repliesNeeded = minReplies
  /** When a refusal last changed the pace. Replies to requests sent before belong to the same refusal. */
  let refusedAt = -Infinity
  /** The start of the current pace. */
  let since = -Infinity
  /** Replies since the last refusal, since the start of the current pace, and since one more request may run at once. */
  let accepted = 0
  let repliesSeen = 0
  let repliesSinceGrowth = 0
  let isUsedUp = false

  // Two limits: the rate over the window, and bursts of at most a second's worth, because the window of the service may be
  // shorter. Bursts may be slightly faster than the rate, so that slow replies do not lower it.
  const policiesOf = (next: Rates) => {
    const burst = Math.max(1, Math.min(parallel, Math.ceil(next.current * second)))
    return [
      { limit: Math.max(1, Math.floor(next.current * window + 1e-9)), window },
      { limit: burst, window: (burst / next.current) * 0.8 }
    ]
  }

  const change = (next: Rates | undefined, now: number) => {
    since = now
    repliesSeen = 0
    isUsedUp = false
    rates = next
    kept = next === undefined ? [] : policiesOf(next)
  }

  const raised = ({ current: confirmed, refused }: Rates): Rates | undefined => {
    if (confirmed > fastest) return undefined
    if (confirmed * 2 < refused) return { current: confirmed * 2, confirmed, refused }
    if (confirmed * resolution < refused) return { current: (confirmed + refused) / 2, confirmed, refused }
    // The limit is known. One step further, in case the service allows more by now.
    return { current: confirmed * resolution, confirmed, refused: Infinity }
  }

  const lowered = ({ confirmed, current, refused }: Rates): Rates => {
    if (current > confirmed) return { current: confirmed, confirmed, refused: current }
    const half = Math.max(slowest, current / 2)
    return { current: half, confirmed: half, refused: half < current ? current : refused }
  }

  return {
    policies: () => kept,
    parallel: () => parallel,
    markUsedUp: () => {
      isUsedUp = true
    },
    accept: (sent, now) => {
      if (sent <= refusedAt) return
      accepted += 1
      if (parallel < most && ++repliesSinceGrowth >= parallel) {
        repliesSinceGrowth = 0
        parallel += 1
        if (rates !== undefined) kept = policiesOf(rates)
      }
      if (rates === undefined || ++repliesSeen < repliesNeeded || !isUsedUp || now - since < window) return
      if (rates.current > rates.confirmed) repliesNeeded = Math.max(minReplies, repliesNeeded / 2)
      change(raised(rates), now)
    },
    refuse: (sent, now) => {
      if (sent <= refusedAt) return
      refusedAt = now
      // No request succeeded since the last refusal: the window of the service is still full, so waiting is enough.
      if (rates !== undefined && accepted === 0) return
      accepted = 0
      repliesSinceGrowth = 0
      parallel = Math.max(1, Math.floor(parallel / 2))
      if (rates !== undefined && rates.current > rates.confirmed)
        repliesNeeded = Math.min(maxReplies, repliesNeeded * 2)
      change(rates === undefined ? { current: start, confirmed: start, refused: Infinity } : lowered(rates), now)
    },
    reset: () => {
      parallel = most
      change(undefined, -Infinity)
    }
  }
}
