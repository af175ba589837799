/**
 * How long a store keeps the permits of this process, as the process can know it: from the sending of the newest step that was
 * answered. A process that stood still for longer (frozen, starved, on a machine that slept) may have lost them to others.
 */
import type { Moment } from "../retry/Moment.ts"

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
  let asked: Moment = { monotonic: -Infinity, wall: -Infinity }
  let heard = asked
  return {
    ask: (at) => {
      asked = at
    },
    hear: () => {
      heard = asked
    },
    isOver: ({ monotonic, wall }) => monotonic - heard.monotonic >= length || wall - heard.wall >= length
  }
}
