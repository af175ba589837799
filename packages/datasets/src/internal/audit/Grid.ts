/**
 * The times at which a series of a frequency has records, and which of them are missing.
 */
import { mostHoles } from "../read/Tracker.ts"

/** How far apart records are. */
export interface Every {
  readonly millis: number
  /** Whether all times are multiples of it; not of days by the close of a place. */
  readonly isEven: boolean
}

/** Times that are missing, in milliseconds: the first, and the first behind the last. */
export interface Gap {
  readonly from: number
  readonly to: number
}

/** Gaps that are kept of an entity; of a series with more, only how many records are missing is known. */
const most = 10_000

/** What is missing of an entity. */
export interface Missing {
  readonly gaps: ReadonlyArray<Gap>
  /** Whether there are so many that the series has no rhythm, such as candles of a market that trades now and then. */
  readonly isSparse: boolean
  /** Records that are missing. */
  readonly count: number
}

/** Follows the times of an entity. */
export const make = ({ isEven, millis: every }: Every) => {
  // Days by the close of a place are an hour longer or shorter where its clocks change.
  const slack = isEven ? 0 : every / 2
  const gaps: Array<Gap> = []
  const strays: Array<number> = []
  let [first, last, present, count, all] = [Number.NaN, Number.NaN, 0, 0, 0]

  const slotsOf = ({ from, to }: Gap) => Math.round((to - from) / every)

  const open = (gap: Gap) => {
    count += slotsOf(gap)
    all += 1
    if (gaps.length < most) gaps.push(gap)
  }

  /** The gap that a time is in is cut. Tells whether there is one. */
  const fill = (time: number): boolean => {
    const index = gaps.findIndex(({ from, to }) => time >= from && time < to)
    const gap = gaps[index]
    if (gap === undefined) return false
    const parts = [
      { from: gap.from, to: time },
      { from: time + every, to: gap.to }
    ]
    gaps.splice(index, 1, ...parts.filter(({ from, to }) => to - from > slack))
    count -= 1
    return true
  }

  return {
    /** Whether a time is one of the grid. */
    has: (time: number): boolean => !isEven || time % every === 0,
    /** Adds the next time in order. */
    add: (time: number) => {
      present += 1
      if (time - last > every + slack) open({ from: last + every, to: time })
      if (Number.isNaN(first)) first = time
      last = time
    },
    /** Adds a time that is out of order. */
    addStray: (time: number) => void strays.push(time),
    /** The first and the last time; NaN where there is none. */
    bounds: () => ({ first, last }),
    /** What is missing, from the first time that was ever read to the last. Gives strays that are there twice to `tell`. */
    end: (begin: number, end: number, tell: (time: number) => void): Missing => {
      if (Number.isNaN(first)) {
        if (end >= begin) open({ from: begin, to: end + every })
      } else {
        if (first - begin > slack) open({ from: begin, to: first })
        if (end - last > slack) open({ from: last + every, to: end + every })
      }
      for (const stray of strays) if (!fill(stray) && all <= most) tell(stray)
      return { gaps: gaps.toSorted((a, b) => a.from - b.from), isSparse: all > mostHoles && count > present, count }
    },
    slotsOf
  }
}

/** Follows the times of an entity. */
export type Grid = ReturnType<typeof make>
