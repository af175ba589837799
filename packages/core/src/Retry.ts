/**
 * When a request is sent again, and when not.
 *
 * The client is the one owner of retries, per request: do not add `Stream.retry`, which begins again at the first
 * record, nor a retrying HTTP client underneath.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { ApiError } from "./ApiError.ts"
import { askedFor } from "./internal/retry/Waits.ts"

/**
 * How a failed request is repeated: any schedule over {@link ApiError}.
 *
 * **Details**
 *
 * It is asked only for errors that are {@link isTransient}, begins anew for every page, and for a json_stream begins
 * anew whenever records came through since the last fault. Of a json_stream it is asked once more, at each place, for a
 * line that cannot be read and for records that changed while it was resumed: damage on the way may be the cause. It
 * decides about the client's own time: whatever it says, nothing is sent sooner than the service asked, waits for the
 * service and for the quota do not count as time passed, and a wait longer than the client's `longestWait` fails without
 * asking it.
 */
export type Policy = Schedule.Schedule<unknown, ApiError>

/** Bounds of {@link make}. */
export interface Options {
  /** How often a request is repeated at most. Default 7. */
  readonly times?: number | undefined
  /**
   * No repetition begins later than this after the first failure. Waits for the service and the quota do not count: the
   * client's `longestWait` bounds each of those, not their sum. Default 5 minutes.
   */
  readonly within?: Duration.Input | undefined
  /** First delay; doubles each time, give or take a fifth. Default 250 milliseconds. */
  readonly base?: Duration.Input | undefined
  /** Longest delay that is not the service's own wish. Default 20 seconds. */
  readonly cap?: Duration.Input | undefined
}

/**
 * Builds a policy: exponential delays with jitter, never shorter than `retryAfter` of the error, bounded in number
 * (`times`) and in the client's own time (`within`).
 *
 * **Gotchas**
 *
 * A service that asks for a wait with every refusal adds up to `times` waits of up to the client's `longestWait` each:
 * with the defaults 7 times 5 minutes, beside the 5 minutes of `within` and the turn in the quota. Use `Effect.timeout`
 * around a call that must end by a certain time.
 */
export const make = (options: Options = {}): Policy => {
  const within = Duration.toMillis(options.within ?? "5 minutes")
  return Schedule.min([
    Schedule.exponential(options.base ?? "250 millis", 2),
    Schedule.spaced(options.cap ?? "20 seconds")
  ]).pipe(
    Schedule.jittered,
    Schedule.setInputType<ApiError>(),
    // Before modifyDelay: the wait to come counts too, but not the one that the service asks for.
    Schedule.while(({ elapsed, duration }) => elapsed + Duration.toMillis(duration) <= within),
    Schedule.modifyDelay(({ input, duration }) => Effect.succeed(Duration.max(duration, askedFor(input)))),
    Schedule.upTo({ times: options.times ?? 7 })
  )
}

/** The policy of a client that names none: `make()`. */
export const standard: Policy = make()

/** Sends every request once. */
export const none: Policy = Schedule.recurs(0)

/**
 * Tells whether sending the same request again may help: 429, a lost connection, a timeout, a body that ended early,
 * and the statuses 408, 425, 500, 502, 503, 504 and the edge network's 52x. Not when the service asked for a longer wait
 * than the client's longest.
 */
export const isTransient = (error: ApiError): boolean =>
  (error._tag === "RateLimited" || (error._tag === "Unavailable" && error.transient)) && error.longestWait === undefined
