/** One connection of a live stream: what is published is put into a bounded queue, and sent as fast as it is read. */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { firstThat } from "../listing/Listing.ts"
import type { DataClock } from "./DataClock.ts"
import * as Feed from "./Feed.ts"
import type * as Frames from "./Frames.ts"
import type * as Journal from "./Journal.ts"

/** The other end of a connection, over a socket or in memory. */
export interface Peer {
  /** Sends a frame; tells whether the reader keeps up, so that another one may follow at once. */
  readonly send: (frame: string | Uint8Array<ArrayBuffer>) => boolean
  readonly drained: Effect.Effect<void>
  readonly ping: () => void
  /** Closes in good order, after what has been sent. */
  readonly close: (code: number, reason: string) => void
  /** Ends the connection without a word. */
  readonly destroy: () => void
  /** Answers no ping from now on. */
  readonly mute: () => void
  readonly ended: Effect.Effect<void>
}

export interface Subscription {
  readonly feeds: ReadonlyArray<Feed.Feed>
  /** Whether the last known record of each entity comes first. */
  readonly isBackfilled: boolean
  readonly frames: Frames.Frames
  /** The most frames that may wait for the reader. */
  readonly queue: number
  /** Milliseconds from one ping to the next. */
  readonly pingEvery: number
}

/** How long a reader that is too slow has for its last frames, before the connection is dropped. */
const patience = "30 seconds"

/** How many frames are sent before others get their turn. */
const turn = 256

type Outbox = ReturnType<typeof makeOutbox>

const makeOutbox = (
  { frames, queue: most }: Subscription,
  peer: Peer,
  now: Effect.Effect<unknown>,
  sent: (frame: string | Uint8Array) => void
) => {
  let queue: Array<Frames.Outgoing> = []
  let isReady = true
  let hasEnded = false
  let isSilent = false
  let isWarned = false
  let reason: string | undefined
  const waits = Latch.makeUnsafe(false)
  const ends = Latch.makeUnsafe(false)
  const deliver = (out: Frames.Outgoing): void => {
    if (reason !== undefined || isSilent) return
    switch (out._tag) {
      case "Frame":
        sent(out.frame)
        isReady = peer.send(out.frame)
        return
      case "Close":
        reason = out.why
        peer.close(out.code, out.reason)
        return
      case "Drop":
        reason = "live-drop"
        peer.destroy()
        return
      case "Silence":
        isSilent = true
        queue = []
        peer.mute()
    }
  }
  const put = (out: Frames.Outgoing): void => {
    if (out._tag !== "Frame" && out._tag !== "Silence") {
      hasEnded = true
      ends.openUnsafe()
    }
    if (queue.length === 0 && isReady) deliver(out)
    else queue.push(out)
    if (!isReady) waits.openUnsafe()
  }
  const offer = (out: Frames.Outgoing): void => {
    if (hasEnded || isSilent) return
    if (queue.length >= most) {
      for (const last of frames.stall) put(last)
      return
    }
    put(out)
    const share = queue.length / most
    if (share > 0.6 && !isWarned) {
      isWarned = true
      put(frames.warning)
    } else if (share < 0.3) isWarned = false
  }
  const flush = Effect.andThen(
    Effect.andThen(peer.drained, now),
    Effect.sync(() => {
      isReady = true
      let n = 0
      for (const out of queue) {
        if (!isReady) break
        n++
        deliver(out)
      }
      queue = queue.slice(n)
      if (isReady) waits.closeUnsafe()
    })
  )
  const giveUp = Effect.sync(() => {
    reason ??= "stall"
    peer.destroy()
  })
  return {
    offer: (all: ReadonlyArray<Frames.Outgoing>) => all.forEach(offer),
    /** Whether nothing more can be sent. */
    hasEnded: () => hasEnded || isSilent,
    /** Waits until the queue is no more than half full. */
    space: Effect.suspend(() => (queue.length * 2 <= most || hasEnded ? Effect.void : peer.drained)),
    /** Sends what waits, for as long as the connection lasts. */
    work: Effect.raceFirst(
      Effect.forever(Effect.andThen(waits.await, flush)),
      Effect.andThen(ends.await, Effect.delay(giveUp, patience))
    ),
    isSilent: () => isSilent,
    /** Why the service has ended the connection; undefined where it has not. */
    reason: () => reason
  }
}

interface Waiting extends Feed.Event {
  /** The position of the feed, which orders what is published at one instant. */
  readonly index: number
  readonly n: number
}

/** The next event of each feed, in the order in which they are published. */
const makeOrder = (feeds: ReadonlyArray<Feed.Feed>) => {
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

const produce = Effect.fnUntraced(function* (
  { feeds, frames, isBackfilled }: Subscription,
  clock: DataClock,
  outbox: Outbox,
  opened: number
) {
  const { hasEnded, offer } = outbox
  const order = makeOrder(feeds)
  offer(frames.opening)
  let n = 0
  for (const [index, feed] of feeds.entries()) {
    const next = feed.after(opened)
    // Of what was published before, the record with the latest time, which need not be the last one that was published.
    const known = isBackfilled ? Feed.latest(feed, opened) : undefined
    const latest = known !== undefined && opened - known.at <= (feed.freshFor ?? Infinity) ? known : undefined
    for (const message of latest?.messages ?? []) offer(frames.write(message))
    order.add(index, next, latest === undefined)
    if (++n % turn === 0) yield* Effect.yieldNow
    yield* outbox.space
    if (hasEnded()) return
  }
  while (!hasEnded()) {
    const now = yield* clock.now
    let sent = 0
    while (!hasEnded() && order.earliest() <= now) {
      for (const message of order.take()) offer(frames.write(message))
      if (++sent % turn === 0) yield* Effect.yieldNow
    }
    yield* clock.until(order.earliest())
  }
})

/** Runs a connection until it has ended; tells why, where the service ended it. Interrupting it closes it. */
export const run = Effect.fnUntraced(function* (
  subscription: Subscription,
  peer: Peer,
  clock: DataClock,
  journal: Journal.Writer
) {
  let present = journal.opened
  const now = Effect.tap(clock.now, (ms) =>
    Effect.sync(() => {
      present = ms
    })
  )
  const outbox = makeOutbox(subscription, peer, now, (frame) => journal.sent(present, frame))
  const ping = Effect.sync(() => {
    if (!outbox.isSilent()) peer.ping()
  })
  const pings = Effect.forever(Effect.delay(ping, subscription.pingEvery))
  const timed = subscription.frames.timed.map(([ms, all]) =>
    Effect.delay(
      Effect.sync(() => outbox.offer(all)),
      ms
    )
  )
  const work = Effect.all(
    [produce(subscription, { ...clock, now }, outbox, journal.opened), outbox.work, pings, ...timed],
    { concurrency: "unbounded", discard: true }
  )
  yield* Effect.raceFirst(peer.ended, Effect.andThen(work, Effect.never)).pipe(
    Effect.onInterrupt(() => Effect.sync(() => peer.close(1001, "going away"))),
    Effect.ensuring(Effect.flatMap(clock.now, (ms) => Effect.sync(() => journal.ended(ms, outbox.reason()))))
  )
})
