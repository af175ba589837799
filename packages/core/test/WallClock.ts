import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/**
 * A clock that tells another time of day, in milliseconds since 1970. Waits and monotonic time are those of the real one.
 */
export const at = (real: Clock.Clock, now: () => number): Clock.Clock => {
  const nanos = () => BigInt(Math.floor(now())) * 1_000_000n
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
}
