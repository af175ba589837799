/** The plan of a download before anything of it is requested. */
import * as Bulk from "@sluice/core/Bulk"
import type * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Format from "../../Format.ts"
import * as AccessCheck from "./AccessCheck.ts"
import { PlanFailed } from "./DownloadError.ts"
import type * as Manifest from "./Manifest.ts"

/** What a plan may come to; with either of them, or `plan`, a download is planned before it begins. */
export interface Limits {
  readonly maxRequests?: number | undefined
  readonly maxBytes?: number | undefined
}

/** Makes the plan of parts that will be files. The bytes are those of the files. */
export const make = (
  endpoint: Endpoint.Any,
  parts: ReadonlyArray<Manifest.FilePart>,
  encode: Format.Encoder,
  { maxBytes, maxRequests }: Limits
): Effect.Effect<Bulk.Plan, PlanFailed | Bulk.PlanExceeded, Client.Client> =>
  Bulk.plan(endpoint, parts, {
    maxBytes,
    maxRequests,
    otherRequests: AccessCheck.requestsFor(endpoint, parts),
    measure: (records) => Effect.map(Effect.all([sizeOf(encode, records), sizeOf(encode, [])]), ([all, no]) => all - no)
  }).pipe(
    // Where no record is foreseen, a name may be wrong: the service tells.
    Effect.tap(({ total }) => (total.records.most === 0 ? AccessCheck.first(endpoint, parts) : Effect.void)),
    Effect.mapError((error) => {
      if (error._tag === "PlanExceeded") return error
      return new PlanFailed({ error: error._tag === "CheckFailed" ? error.error : error })
    })
  )

/** Bytes of a file of records. What the format cannot hold fails where the file is written. */
const sizeOf = (encode: Format.Encoder, records: ReadonlyArray<unknown>): Effect.Effect<number> =>
  encode(Stream.fromIterable(records)).pipe(
    Stream.runFold(
      () => 0,
      (bytes, chunk) => bytes + chunk.length
    ),
    Effect.orElseSucceed(() => 0)
  )
