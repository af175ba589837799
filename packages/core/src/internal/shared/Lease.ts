/**
 * How long a store keeps the permits of this process, as the process can know it: from the sending of the newest step that was
 * answered. A process that stood still for longer (frozen, starved, on a machine that slept) may have lost them to others.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Monotonic from "../retry/Monotonic.ts"

/** Now, by two clocks: one may stop while the machine sleeps, the other may be set. */
export interface Moment {
  readonly now: number
  readonly wall: number
}

/** The present moment. */
export const moment: Effect.Effect<Moment> = Clock.clockWith((clock) =>
  Effect.sync(() => ({ now: Monotonic.nowUnsafe(clock), wall: clock.currentTimeMillisUnsafe() }))
)

/** The lease of one process. */
export interface Lease {
  /** Notes that a step is sent. */
  readonly ask: (at: Moment) => void
  /** Notes that it was answered. */
  readonly hear: () => void
  /** Whether permits that were granted before may be those of others. */
  readonly isOver: (at: Moment) => boolean
}

/** Builds a lease of so many milliseconds, which has not begun. */
export const make = (length: number): Lease => {
  let asked: Moment = { now: -Infinity, wall: -Infinity }
  let heard = asked
  return {
    ask: (at) => {
      asked = at
    },
    hear: () => {
      heard = asked
    },
    isOver: ({ now, wall }) => now - heard.now >= length || wall - heard.wall >= length
  }
}
