/** What a download was planned to take, and beside it what it took. */
import * as Bulk from "@sluice/core/Bulk"
import * as Schema from "effect/Schema"

const beside = Schema.Struct({ planned: Bulk.Amount, taken: Schema.NullOr(Schema.Finite) })

/** Schema of {@link Outcome}. */
export const Outcome = Schema.Struct({
  /** Requests of this client while it downloaded; null before the end, and where an earlier run has sent some. */
  requests: beside,
  records: beside,
  bytes: beside,
  /** Milliseconds: those planned are of the rate limit alone. */
  millis: beside,
  /** What the plan did not know. */
  unknown: Schema.Array(Schema.String)
})
/** A plan, and what was taken in truth. */
export type Outcome = typeof Outcome.Type

export type Taken = { readonly [Name in keyof Bulk.Plan["total"]]: number | null }

const nothing: Taken = { requests: null, records: null, bytes: null, millis: null }

/** A plan with nothing beside it yet. */
export const begin = ({ total, unknown }: Bulk.Plan): Outcome => besides(total, unknown, nothing)

/** A plan with what was taken beside it. */
export const end = ({ bytes, millis, records, requests, unknown }: Outcome, taken: Taken): Outcome =>
  besides(
    { bytes: bytes.planned, millis: millis.planned, records: records.planned, requests: requests.planned },
    unknown,
    taken
  )

const besides = (total: Bulk.Plan["total"], unknown: ReadonlyArray<string>, taken: Taken): Outcome => ({
  requests: { planned: total.requests, taken: taken.requests },
  records: { planned: total.records, taken: taken.records },
  bytes: { planned: total.bytes, taken: taken.bytes },
  millis: { planned: total.millis, taken: taken.millis },
  unknown
})
