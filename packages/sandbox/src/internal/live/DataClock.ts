/**
 * The present of the stand-in's data. It starts at an instant of the data and goes on with the `Clock`; where nothing is
 * live, it stands still at the end of the data.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Jitter from "../random/Jitter.ts"
import { TODAY } from "../time/Calendar.ts"

export interface Pace {
  /** The instant of the data at which the stand-in starts, in milliseconds since 1970. */
  readonly from: number
  /** Milliseconds of the data for one of the clock. */
  readonly speed: number
  /** How much later than over a live stream a record is seen over HTTP. */
  readonly httpLag: Duration.Duration
  readonly jitter: Jitter.Jitter
  /** How many blocks a chain leaves at once, at most. */
  readonly forks: number
}

export type DataClock = ReturnType<typeof make>

const longest = 3_600_000

/** Starts the time of the data; without a pace it stands still. */
export const make = (pace: Pace | undefined, started: number) => {
  const { from, speed } = pace ?? { from: TODAY, speed: 0 }
  let lag = Duration.toMillis(pace?.httpLag ?? 0)
  let jitter = pace?.jitter ?? Jitter.none
  // The data ends, and with it its time.
  const now = Effect.map(Clock.currentTimeMillis, (ms) => Math.min(TODAY, from + Math.floor((ms - started) * speed)))
  return {
    now,
    /** Waits until an instant of the data has come, or for an hour; forever where it never comes. */
    until: (ms: number): Effect.Effect<void> =>
      ms > TODAY
        ? Effect.never
        : Effect.flatMap(Clock.currentTimeMillis, (present) => {
            const elapsed = present - started
            if (from + Math.floor(elapsed * speed) >= ms) return Effect.void
            // The clock may stand between two milliseconds. A wait for the rest of one may be no time for it, and who waits
            // would look again and again.
            const left = Math.max(1, Math.ceil((ms - from) / speed - elapsed))
            // A timer cannot wait for a month; who waits looks at the clock again.
            return Effect.sleep(Math.min(longest, left))
          }),
    /** What has to be published by to be seen over HTTP, by so much later; undefined where time stands still. */
    served: (later: number) => Effect.map(now, (ms) => (pace === undefined ? undefined : ms - lag - later)),
    setHttpLag: (next: Duration.Duration) => {
      lag = Duration.toMillis(next)
    },
    forks: pace?.forks,
    jitter: () => jitter,
    setJitter: (next: Partial<Jitter.Jitter>) => {
      if (pace !== undefined) jitter = { ...jitter, ...next }
    }
  }
}
