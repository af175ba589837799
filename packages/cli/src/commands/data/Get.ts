/** `sluice get`: records to standard output, only as many as the reader takes, or to a file. */
import * as Batch from "@sluice/core/Batch"
import * as Effect from "effect/Effect"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import type { About } from "../flags/About.ts"
import { areHeld, type GetInput } from "../flags/Flags.ts"
import * as AbsentMetrics from "./AbsentMetrics.ts"
import * as Output from "./Output.ts"
import * as Connection from "../../settings/Connection.ts"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import * as Reading from "../../endpoints/Reading.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import { Screen } from "../../terminal/Screen.ts"

export const run = Effect.fnUntraced(function* (input: GetInput, about: About | undefined) {
  if (about === undefined && input.endpoint === undefined) {
    const { runAll } = yield* Effect.promise(() => import("./GetHeld.ts"))
    return yield* runAll(input)
  }
  const entry = about?.entry ?? (yield* EndpointIndex.get(input.endpoint ?? ""))
  const { endpoint } = entry
  const given = yield* RelativeTime.resolve(endpoint.parameters, Parameters.given(input.parameters))
  if (input.asUrl || input.asCode !== undefined) {
    const { run } = yield* Effect.promise(() => import("../code/Code.ts"))
    return yield* run(input, entry, given, yield* Output.said(input))
  }
  const { count, params } = Reading.limited(endpoint, input.limit, given)
  const source = { endpoint, params }
  if (areHeld(input)) {
    const { run } = yield* Effect.promise(() => import("./GetHeld.ts"))
    return yield* run(input, { endpoint, params: given }, count)
  }
  const output = yield* Output.of(input, source)
  // A table looks at its first records before it writes any.
  const lazy = output.as === "table" ? undefined : Batch.lazy
  const records = Reading.read(endpoint, params, { query: input.query, lazy }, count)
  const write = Effect.gen(function* () {
    const written = yield* Output.write(output, input, source, AbsentMetrics.warn(records, source, count))
    const { err } = yield* Screen
    const isSilent = (yield* GlobalFlags.Json) || !(output.as === "table" || err.isTerminal)
    if (written === 0 && !isSilent) yield* Suggestions.sayOnNothing(endpoint, params)
  })
  yield* write.pipe(Suggestions.onRefused(params), Effect.provide(Connection.layerDiscover))
})
