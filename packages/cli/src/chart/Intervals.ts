/**
 * How far apart the times of a series usually are, which tells a gap from the distance of two neighbours.
 */

/** More distances than this are those of a series without a frequency. */
const most = 64

/** Sees the times of one series in the order in which they come, which may be that of time or its reverse. */
export const make = () => {
  const counts = new Map<number, number>()
  let last = Number.NaN
  let total = 0
  return {
    see: (at: number) => {
      const distance = Math.abs(at - last)
      last = at
      if (!(distance > 0)) return
      total += 1
      const count = counts.get(distance)
      if (count !== undefined || counts.size < most) counts.set(distance, (count ?? 0) + 1)
    },
    /** The distance that most neighbours have; undefined where none has a majority, as of trades. */
    usual: (): number | undefined => {
      const [first] = [...counts].toSorted(([, a], [, b]) => b - a)
      return first !== undefined && first[1] * 2 > total ? first[0] : undefined
    }
  }
}

/** Whether times are further apart than neighbours of a series are. Months differ by less than half. */
export const isGap = (distance: number, usual: number | undefined): boolean =>
  usual !== undefined && distance > usual * 1.5
