/**
 * Answers that are used for some time, measured by the monotonic clock: Effect's caches measure it by the wall clock, and keep an
 * answer for an hour longer where that is set back by an hour.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Monotonic from "./Monotonic.ts"

/** An answer that is used for some time. */
export interface Recent<A, E = never, R = never> {
  /** The answer. Asks where it is too old; who asks at the same time gets the same one. */
  readonly get: Effect.Effect<A, E, R>
  /** Makes the next `get` ask. */
  readonly forget: Effect.Effect<void>
}

/** Asks, and uses the answer, also a failure, for so many milliseconds. */
export const make = <A, E, R>(ask: Effect.Effect<A, E, R>, millis: number): Effect.Effect<Recent<A, E, R>> => {
  const asked = Effect.zip(Effect.exit(ask), Monotonic.now)
  return Effect.map(Effect.cachedInvalidateWithTTL(asked, Duration.infinity), ([look, forget]) => ({
    get: Effect.gen(function* () {
      const [answer, at] = yield* look
      if ((yield* Monotonic.now) - at < millis) return yield* answer
      yield* forget
      return yield* (yield* look)[0]
    }),
    forget
  }))
}
