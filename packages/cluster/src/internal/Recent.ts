/**
 * Answers that are used for some time, measured by the monotonic clock: Effect's caches measure it by the wall clock, and keep an
 * answer for an hour longer where that is set back by an hour.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** An answer that is used for some time. */
export interface Recent<A, R = never> {
  /** The answer. Asks where it is too old; who asks at the same time gets the same one. */
  readonly get: Effect.Effect<A, never, R>
  /** Makes the next `get` ask. */
  readonly forget: Effect.Effect<void>
}

/** Milliseconds since an arbitrary moment. */
export const now: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1_000_000)

/** Asks, and uses the answer for so many milliseconds. */
export const make = <A, R>(ask: Effect.Effect<A, never, R>, millis: number): Effect.Effect<Recent<A, R>> =>
  Effect.map(Effect.cachedInvalidateWithTTL(Effect.zip(ask, now), Duration.infinity), ([look, forget]) => ({
    get: Effect.gen(function* () {
      const [answer, at] = yield* look
      if ((yield* now) - at < millis) return answer
      yield* forget
      return (yield* look)[0]
    }),
    forget
  }))
