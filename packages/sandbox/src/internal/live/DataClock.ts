/**
 * The present of the stand-in's data. It starts at an instant of the data and goes on with the `Clock`; where nothing is
 * live, it stands still at the end of the data.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Jitter from "../random/Jitter.ts"
import { TODAY } from "../time/Calendar.ts"

/** How the time of the data passes. */
export interface Pace {
  /** The instant of the data at which the stand-in starts, in milliseconds since 1970. */
  readonly from: number
  /** Milliseconds of the data for one of the clock. */
  readonly speed: number
  /** How much later than over a live stream a record is seen over HTTP. */
  readonly httpLag: Duration.Duration
  readonly jitter: Jitter.Jitter
}

/** The present of the data. */
export interface DataClock {
  readonly now: Effect.Effect<number>
  /** Waits until an instant of the data has come, or for an hour; forever where it never comes. */
  readonly until: (ms: number) => Effect.Effect<void>
  /** What has to be published by to be seen over HTTP, by so much later; undefined where time stands still. */
  readonly served: (later: number) => Effect.Effect<number | undefined>
  readonly setHttpLag: (lag: Duration.Duration) => void
  readonly jitter: () => Jitter.Jitter
  readonly setJitter: (jitter: Partial<Jitter.Jitter>) => void
}

const longest = 3_600_000

/** Starts the time of the data. */
export const make = (pace: Pace | undefined, started: number): DataClock => {
  if (pace === undefined) {
    return {
      now: Effect.succeed(TODAY),
      until: () => Effect.never,
      served: () => Effect.succeed(undefined),
      setHttpLag: () => undefined,
      jitter: () => Jitter.none,
      setJitter: () => undefined
    }
  }
  const { from, speed } = pace
  let lag = Duration.toMillis(pace.httpLag)
  let { jitter } = pace
  // The data ends, and with it its time.
  const now = Effect.map(Clock.currentTimeMillis, (ms) => Math.min(TODAY, from + Math.floor((ms - started) * speed)))
  return {
    now,
    until: (ms) =>
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
    served: (later) => Effect.map(now, (ms) => ms - lag - later),
    setHttpLag: (next) => {
      lag = Duration.toMillis(next)
    },
    jitter: () => jitter,
    setJitter: (next) => {
      jitter = { ...jitter, ...next }
    }
  }
}
