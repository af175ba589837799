/** Waits: a span for each, and their time in the metrics. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metrics from "../../Metrics.ts"
import * as Measure from "./Measure.ts"
import * as Spans from "./Spans.ts"

/**
 * What is waited for: a `permit` for one of the parallel requests, a place in the rate-limit `window`, the time that the
 * `service` asked for, the `backoff` of the client's own policy, `memory` for a further page, a live `connection`, or the
 * `poll` of a job.
 */
export const causes = ["permit", "window", "service", "backoff", "memory", "connection", "poll"] as const
/** One of {@link causes}. */
export type Cause = (typeof causes)[number]

export const during = <A, E, R>(cause: Cause, wait: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) => {
    const seconds = Measure.stopwatch(clock)
    const attributes = { "sluice.wait.cause": cause }
    return Effect.ensuring(
      Spans.within(wait, "sluice.wait", attributes),
      Effect.suspend(() => Measure.update(Metrics.waitDuration, seconds(), attributes))
    )
  })
