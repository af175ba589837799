/**
 * `sluice get`: records to standard output, only as many as the reader takes, or to a file.
 */
import * as Batch from "@sluice/core/Batch"
import * as Bulk from "@sluice/core/Bulk"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import { harmless } from "@sluice/core/PlainText"
import * as Discover from "@sluice/core/Discover"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as EndpointIndex from "../endpoints/EndpointIndex.ts"
import type { About, GetInput } from "./Flags.ts"
import * as Output from "./Output.ts"
import * as Connection from "../settings/Connection.ts"
import * as Parameters from "../endpoints/Parameters.ts"
import * as RelativeTime from "../endpoints/RelativeTime.ts"
import * as Suggestions from "../endpoints/Suggestions.ts"
import * as GlobalFlags from "../settings/GlobalFlags.ts"
import { Screen } from "../terminal/Screen.ts"

/** Writes the records of an endpoint in the chosen format. */
export const run = Effect.fnUntraced(function* (input: GetInput, about: About | undefined) {
  const { endpoint } = about?.entry ?? (yield* EndpointIndex.get(input.endpoint))
  const limit = limitOf(endpoint, Option.getOrUndefined(input.limit))
  const given = yield* RelativeTime.resolve(endpoint.parameters, Parameters.given(input.parameters))
  const params = { ...limit.params, ...given }
  const source = { endpoint, params }
  const output = yield* Output.of(input, source)
  // A table looks at its first records before it writes any.
  const lazy = output.as === "table" ? undefined : Batch.lazy
  const records = read(endpoint, params, { query: input.query, lazy }, limit.count)
  const written = Effect.gen(function* () {
    const count = yield* Output.write(output, input, source, records)
    const { err, say } = yield* Screen
    const isSilent = (yield* GlobalFlags.Json) || !(output.as === "table" || err.isTerminal)
    if (count > 0 || isSilent) return
    const lines = yield* Suggestions.onNothing(endpoint, params)
    yield* say(lines.map((line) => `${err.style.dim(harmless(line))}\n`).join(""))
  })
  yield* written.pipe(
    Suggestions.onRefused(params),
    Effect.provide(Layer.provideMerge(Discover.layer(), Connection.layer))
  )
})

/** Sends the limit to an endpoint that has one of its own, since such an endpoint answers in one reply. */
const limitOf = (endpoint: Endpoint.Info, text: string | undefined) => {
  const count = text === undefined || text === "none" ? undefined : Number(text)
  const own = Parameter.find(endpoint.parameters, "Limit")
  if (text === undefined || own === undefined) return { count, params: sizeOf(endpoint, count) }
  const isSmall = count !== undefined && count <= (own.maximum ?? 0)
  return { count, params: { [own.name]: isSmall ? count : "none" } }
}

const sizeOf = ({ parameters }: Endpoint.Info, count: number | undefined) => {
  const size = Parameter.find(parameters, "PageSize")
  return size?.maximum === undefined || count === undefined || count >= size.maximum ? {} : { [size.name]: count }
}

/** Reads pages that are no larger than the limit; without a limit, in the format that suits the service best. */
const read = (
  endpoint: Endpoint.Any,
  params: Readonly<Record<string, unknown>>,
  options: Endpoint.CallOptions,
  count: number | undefined
) =>
  count === undefined
    ? Bulk.read(endpoint, { index: 0, params }, options)
    : // Type boundary: the flags of an endpoint known only at run time are data; the call checks them.
      Stream.take(endpoint(params as never, options), count)
