/**
 * `internal/quota/Pace.ts` over data that a store can hold. A test compares the two.
 */
import { type Rates, type State, strictest } from "./State.ts"

const minReplies = 10
const maxReplies = 640
const resolution = 1.1
const fastest = 1
const second = 1_000
const { window } = strictest
const start = strictest.limit / window
const slowest = start / 10

/** Requests that may run at once. */
export const parallel = ({ pace, parallel: most }: State): number => Math.min(pace.parallel ?? most, most)

const policiesOf = (state: State, rates: Rates) => {
  const burst = Math.max(1, Math.min(parallel(state), Math.ceil(rates.current * second)))
  return [
    { limit: Math.max(1, Math.floor(rates.current * window + 1e-9)), window },
    { limit: burst, window: (burst / rates.current) * 0.8 }
  ]
}

const change = (state: State, rates: Rates | undefined, now: number) => {
  const { pace } = state
  pace.since = now
  pace.seen = 0
  pace.isUsedUp = false
  pace.rates = rates
  pace.kept = rates === undefined ? [] : policiesOf(state, rates)
}

const raised = ({ current: confirmed, refused }: Rates): Rates | undefined => {
  if (confirmed > fastest) return undefined
  if (refused === undefined || confirmed * 2 < refused) return { current: confirmed * 2, confirmed, refused }
  if (confirmed * resolution < refused) return { current: (confirmed + refused) / 2, confirmed, refused }
  return { current: confirmed * resolution, confirmed }
}

const lowered = ({ confirmed, current, refused }: Rates): Rates => {
  if (current > confirmed) return { current: confirmed, confirmed, refused: current }
  const half = Math.max(slowest, current / 2)
  return { current: half, confirmed: half, refused: half < current ? current : refused }
}

/** Notes a reply other than 429. */
export const accept = (state: State, sent: number, now: number): void => {
  const { pace } = state
  if (sent <= pace.refusedAt) return
  pace.accepted += 1
  if (parallel(state) < state.parallel && ++pace.sinceGrowth >= parallel(state)) {
    pace.sinceGrowth = 0
    pace.parallel = parallel(state) + 1
    if (pace.rates !== undefined) pace.kept = policiesOf(state, pace.rates)
  }
  const { rates } = pace
  if (rates === undefined || ++pace.seen < pace.needed || !pace.isUsedUp || now - pace.since < window) return
  if (rates.current > rates.confirmed) pace.needed = Math.max(minReplies, pace.needed / 2)
  change(state, raised(rates), now)
}

/** Notes a 429 without a limit and without a wait. */
export const refuse = (state: State, sent: number, now: number): void => {
  const { pace } = state
  if (sent <= pace.refusedAt) return
  pace.refusedAt = now
  const { rates } = pace
  if (rates !== undefined && pace.accepted === 0) return
  pace.accepted = 0
  pace.sinceGrowth = 0
  pace.parallel = Math.max(1, Math.floor(parallel(state) / 2))
  if (rates !== undefined && rates.current > rates.confirmed) pace.needed = Math.min(maxReplies, pace.needed * 2)
  change(state, rates === undefined ? { current: start, confirmed: start } : lowered(rates), now)
}

/** Stops pacing, because the service has named its limit. */
export const reset = (state: State): void => {
  state.pace.parallel = undefined
  change(state, undefined, -1)
}
