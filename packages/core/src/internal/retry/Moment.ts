/**
 * A moment by both clocks of this machine: a wall clock may be set, and a monotonic one may rest while the machine sleeps.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Monotonic from "./Monotonic.ts"

/** A moment by both clocks of this machine, in milliseconds. */
export interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/** The present, of a clock that is at hand. */
export const nowUnsafe = (clock: Clock.Clock): Moment => ({
  wall: clock.currentTimeMillisUnsafe(),
  monotonic: Monotonic.nowUnsafe(clock)
})

/** The present. */
export const now: Effect.Effect<Moment> = Clock.clockWith((clock) => Effect.sync(() => nowUnsafe(clock)))
