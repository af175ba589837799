/**
 * Applies a retry policy to the requests of one call.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { ApiError } from "../../ApiError.ts"
import * as Retry from "../../Retry.ts"
import * as Monotonic from "./Monotonic.ts"
import * as Waits from "./Waits.ts"

/**
 * Wraps a policy so that it decides only about errors that a retry may help, and only about the client's own time. The time
 * it sees stops during waits for the service and the quota, and is not affected when the wall clock is set. The next request
 * always waits as long as the service asked. A long wait is logged.
 */
export const schedule = (
  policy: Retry.Policy,
  waited: Waits.Waited,
  isRetryable: (error: ApiError) => boolean = Retry.isTransient
): Retry.Policy =>
  Schedule.fromStep(
    Effect.map(Schedule.toStep(policy), (step) => {
      let origin: number | undefined
      return (wall: number, error: ApiError) =>
        Effect.gen(function* () {
          if (!isRetryable(error)) return yield* Cause.done(undefined)
          const own = (yield* Monotonic.now) - waited.millis
          origin ??= wall - own
          const asked = Retry.askedFor(error)
          const [output, delay] = yield* step(origin + own, error)
          waited.millis += Duration.toMillis(asked)
          yield* waited.notice ?? Effect.void
          waited.notice = undefined
          const wait = Duration.max(delay, asked)
          const millis = Duration.toMillis(wait)
          if (millis > Waits.logThreshold) {
            yield* Effect.logInfo(`Waits ${Waits.format(millis)} and tries again: ${error.message}`)
          }
          // Type boundary: a list of two is inferred as an array; the schedule wants a pair.
          return [output, wait] as [unknown, Duration.Duration]
        })
    })
  )
