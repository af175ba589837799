/**
 * Tells in the log that requests wait for the service.
 */
import * as Effect from "effect/Effect"
import * as Window from "../quota/Window.ts"
import * as Waits from "../retry/Waits.ts"
import type { Answer } from "../shared/Step.ts"

/** Makes what logs each long wait once. */
export const make = (): ((answer: Answer, now: number) => Effect.Effect<void>) => {
  let loggedUntil = -Infinity
  return ({ cause, isAsked, reset, tightest }, now) => {
    if (cause === undefined || cause === "permit" || reset <= Waits.logThreshold) return Effect.void
    if (now + reset - loggedUntil < 1_000) return Effect.void
    loggedUntil = now + reset
    const window = tightest === undefined ? "" : ` (${Window.format(tightest)})`
    const after = isAsked ? "because the service asked for it with a 429" : "after a 429 that names no wait"
    return Effect.logInfo(`Waits ${Waits.format(reset)} ${cause === "window" ? `for the rate limit${window}` : after}`)
  }
}
