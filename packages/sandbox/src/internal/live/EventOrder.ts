/**
 * The next event of each feed, in the order in which they are published.
 */
import { firstThat } from "../listing/Listing.ts"
import type { Event, Feed } from "./Feed.ts"

interface Waiting extends Event {
  /** The position of the feed, which orders what is published at one instant. */
  readonly index: number
  readonly n: number
}

export const make = (feeds: ReadonlyArray<Feed>) => {
  // The earliest one is last.
  const waiting: Array<Waiting> = []
  const isBefore = (a: Waiting, b: Waiting) => a.at < b.at || (a.at === b.at && a.index < b.index)
  const add = (index: number, n: number, isFirst: boolean) => {
    const feed = feeds[index]
    if (feed === undefined || n > feed.last) return
    const event: Waiting = { ...feed.event(n, isFirst), index, n }
    const place = firstThat(waiting.length, (n) => !isBefore(event, waiting[n]!))
    waiting.splice(place, 0, event)
  }
  return {
    add,
    earliest: () => waiting.at(-1)?.at ?? Number.POSITIVE_INFINITY,
    take: (): ReadonlyArray<string> => {
      const event = waiting.pop()
      if (event === undefined) return []
      add(event.index, event.n + 1, false)
      return event.messages
    }
  }
}
