/** `sluice plan`: what a download would take, by entity and in total. */
import * as Download from "@sluice/files/Download"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as Connection from "../../settings/Connection.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as PlanText from "../../terminal/PlanText.ts"
import { jsonOf, Screen } from "../../terminal/Screen.ts"
import * as Table from "../../terminal/Table.ts"
import type { About } from "../flags/About.ts"
import type { PlanInput } from "../flags/DownloadFlags.ts"
import * as ListOutput from "../help/ListOutput.ts"
import { expanded, formatOf } from "./Download.ts"

const columns = ["entity", "requests", "records", "bytes", "time"].map(ListOutput.text)

export const run = Effect.fnUntraced(function* (input: PlanInput, about: About | undefined) {
  const { endpoint } = about?.entry ?? (yield* EndpointIndex.get(input.endpoint))
  const screen = yield* Screen
  const given = Parameters.given(input.parameters)
  const params = yield* RelativeTime.resolve(endpoint.parameters, given)
  const { maxBytes, maxRequests, split } = input
  const plan = yield* expanded({ endpoint, params, split, format: formatOf(input), maxBytes, maxRequests }).pipe(
    Effect.flatMap(Download.plan),
    Suggestions.onRefused(given),
    Effect.provide(Connection.layerDiscover)
  )
  if (yield* GlobalFlags.Json) return yield* screen.print(jsonOf(plan))
  if (plan.entities.length > 0) {
    const table = Table.make(columns, screen.out)
    yield* screen.write(table.lines(Stream.fromIterable(PlanText.rows(plan))))
  }
  yield* screen.print(PlanText.total(plan))
  yield* screen.say(screen.err.style.dim(PlanText.notes(plan)))
})
