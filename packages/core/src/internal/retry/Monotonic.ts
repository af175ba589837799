/** Monotonic time for measuring waits. It is not affected when the wall clock is set. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds since an arbitrary moment, with fractions. Only differences are meaningful. */
export const nowUnsafe = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

/** Milliseconds since an arbitrary moment, with fractions. Only differences are meaningful. */
export const now: Effect.Effect<number> = /* @__PURE__ */ Effect.map(Clock.Clock, nowUnsafe)
