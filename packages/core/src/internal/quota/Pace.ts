/**
 * The pace kept with a service that refuses with 429 and names neither its limit nor a wait.
 *
 * Its limit has to be found out. The first refusal assumes the strictest published plan and halves the requests that run
 * at once. The pace then doubles for as long as nothing is refused. A refusal goes back to the last pace that was
 * confirmed, and the distance to the refused one is halved from there; every pace that is tried and refused doubles the
 * number of replies the next try takes, so that the price of finding out fades.
 */
import type { Policy } from "../../Quota.ts"

/** The pace of one client. */
export interface Pace {
  /** What the pace allows; nothing while none is kept. */
  readonly policies: () => ReadonlyArray<Policy>
  /** Requests that may run at once. */
  readonly parallel: () => number
  /** Notes that a request waits for the pace: only a pace that is used up says anything about the service. */
  readonly markUsedUp: () => void
  /** Notes a reply, to a request sent at some time, that is not 429. */
  readonly accept: (sent: number, now: number) => void
  /** Notes a 429 without a word. */
  readonly refuse: (sent: number, now: number) => void
  /** Keeps no pace from now on: the service has named its limit. */
  readonly forget: () => void
}

/** Requests a millisecond. */
interface Rates {
  readonly current: number
  /** The highest that was used up without a refusal. */
  readonly good: number
  /** The lowest that was refused since. */
  readonly bad: number
}

/** Replies it takes to confirm a pace: at first, and after many refused tries. */
const leastProof = 10
const mostProof = 640

/** Rates closer than this are taken for the same. */
const resolution = 1.1

/** Faster than anybody reads: no pace need be kept. */
const fastest = 1

const second = 1_000

/** Builds the pace of a client, which begins with `strictest` and runs up to `most` requests at once. */
export const make = (strictest: Policy, most: number): Pace => {
  const { window } = strictest
  const start = strictest.limit / window
  const slowest = start / 10
  let rates: Rates | undefined
  let kept: ReadonlyArray<Policy> = []
  let parallel = most
  let proof = leastProof
  /** When a refusal last changed anything; replies to what was sent before are of the same event. */
  let refusedAt = -Infinity
  /** Since when the pace in force is kept. */
  let since = -Infinity
  /** Replies since: of all, of those that count for the pace in force, and of those that count for one more at once. */
  let accepted = 0
  let proven = 0
  let grown = 0
  let isUsedUp = false

  // In every window no more than the rate; and in bursts no larger than a second's worth, for the window of the service
  // may be shorter. Bursts may come a little faster than the rate, or replies that take their time would slow it.
  const keep = (next: Rates) => {
    const burst = Math.max(1, Math.min(parallel, Math.ceil(next.current * second)))
    return [
      { limit: Math.max(1, Math.floor(next.current * window + 1e-9)), window },
      { limit: burst, window: (burst / next.current) * 0.8 }
    ]
  }

  const change = (next: Rates | undefined, now: number) => {
    since = now
    proven = 0
    isUsedUp = false
    rates = next
    kept = next === undefined ? [] : keep(next)
  }

  const raised = ({ current: good, bad }: Rates): Rates | undefined => {
    if (good > fastest) return undefined
    if (good * 2 < bad) return { current: good * 2, good, bad }
    if (good * resolution < bad) return { current: (good + bad) / 2, good, bad }
    // As fast as it goes, as far as is known: one step further, should the service allow more by now.
    return { current: good * resolution, good, bad: Infinity }
  }

  const lowered = ({ bad, current, good }: Rates): Rates => {
    if (current > good) return { current: good, good, bad: current }
    const half = Math.max(slowest, current / 2)
    return { current: half, good: half, bad: half < current ? current : bad }
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
      if (parallel < most && ++grown >= parallel) {
        grown = 0
        parallel += 1
        if (rates !== undefined) kept = keep(rates)
      }
      if (rates === undefined || ++proven < proof || !isUsedUp || now - since < window) return
      if (rates.current > rates.good) proof = Math.max(leastProof, proof / 2)
      change(raised(rates), now)
    },
    refuse: (sent, now) => {
      if (sent <= refusedAt) return
      refusedAt = now
      // Nothing was let through since the last one: the service is still full of what was sent before. Waiting helps.
      if (rates !== undefined && accepted === 0) return
      accepted = 0
      grown = 0
      parallel = Math.max(1, Math.floor(parallel / 2))
      if (rates !== undefined && rates.current > rates.good) proof = Math.min(mostProof, proof * 2)
      change(rates === undefined ? { current: start, good: start, bad: Infinity } : lowered(rates), now)
    },
    forget: () => {
      parallel = most
      change(undefined, -Infinity)
    }
  }
}
