/**
 * The plan of a download before anything of it is requested, and beside it what the download took.
 */
import * as Bulk from "@sluice/core/Bulk"
import type * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Format from "../../Format.ts"
import * as AccessCheck from "./AccessCheck.ts"
import { PlanFailed } from "./DownloadError.ts"

/** What a plan may come to; with either of them, or `plan`, a download is planned before it begins. */
export interface Limits {
  readonly maxRequests?: number | undefined
  readonly maxBytes?: number | undefined
}

/** Makes the plan of parts that will be files. The bytes are those of the files. */
export const make = (
  endpoint: Endpoint.Any,
  parts: ReadonlyArray<Bulk.Part>,
  encode: Format.Encoder,
  { maxBytes, maxRequests }: Limits
): Effect.Effect<Bulk.Plan, PlanFailed | Bulk.PlanExceeded, Client.Client> =>
  Bulk.plan(endpoint, parts, {
    maxBytes,
    maxRequests,
    beside: AccessCheck.requestsFor(endpoint, parts),
    measure: (records) => Effect.map(Effect.all([sizeOf(encode, records), sizeOf(encode, [])]), ([all, no]) => all - no)
  }).pipe(Effect.mapError((error) => (error._tag === "PlanExceeded" ? error : new PlanFailed({ error }))))

/** Bytes of a file of records. What the format cannot hold fails where the file is written. */
const sizeOf = (encode: Format.Encoder, records: ReadonlyArray<unknown>): Effect.Effect<number> =>
  encode(Stream.fromIterable(records)).pipe(
    Stream.runFold(
      () => 0,
      (bytes, chunk) => bytes + chunk.length
    ),
    Effect.orElseSucceed(() => 0)
  )

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

/** What a download took. */
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
