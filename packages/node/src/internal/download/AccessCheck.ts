/**
 * A first look at a request: whether the service will give it at all is known in seconds, not after hours.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { CheckFailed } from "./DownloadError.ts"
import type * as Manifest from "./Manifest.ts"

/**
 * Asks for one record of the first and of the last part: key, licence, parameters and both ends in time. An endpoint that
 * answers whole cannot be asked for less, and is not asked.
 */
export const first = Effect.fnUntraced(function* (endpoint: Endpoint.Any, parts: ReadonlyArray<Manifest.FilePart>) {
  const ends = parts.length > 1 ? [parts.at(0), parts.at(-1)] : parts
  const size = Parameter.find(endpoint.parameters, "PageSize")?.name
  if (size === undefined) return
  yield* Effect.forEach(ends, (part) => (part === undefined ? Effect.void : look(endpoint, part, size)), {
    concurrency: "unbounded",
    discard: true
  })
})

const look = (endpoint: Endpoint.Any, { index, params }: Manifest.FilePart, size: string) => {
  const format = Parameter.find(endpoint.parameters, "Format")?.name
  const page = { ...Struct.omit(params, format === undefined ? [] : [format]), [size]: 1 }
  // Type boundary: the parameters were checked when the request was cut. Pages are read as JSON, whatever the bulk is.
  return endpoint.pages(page as never).pipe(
    Stream.take(1),
    Stream.runDrain,
    Effect.mapError((error) => new CheckFailed({ part: index, error }))
  )
}
