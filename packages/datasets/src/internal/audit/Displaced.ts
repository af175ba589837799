/**
 * Finds which records of a batch are out of order.
 */
import type { Time } from "../model/Store.ts"

/** Whether times do not go back, after those that come before. */
export const isOrdered = (times: ReadonlyArray<Time>, after: Time): boolean => {
  let before = after
  for (const time of times) {
    if (time < before) return false
    before = time
  }
  return true
}

/**
 * The places of the fewest records without which the times do not go back: what is left is a longest run of times in order. Those before
 * `after`, where the batch before ended, are among them.
 */
export const of = (times: ReadonlyArray<Time>, after: Time): ReadonlySet<number> => {
  // The last place of a run of each length, the one with the earliest time, and the place before each.
  const ends: Array<number> = []
  const previous = new Int32Array(times.length)
  for (const [index, time] of times.entries()) {
    if (time < after) continue
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (times[ends[middle]!]! <= time) low = middle + 1
      else high = middle
    }
    previous[index] = low === 0 ? -1 : ends[low - 1]!
    ends[low] = index
  }
  const kept = new Set<number>()
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index]!) kept.add(index)
  return new Set([...times.keys()].filter((index) => !kept.has(index)))
}
