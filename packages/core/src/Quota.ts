/**
 * What a program knows and says of the budget that all streams of a client share.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Stream from "effect/Stream"

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
