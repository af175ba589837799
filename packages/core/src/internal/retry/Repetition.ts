/**
 * How a retry policy is applied to the requests of one call.
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
 * Lets a policy decide about the client's own time alone, and only where a repetition may help: it is told a time that
 * stands still during waits for the service and its quota, and does not follow the wall clock when that is set. Whatever
 * it says, the next request waits as long as the service asked. A wait worth a word is logged.
 */
export const schedule = (
  policy: Retry.Policy,
  waited: Waits.Waited,
  mayHelp: (error: ApiError) => boolean = Retry.isTransient
): Retry.Policy =>
  Schedule.fromStep(
    Effect.map(Schedule.toStep(policy), (step) => {
      let origin: number | undefined
      return (wall: number, error: ApiError) =>
        Effect.gen(function* () {
          if (!mayHelp(error)) return yield* Cause.done(undefined)
          const own = (yield* Monotonic.now) - waited.millis
          origin ??= wall - own
          const asked = Waits.askedFor(error)
          const [output, delay] = yield* step(origin + own, error)
          waited.millis += Duration.toMillis(asked)
          const wait = Duration.max(delay, asked)
          const millis = Duration.toMillis(wait)
          if (millis > Waits.silent) {
            yield* Effect.logInfo(`Waits ${Waits.shown(millis)} and tries again: ${error.message}`)
          }
          return [output, wait] as [unknown, Duration.Duration]
        })
    })
  )
