/**
 * Time to measure waits by: it only goes forward, at whatever the wall clock is set to meanwhile.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds since some moment, with fractions; of use only as a difference. */
export const nowUnsafe = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

/** Milliseconds since some moment, with fractions; of use only as a difference. */
export const now: Effect.Effect<number> = Clock.clockWith((clock) => Effect.sync(() => nowUnsafe(clock)))
