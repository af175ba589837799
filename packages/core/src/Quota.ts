/**
 * The budget of requests that an account has: who may send now, and what is left. `MemoryQuota` keeps it within one
 * process; a store that processes share can take its place.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** The budget shared by all that is sent for one account. */
export class Quota extends Context.Service<
  Quota,
  {
    /**
     * Waits for a permit and for a place in the window, and gives both. Fails at once with {@link WaitTooLong} where the
     * service would have to be waited for longer than `longestWait`.
     *
     * The permit is held until the scope closes, which is when the body of the reply has ended. The request is sent right
     * after this; its place is released one window after its reply's head, or after the scope where none comes.
     */
    readonly acquire: Effect.Effect<Permit, WaitTooLong, Scope.Scope>
    /** What is known now. */
    readonly state: Effect.Effect<State>
    /** The state now and after every change; a slow reader sees the newest, not all. */
    readonly changes: Stream.Stream<State>
    /** Requests that run at once, at most. */
    readonly parallel: number
    /** The longest wait for the service's sake. */
    readonly longestWait: Duration.Duration
  }
>()("@sluice/core/Quota") {}

/** What one request holds of the budget. */
export interface Permit {
  /** Learns from the head of the reply. Call it as soon as that has arrived, whatever its status; later calls do nothing. */
  readonly observe: (reply: Reply) => Effect.Effect<void>
}

/** What the head of a reply tells of the budget. */
export interface Reply extends RateLimitHeaders {
  readonly status: number
}

/** The `X-RateLimit-*` headers as numbers; durations in milliseconds. Absent is what is missing or malformed. */
export interface RateLimitHeaders {
  readonly plan: string | undefined
  /** The limit closest to being hit. */
  readonly limit: number | undefined
  /** The policies named beside it, those without a window left out. */
  readonly policies: ReadonlyArray<Policy>
  readonly remaining: number | undefined
  readonly reset: number | undefined
  readonly retryAfter: number | undefined
}

/** So many requests in so many milliseconds. */
export interface Policy {
  readonly limit: number
  readonly window: number
}

/** The service, or a window of more than a minute, wants a longer wait than the longest: nothing was sent. */
export class WaitTooLong extends Data.TaggedError("WaitTooLong")<{
  /** How long until the next request may start. */
  readonly wait: Duration.Duration
  /** The longest wait of this budget. */
  readonly longest: Duration.Duration
  readonly plan: Plan | undefined
  /** What is waited for: a full window, a 429 that asked for a wait, or a 429 that named none. */
  readonly heldBy: "window" | "retryAfter" | "refusal"
  /** Requests allowed in the window that is full. */
  readonly limit: number | undefined
}> {}

/** A published plan, or the name of one published later. */
export type Plan = "community" | "trial" | "default" | "download" | (string & {})

/** What the client knows of its budget at one moment. */
export interface State {
  /** `X-RateLimit-Plan` of the newest reply; absent before the first. */
  readonly plan: Plan | undefined
  /** Requests per window: of the plan, or of the pace kept with a service that names none; `Infinity` without either. */
  readonly limit: number
  /** Length of the sliding window. */
  readonly window: Duration.Duration
  /** Requests that may start now. */
  readonly remaining: number
  /** How long until the next request may start; zero when one may start now. */
  readonly reset: Duration.Duration
  /** Requests running now, each until the end of its body. */
  readonly inFlight: number
  /** Requests that wait for the window or for one of the parallel permits. */
  readonly waiting: number
  /** Requests sent so far. */
  readonly sent: number
  /** Replies with 429 so far. */
  readonly rejected: number
}

/** Streams that share permits as one. */
export interface Lane {
  /** Names it to people who look. */
  readonly name: string
}

/**
 * The lane of the requests of a program. All that name none share one.
 *
 * A permit that comes free goes to the lane that waits and holds the fewest, so that of two downloads each gets half
 * however many parts either runs at once. Within a lane requests are served as they come.
 */
export const Lane = Context.Reference<Lane>("@sluice/core/Quota/Lane", { defaultValue: () => common })

const common: Lane = { name: "common" }

/** Runs a stream, and all that run inside of it, in a lane of their own. */
export const inOwnLane = <A, E, R>(self: Stream.Stream<A, E, R>, name = "own"): Stream.Stream<A, E, R> =>
  Stream.suspend(() => Stream.provideService(self, Lane, { name }))
