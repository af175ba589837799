/** Waits that the service requires: their limit, their text, and how they are counted. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Monotonic from "./Monotonic.ts"

/** What the calls of one client that fail for a while have in common. */
export interface Outage {
  /** When it was last warned of, in milliseconds of the monotonic clock. */
  warnedAt: number
}

/** Waits longer than this many milliseconds are logged. */
export const logThreshold = 10_000

/** A wait as text, in whole seconds. */
export const format = (millis: number): string => Duration.format(Duration.seconds(Math.ceil(millis / 1000)))

/** What the requests of one call tell the retry policy. */
export interface Waited {
  /** How long the call has waited for the quota and for the service, in milliseconds. */
  millis: number
  /** What to tell where a request is repeated. If it is not, the error says the same. */
  notice?: Effect.Effect<void> | undefined
  /** The outages of its client. */
  outage?: Outage | undefined
}

/** That of the current call, if it has one. */
export const Current = Context.Reference<Waited | undefined>("@sluice/core/Waits", { defaultValue: () => undefined })

/** Counts the time an effect takes as a wait. */
export const counted = <A, E, R>(wait: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Current, (waited) => {
    if (waited === undefined) return wait
    return Clock.clockWith((clock) => {
      const began = Monotonic.nowUnsafe(clock)
      const count = Effect.sync(() => {
        waited.millis += Monotonic.nowUnsafe(clock) - began
      })
      return Effect.ensuring(wait, count)
    })
  })
