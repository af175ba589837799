/**
 * Finds values that stay the same far longer than those of their series usually do: a feed that stands still repeats its last value.
 */
import type { Time } from "../model/Store.ts"

/** Records that are no stale run in any case. */
const shortest = 8

/** How much longer than the usual longest run is too long. */
const factor = 5

/** The share of runs that are no longer than the usual longest one. */
const most = 0.98

/** Runs that are needed to say what is usual. */
const fewest = 20

/** Runs of an entity that are kept until all are known; of more, the longest. */
const kept = 64

/** The same value over and over. */
export interface StaleRun {
  readonly value: number
  /** Times of the first and the last of them. */
  readonly from: Time
  readonly to: Time
  readonly count: number
}

/** Looks at the values of one column of one entity, one after the other. */
export const make = () => {
  /** How many runs there are of each length. */
  const lengths = new Map<number, number>()
  let runs = 0
  let long: Array<StaleRun> = []
  let [value, count] = [Number.NaN, 0]
  let [from, to]: [Time, Time] = ["", ""]

  const close = () => {
    // Nothing happens for as long as nobody trades: then the value is 0.
    if (count === 0 || value === 0) return
    lengths.set(count, (lengths.get(count) ?? 0) + 1)
    runs += 1
    if (count < shortest) return
    long.push({ value, from, to, count })
    if (long.length > 2 * kept) long = long.toSorted((a, b) => b.count - a.count).slice(0, kept)
  }

  /** The length that most runs do not exceed. */
  const usual = (): number => {
    let left = Math.ceil(most * runs)
    for (const [length, times] of [...lengths].toSorted(([a], [b]) => a - b)) {
      left -= times
      if (left <= 0) return length
    }
    return 1
  }

  return {
    add: (own: number, at: Time) => {
      if (own === value) count += 1
      else if (!Number.isNaN(own)) {
        close()
        value = own
        from = at
        count = 1
      } else return
      to = at
    },
    /** The runs that are too long, known at the end. */
    end: (): ReadonlyArray<StaleRun> => {
      close()
      if (runs < fewest) return []
      const longest = Math.max(shortest, factor * usual())
      return long.filter((run) => run.count >= longest).toSorted((a, b) => (a.from < b.from ? -1 : 1))
    }
  }
}

/** Looks at one column. */
export type StaleRuns = ReturnType<typeof make>
