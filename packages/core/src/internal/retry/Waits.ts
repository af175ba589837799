/**
 * Waits for the service's sake: how long they may be, how they are said, and how they are counted.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ApiError } from "../../ApiError.ts"
import * as Monotonic from "./Monotonic.ts"

/** The longest wait of a client that names none. */
export const longest: Duration.Input = "5 minutes"

/** Waits up to this many milliseconds need no word. */
export const silent = 10_000

/** A wait as people read it, in whole seconds. */
export const shown = (millis: number): string => Duration.format(Duration.seconds(Math.ceil(millis / 1000)))

/** How long the service asked to wait before the request is sent again. */
export const askedFor = (error: ApiError): Duration.Duration =>
  (error._tag === "RateLimited" || error._tag === "Unavailable" ? error.retryAfter : undefined) ?? Duration.zero

/** How long one call has waited for its turn and for the service, in milliseconds. */
export interface Waited {
  millis: number
}

/** Counts the waits of the call that is made, where somebody wants to know. */
export const Current = Context.Reference<Waited | undefined>("@sluice/core/Waits", { defaultValue: () => undefined })

/** Counts the time an effect takes as a wait. */
export const counted = <A, E, R>(wait: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const waited = yield* Current
    if (waited === undefined) return yield* wait
    const began = yield* Monotonic.now
    const count = Effect.map(Monotonic.now, (now) => {
      waited.millis += now - began
    })
    return yield* Effect.ensuring(wait, count)
  })
