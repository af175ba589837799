/** Applies a retry policy to the requests of one call. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { ApiError } from "../../ApiError.ts"
import * as Retry from "../../Retry.ts"
import type { Within } from "../observe/CallSpan.ts"
import * as Wait from "../observe/Wait.ts"
import { noteRetry } from "./Attempts.ts"
import * as Monotonic from "./Monotonic.ts"
import * as Waits from "./Waits.ts"

/** How {@link schedule} applies a policy. */
export interface Options {
  readonly waited: Waits.Waited
  /** Default `Retry.isTransient`. */
  readonly isRetryable?: ((error: ApiError) => boolean) | undefined
  /** Makes the span of the call the parent of its waits. */
  readonly within?: Within | undefined
}

/**
 * Wraps a policy so that it decides only about errors that a retry may help, and only about the client's own time. The time
 * it sees stops during waits for the service and the quota, and is not affected when the wall clock is set. The next request
 * always waits as long as the service asked. Each wait is logged. The schedule waits by itself, so its delays are zero.
 */
export const schedule = (policy: Retry.Policy, options: Options): Retry.Policy =>
  Schedule.fromStep(
    Effect.map(Schedule.toStep(policy), (step) => {
      const { isRetryable = Retry.isTransient, waited, within = (same) => same } = options
      let origin: number | undefined
      let began = 0
      let failures = 0
      return (wall: number, error: ApiError) =>
        Effect.gen(function* () {
          if (!isRetryable(error)) return yield* Cause.done(undefined)
          const own = (yield* Monotonic.now) - waited.millis
          if (origin === undefined) {
            origin = wall - own
            began = own
          }
          failures += 1
          const asked = Retry.askedFor(error)
          const [output, delay] = yield* step(origin + own, error)
          const askedMillis = Duration.toMillis(asked)
          waited.millis += askedMillis
          yield* waited.notice ?? Effect.void
          waited.notice = undefined
          const wait = Duration.max(delay, asked)
          const millis = Duration.toMillis(wait)
          const isAsked = askedMillis > 0 && askedMillis === millis
          const failing = own - began
          const isDue = isWarningDue(waited, own + waited.millis, failing + (isAsked ? 0 : millis))
          const level = isDue ? "Warn" : millis > Waits.logThreshold ? "Info" : "Debug"
          const again = millis < 1_000 ? "Tries again" : `Waits ${Waits.format(millis)} and tries again`
          const since = isDue ? `, after ${failures} failures in ${Waits.format(failing)}` : ""
          yield* Effect.logWithLevel(level)(`${again}${since}: ${error.message}`)
          yield* noteRetry(error)
          if (millis > 0) yield* within(Wait.during(isAsked ? "service" : "backoff", Effect.sleep(wait)))
          // Type boundary: a list of two is inferred as an array; the schedule wants a pair.
          return [output, Duration.zero] as [unknown, Duration.Duration]
        })
    })
  )

/**
 * Runs an effect behind an error, as {@link schedule} says. It is built for the first error alone: building it takes longer than
 * most else of a page.
 */
export const after = <A, R>(
  error: ApiError,
  self: Effect.Effect<A, ApiError, R>,
  policy: Retry.Policy,
  options: Options
): Effect.Effect<A, ApiError, R> => {
  let next: typeof self = Effect.fail(error)
  const step = Effect.suspend(() => {
    const current = next
    next = self
    return current
  })
  return Effect.retry(step, schedule(policy, options))
}

/** The shortest time between two warnings of a client in milliseconds. */
const pause = 60_000

/** Whether to warn of a call that will have failed for so long before it is tried again. */
const isWarningDue = ({ outage }: Waits.Waited, now: number, failing: number): boolean => {
  if (outage === undefined || failing < Waits.logThreshold || now - outage.warnedAt < pause) return false
  outage.warnedAt = now
  return true
}
