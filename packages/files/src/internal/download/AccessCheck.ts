/**
 * Checks before a download whether the service answers it at all, so that a refusal shows in seconds, not after hours.
 */
import type { ApiError } from "@sluice/core/ApiError"
import type { Client } from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { CheckFailed } from "./DownloadError.ts"
import type * as Manifest from "./Manifest.ts"

/**
 * Requests one record of the first and of the last part, which checks key, licence, parameters and both ends of the time
 * range. An endpoint that answers in one reply is not checked, since a reply cannot be made smaller.
 */
export const first = Effect.fnUntraced(function* (endpoint: Endpoint.Any, parts: ReadonlyArray<Manifest.FilePart>) {
  const ends = parts.length > 1 ? [parts.at(0), parts.at(-1)] : parts
  const size = Parameter.find(endpoint.parameters, "PageSize")?.name
  if (size === undefined) return
  yield* Effect.forEach(ends, (part) => (part === undefined ? Effect.void : checkPart(endpoint, part, size)), {
    concurrency: "unbounded",
    discard: true
  })
})

/** How many requests the check takes. */
export const requestsFor = (endpoint: Endpoint.Any, parts: ReadonlyArray<unknown>): number =>
  Parameter.find(endpoint.parameters, "PageSize") === undefined ? 0 : Math.min(2, parts.length)

const checkPart = (endpoint: Endpoint.Any, { index, params }: Manifest.FilePart, size: string) => {
  const format = Parameter.find(endpoint.parameters, "Format")?.name
  const page = { ...Struct.omit(params, format === undefined ? [] : [format]), [size]: 1 }
  // Type boundary: the parameters were checked when the request was split. This reads a page, whatever the format, where there are
  // any.
  const records: Stream.Stream<unknown, ApiError, Client> = Parameter.isStreamOnly(
    endpoint.parameters,
    Object.entries(params)
  )
    ? endpoint(params as never)
    : endpoint.pages(page as never)
  return records.pipe(
    Stream.take(1),
    Stream.runDrain,
    Effect.mapError((error) => new CheckFailed({ part: index, error }))
  )
}
