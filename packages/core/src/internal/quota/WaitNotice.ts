/** Tells in the log that requests wait for the service. */
import * as Effect from "effect/Effect"
import * as Waits from "../retry/Waits.ts"

/** Makes what logs each long wait once: until when it lasts, and for what. */
export const make = (): ((until: number, reason: string, now: number) => Effect.Effect<void>) => {
  let loggedUntil = -Infinity
  return (until, reason, now) => {
    if (until - now <= Waits.logThreshold || until - loggedUntil < 1_000) return Effect.void
    loggedUntil = until
    return Effect.logInfo(`Waits ${Waits.format(until - now)} ${reason}`)
  }
}
