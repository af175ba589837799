/**
 * The clock of a simulated run: time passes when nothing else can be done, up to the next instant that a fiber waits for.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

interface Timer {
  readonly at: number
  readonly wake: () => void
}

/** Makes a clock. Whoever wakes is given to `later`. */
export const make = (start: number, later: (task: () => void) => void) => {
  let now = start
  // In the order of their instants.
  const timers: Array<Timer> = []
  const add = (timer: Timer) => {
    let place = timers.length
    while (place > 0 && timers[place - 1]!.at > timer.at) place--
    timers.splice(place, 0, timer)
  }
  const sleepMillis = (millis: number): Effect.Effect<void> => {
    if (millis <= 0) return Effect.yieldNow
    if (!Number.isFinite(millis)) return Effect.never
    return Effect.callback<void>((resume) => {
      const timer = { at: now + millis, wake: () => resume(Effect.void) }
      add(timer)
      return Effect.sync(() => {
        const place = timers.indexOf(timer)
        if (place !== -1) timers.splice(place, 1)
      })
    })
  }
  const nanos = () => BigInt(Math.round(now * 1_000)) * 1_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => Math.floor(now),
    currentTimeMillis: Effect.sync(() => Math.floor(now)),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => sleepMillis(Duration.toMillis(duration))
  }
  return {
    clock,
    now: () => now,
    /** Moves to the next instant that somebody waits for, and wakes all who do; false where nobody waits. */
    advance: (): boolean => {
      const first = timers[0]
      if (first === undefined) return false
      now = first.at
      const count = timers.findIndex(({ at }) => at > now)
      for (const { wake } of timers.splice(0, count === -1 ? timers.length : count)) later(wake)
      return true
    }
  }
}
