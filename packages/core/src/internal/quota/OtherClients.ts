/**
 * Requests that other clients with the same key or address send, as far as the replies show them.
 */

/** What the newest reply shows of them. */
export interface OtherClients {
  readonly count: number
  /** When all of those counted have left the window. */
  readonly until: number
  /** The window of the reply. The requests are in every longer window too; nothing is known about shorter ones. */
  readonly window: number
  /** When the first of them leaves the window, if the reply tells. */
  readonly first: number | undefined
}

/** Nobody else, as far as is known. */
export const none: OtherClients = { count: 0, until: 0, window: 1, first: undefined }

/**
 * How many of them are in the window now.
 *
 * Other clients will most likely go on sending. If they were forgotten at once, two clients would both send bursts into the
 * same places. So a count that is not confirmed decreases over one more window.
 */
export const countAt = ({ count, until, window, first }: OtherClients, now: number): number => {
  const rest = first !== undefined && now >= first ? count - 1 : count
  return now <= until ? rest : Math.max(0, Math.ceil(rest * (1 - (now - until) / window) - 1e-9))
}

/** When at most `left` of them remain, if no further reply comes. */
export const fadesTo = (otherClients: OtherClients, left: number, now: number): number => {
  const { count, until, window, first } = otherClients
  if (countAt(otherClients, now) <= left) return now
  if (first !== undefined && now < first && count - 1 <= left) return first
  return until + window * (1 - left / (first === undefined ? count : count - 1))
}

/**
 * When a place is free: once there are few enough requests of others and of our own. `frees` says when that is so of our own,
 * with so many of theirs left. The fewer of theirs are left, the later it is, and the more of our own may remain. The earliest
 * time is where the two meet, or one step before: found by bisection.
 */
export const freeAt = (otherClients: OtherClients, frees: (left: number) => number, now: number): number => {
  const fades = (left: number) => fadesTo(otherClients, left, now)
  const count = countAt(otherClients, now)
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (frees(middle) <= fades(middle)) low = middle
    else high = middle - 1
  }
  const soonest = Math.max(fades(low), frees(low))
  return low < count ? Math.min(soonest, frees(low + 1)) : soonest
}
