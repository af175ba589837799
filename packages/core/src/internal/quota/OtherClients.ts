/** Requests that other clients with the same key or address send, as far as the replies show them. */

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
