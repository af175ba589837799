/** The client's budget of requests, as plain data for events. */
import type * as ClientQuota from "@sluice/core/Quota"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** The client's budget of requests; see `Quota.State`. */
export const Quota = Schema.Struct({
  /** Name of the plan; null until a reply names it. */
  plan: Schema.NullOr(Schema.String),
  /** Requests per window; null when the service names no limit. */
  limit: Schema.NullOr(Schema.Finite),
  /** Requests that may start now; null when there is no limit. */
  remaining: Schema.NullOr(Schema.Finite),
  /** Milliseconds until the next request may start; null until a reply says so. */
  reset: Schema.NullOr(Schema.Finite),
  /** Requests running now. */
  inFlight: Schema.Finite,
  /** Requests that wait for the rate limit or for a permit. */
  waiting: Schema.Finite,
  /** Requests sent so far. */
  sent: Schema.Finite,
  /** Replies with 429 so far. */
  rejected: Schema.Finite,
  /** Processes whose requests are counted, where several share the quota; null where this process counts its own alone. */
  processes: Schema.NullOr(Schema.Finite)
})
export type Quota = typeof Quota.Type

/** The state of a client's quota as plain data. */
export const plain = ({ limit, plan, remaining, reset, shared, ...counts }: ClientQuota.State): Quota => ({
  inFlight: counts.inFlight,
  waiting: counts.waiting,
  sent: counts.sent,
  rejected: counts.rejected,
  processes: shared?.processes ?? null,
  plan: plan ?? null,
  limit: finite(limit),
  remaining: finite(remaining),
  reset: finite(Duration.toMillis(reset))
})

/** JSON has no infinity: null takes its place. */
const finite = (value: number) => (Number.isFinite(value) ? value : null)
