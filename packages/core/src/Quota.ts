/**
 * The request quota of an account: it decides when a request may be sent, and tells how many are left. `MemoryQuota` keeps it
 * within one process. A store that several processes share can take its place.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** The quota shared by all requests of one account. */
export class Quota extends Context.Service<
  Quota,
  {
    /**
     * Waits for a parallel permit and for a place in the window, and takes both. Fails at once with {@link WaitTooLong} when
     * the service requires a longer wait than `longestWait`, and with {@link StoreUnavailable} when the quota is kept outside
     * the process and cannot be reached there.
     *
     * The permit is held until the scope closes, which is when the body of the reply has ended. The request must be sent right
     * afterwards. Its place is released one window after the head of its reply, or after the scope closed without a reply.
     */
    readonly acquire: Effect.Effect<Permit, WaitTooLong | StoreUnavailable, Scope.Scope>
    /** What is known now. */
    readonly state: Effect.Effect<State>
    /** The state now and after every change. A slow reader may miss changes, but not the newest. */
    readonly changes: Stream.Stream<State>
    /** The most requests that run at once. */
    readonly parallel: number
    /** The longest wait that the service may require. */
    readonly longestWait: Duration.Duration
  }
>()("@sluice/core/Quota") {}

/** What one request holds of the quota. */
export interface Permit {
  /** Learns from the head of the reply. Call it when the head has arrived, whatever the status. Later calls do nothing. */
  readonly observe: (reply: Reply) => Effect.Effect<void>
}

/** What the head of a reply tells about the quota. */
export interface Reply extends RateLimitHeaders {
  /** Status of the reply. */
  readonly status: number
}

/** The `X-RateLimit-*` headers as numbers, durations in milliseconds. Missing and malformed values are absent. */
export interface RateLimitHeaders {
  /** The plan of the key. */
  readonly plan: string | undefined
  /** The limit closest to being hit. */
  readonly limit: number | undefined
  /** The policies that have a window. */
  readonly policies: ReadonlyArray<Policy>
  /** How many requests may still be sent. */
  readonly remaining: number | undefined
  /** Milliseconds until more may be sent. */
  readonly reset: number | undefined
  /** Milliseconds that the service asks to wait. */
  readonly retryAfter: number | undefined
}

/** The requests allowed in a window of this many milliseconds. */
export interface Policy {
  /** The number of requests. */
  readonly limit: number
  /** The length of the window in milliseconds. */
  readonly window: number
}

/** The service, or a window of more than a minute, requires a longer wait than the longest. Nothing was sent. */
export class WaitTooLong extends Data.TaggedError("WaitTooLong")<{
  /** How long until the next request may start. */
  readonly wait: Duration.Duration
  /** The longest wait of this quota. */
  readonly longest: Duration.Duration
  readonly plan: Plan | undefined
  /** The reason for the wait: a full window, a 429 that asked for a wait, or a 429 that named none. */
  readonly heldBy: "window" | "retryAfter" | "refusal"
  /** Requests allowed in the window that is full. */
  readonly limit: number | undefined
}> {}

/** The store of a quota that several processes share cannot be reached. Nothing was sent to the service. */
export interface StoreUnavailable {
  readonly _tag: "QuotaStoreUnavailable"
  /** `kind` of the `Unavailable` with which calls fail for it. */
  readonly kind: "quotaStore"
  /** A sentence that names the store. */
  readonly reason: string
  /** Whether a later attempt may succeed. */
  readonly transient: boolean
}

/** A published plan, or the name of one published later. */
export type Plan = "community" | "trial" | "default" | "download" | (string & {})

/**
 * What the client knows about its quota at one moment. Where processes share it, the numbers are those of all of them
 * together.
 */
export interface State {
  /** `X-RateLimit-Plan` of the newest reply; absent before the first. */
  readonly plan: Plan | undefined
  /** Requests per window: of the plan, or of the pace found for a service that names no limit; else `Infinity`. */
  readonly limit: number
  /** Length of the sliding window. */
  readonly window: Duration.Duration
  /** Requests that may start now. */
  readonly remaining: number
  /** How long until the next request may start; zero when one may start now. */
  readonly reset: Duration.Duration
  /** Requests running now. Each runs until the end of its body. */
  readonly inFlight: number
  /** Requests that wait for the window or for one of the parallel permits. */
  readonly waiting: number
  /** Requests sent so far. */
  readonly sent: number
  /** Replies with 429 so far. */
  readonly rejected: number
  /** How the quota is shared; absent where it belongs to this process alone. */
  readonly shared?: Shared | undefined
}

/** A quota that several processes share. */
export interface Shared {
  /** The store, without its password. */
  readonly store: string
  /** Processes that use it now. */
  readonly processes: number
  /** Whether the store can be reached. */
  readonly isReached: boolean
}

/** A group of streams that counts as one when permits are shared. */
export interface Lane {
  /** For human readers. */
  readonly name: string
}

/**
 * The lane of the requests of a program. Requests without a lane of their own share one.
 *
 * A free permit goes to the waiting lane that holds the fewest. So each of two downloads gets half of the permits, however many
 * parts it runs at once. Within a lane, requests are served first come, first served.
 */
export const Lane = Context.Reference<Lane>("@sluice/core/Quota/Lane", { defaultValue: () => common })

const common: Lane = { name: "common" }

/** Runs a stream, and all streams inside it, in a lane of its own. */
export const inOwnLane = <A, E, R>(self: Stream.Stream<A, E, R>, name = "own"): Stream.Stream<A, E, R> =>
  Stream.suspend(() => Stream.provideService(self, Lane, { name }))
