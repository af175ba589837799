/**
 * Warns when calls have failed for a while, once a minute for all calls of a client.
 */
import * as Effect from "effect/Effect"
import type { ApiError } from "../../ApiError.ts"
import * as Monotonic from "./Monotonic.ts"
import * as Waits from "./Waits.ts"

/** A call that failed and is about to wait before it is tried again. Times are milliseconds. */
export interface Failing {
  readonly error: ApiError
  /** Failures since anything last came. */
  readonly failures: number
  /** How long it has been failing, without the waits that the service asked for. */
  readonly failing: number
  readonly wait: number
  /** Whether the service asked for the wait. */
  readonly isAsked: boolean
}

/** The outages of one client. */
export interface Outage {
  /** Warns if it is time to. Tells whether it did. */
  readonly note: (failing: Failing) => Effect.Effect<boolean>
}

/** A call that will have failed for so many milliseconds before it is tried again is worth a warning. */
const long = 10_000

/** The shortest time between two warnings in milliseconds. */
const pause = 60_000

/** Starts without an outage. */
export const make = (): Outage => {
  let warnedAt = -Infinity
  return {
    note: ({ error, failing, failures, isAsked, wait }) =>
      Effect.flatMap(Monotonic.now, (now) => {
        if (failing + (isAsked ? 0 : wait) < long || now - warnedAt < pause) return Effect.succeed(false)
        warnedAt = now
        const attempts = `${failures} attempts have failed in ${Waits.format(failing)}`
        return Effect.as(
          Effect.logWarning(`${attempts}, and the next is in ${Waits.format(wait)}: ${error.message}`),
          true
        )
      })
  }
}
