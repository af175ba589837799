/**
 * The events of an entity in the order in which they are published, where each is published at a delay of its own.
 *
 * The n-th event in this order is published at the time of the n-th row or less than the longest delay after it, whichever
 * row it is of. So it is found among the rows around the n-th, and nothing is stored.
 */
import * as Jitter from "../random/Jitter.ts"
import * as Feed from "./Feed.ts"

/** Delays the events of a feed; those that tell what changed since the one before keep their order, and come without delay. */
export const make = (self: Feed.Feed, jitter: Jitter.Jitter): Feed.Feed => {
  const most = jitter.live
  if (most === 0 || self.isSequential) return self
  const delay = Jitter.untilPublished(self.entity, jitter)
  const published = (n: number) => ({ n, at: self.at(n) + delay(n) })
  /** The events whose own time is after an instant and not after another. */
  const between = (after: number, until: number) => {
    const first = self.after(after)
    const events = Array.from({ length: self.after(until) - first }, (_, index) => published(first + index))
    return { first, events }
  }
  const nth = (n: number) => {
    const at = self.at(n)
    const { events, first } = between(at - most, at + most)
    return events.toSorted((a, b) => a.at - b.at || a.n - b.n)[n - first]!
  }
  return {
    ...self,
    at: (n) => nth(n).at,
    after: (ms) => {
      const { events, first } = between(ms - most, ms)
      return first + events.filter(({ at }) => at <= ms).length
    },
    event: (place, isFirst) => {
      const { at, n } = nth(place)
      return { ...self.event(n, isFirst), at }
    },
    latest: (ms) => {
      for (let n = self.after(ms) - 1; n >= Feed.first(self); n--) {
        const { at } = published(n)
        if (at <= ms) return { ...self.event(n, true), at }
      }
      return undefined
    },
    settled: (place) => {
      const { at, n } = nth(place)
      return { ...self.settled(n), at }
    }
  }
}
