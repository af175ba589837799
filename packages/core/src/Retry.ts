/**
 * Retry policies: when a request is sent again.
 *
 * Only the client retries, and it retries single requests. Do not add `Stream.retry`, which starts again at the first record,
 * or an HTTP client that retries.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Defaults from "./Defaults.ts"
import type { ApiError } from "./ApiError.ts"

/**
 * A retry policy: any schedule over {@link ApiError}.
 *
 * **Details**
 *
 * The policy applies to errors that are {@link isTransient}. It restarts for every page; for a json_stream it restarts when
 * records came since the last failure. For a json_stream it also applies once, at each position, to a line that cannot be
 * read and to records that changed while the stream was resumed, because damage in transit may be the cause.
 *
 * The policy decides only about the client's own delays. No request is sent sooner than the service asked. Waits for the
 * service and for the quota do not count as elapsed time. A wait longer than the client's `longestWait` fails in any case.
 */
export type Policy = Schedule.Schedule<unknown, ApiError>

/** Settings of {@link make}. The defaults are {@link Defaults.retry}. */
export interface Options {
  /** The most retries of a request; Infinity for no limit. */
  readonly times?: number | undefined
  /**
   * No retry starts later than this after the first failure. Waits for the service and the quota do not count; the client's
   * `longestWait` limits each of them, not their sum. Infinity for no limit.
   */
  readonly within?: Duration.Input | undefined
  /** The first delay. It doubles each time, with a jitter of a fifth. */
  readonly base?: Duration.Input | undefined
  /** The longest delay, unless the service asked for a longer one. */
  readonly cap?: Duration.Input | undefined
}

/**
 * Builds a policy: exponential delays with jitter, never shorter than `retryAfter` of the error, limited in number (`times`)
 * and in the client's own time (`within`).
 *
 * **Gotchas**
 *
 * A service that asks for a wait with every 429 can add `times` waits of up to `longestWait` each to `within` and the wait for
 * the quota. Use `Effect.timeout` around a call that must end by a certain time.
 */
export const make = (options: Options = {}): Policy => {
  const within = Duration.toMillis(options.within ?? Defaults.retry.within)
  const cap = Duration.fromInputUnsafe(options.cap ?? Defaults.retry.cap)
  return Schedule.exponential(options.base ?? Defaults.retry.base, 2).pipe(
    Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, cap))),
    Schedule.jittered,
    Schedule.setInputType<ApiError>(),
    // Before modifyDelay: the next delay counts too, but not the wait that the service asks for.
    Schedule.while(({ elapsed, duration }) => elapsed + Duration.toMillis(duration) <= within),
    Schedule.modifyDelay(({ input, duration }) => Effect.succeed(Duration.max(duration, askedFor(input)))),
    Schedule.upTo({ times: options.times ?? Defaults.retry.times })
  )
}

/** The default policy of a client: `make()`. */
export const standard: Policy = make()

/** Goes on until it succeeds: the delays of `make()`, without a limit. The default of a live stream that has worked. */
export const unlimited: Policy = /* @__PURE__ */ make({ times: Infinity, within: Infinity })

/** Sends every request once. */
export const none: Policy = /* @__PURE__ */ Schedule.recurs(0)

/** Tells how long the service asked to wait before the request is sent again; zero where it named no wait. */
export const askedFor = (error: ApiError): Duration.Duration =>
  (error._tag === "RateLimited" || error._tag === "Unavailable" ? error.retryAfter : undefined) ?? Duration.zero

/**
 * Tells whether a retry may help: after a 429, a lost connection, a timeout, a body that ended early, and the statuses 408,
 * 425, 500, 502, 503, 504, 52x and 530. It does not when the service asked for a longer wait than the client's longest.
 */
export const isTransient = (error: ApiError): boolean =>
  (error._tag === "RateLimited" || (error._tag === "Unavailable" && error.transient)) && error.longestWait === undefined
