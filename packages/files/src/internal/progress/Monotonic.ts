/** Time for durations: it goes on evenly where the wall clock is set. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds since an arbitrary moment. Only differences are meaningful. */
export const now: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))
