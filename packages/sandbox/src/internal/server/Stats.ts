/**
 * What a stand-in has done so far.
 */

/** Counts since the start. */
export interface Stats {
  /** Requests that arrived, refused ones included. */
  readonly requests: number
  /** Replies by status; a connection that was reset or stalled before its headers has none. */
  readonly statuses: Readonly<Record<number, number>>
  /** Requests answered with 429, by the window or by a fault. */
  readonly rejected: number
  /** Faults served, by kind. */
  readonly faults: Readonly<Record<string, number>>
  /** Requests that hold a place now. */
  readonly running: number
  /** The highest number that ever ran at once, over all callers. */
  readonly peak: number
  /** Records written into bodies. */
  readonly records: number
  /** Connections of live streams that are open now. */
  readonly connections: number
  /** Connections of live streams that were ever opened. */
  readonly opened: number
}

/** Counts as they grow. */
export interface Counters {
  readonly requested: () => void
  readonly replied: (status: number) => void
  readonly faulted: (kind: string) => void
  readonly started: () => void
  readonly ended: () => void
  readonly sent: (records: number) => void
  readonly opened: () => void
  readonly closed: () => void
  readonly read: () => Stats
}

/** Makes a tally of nothing. */
export const make = (): Counters => {
  const statuses: Record<number, number> = {}
  const faults: Record<string, number> = {}
  let requests = 0
  let running = 0
  let peak = 0
  let records = 0
  let connections = 0
  let opened = 0
  return {
    requested: () => {
      requests++
    },
    replied: (status) => {
      statuses[status] = (statuses[status] ?? 0) + 1
    },
    faulted: (kind) => {
      faults[kind] = (faults[kind] ?? 0) + 1
    },
    started: () => {
      running++
      peak = Math.max(peak, running)
    },
    ended: () => {
      running--
    },
    sent: (count) => {
      records += count
    },
    opened: () => {
      connections++
      opened++
    },
    closed: () => {
      connections--
    },
    read: () => ({
      requests,
      statuses: { ...statuses },
      rejected: statuses[429] ?? 0,
      faults: { ...faults },
      running,
      peak,
      records,
      connections,
      opened
    })
  }
}
