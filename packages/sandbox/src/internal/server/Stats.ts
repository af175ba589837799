/** What a stand-in has done so far. */

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
export type Counters = ReturnType<typeof make>

/** Makes a tally of nothing. */
export const make = () => {
  const counts = { requests: 0, running: 0, peak: 0, records: 0, connections: 0, opened: 0 }
  const byKey: Record<"statuses" | "faults", Record<string, number>> = { statuses: {}, faults: {} }
  return {
    add: (name: Exclude<keyof typeof counts, "peak">, count = 1) => {
      counts[name] += count
      counts.peak = Math.max(counts.peak, counts.running)
    },
    /** Counts a reply of a status, or a fault of a kind. */
    addTo: (name: keyof typeof byKey, key: number | string) => {
      byKey[name][key] = (byKey[name][key] ?? 0) + 1
    },
    read: (): Stats => ({
      ...counts,
      rejected: byKey.statuses[429] ?? 0,
      statuses: { ...byKey.statuses },
      faults: { ...byKey.faults }
    })
  }
}
