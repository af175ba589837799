/**
 * Names that were perhaps meant where the service refuses one, and what there is where it has nothing. From discovery, which is
 * asked only then.
 */
import { InvalidRequest } from "@sluice/core/ApiError"
import { PartFailed } from "@sluice/core/Bulk"
import * as Client from "@sluice/core/Client"
import * as Discover from "@sluice/core/Discover"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"
import * as CoreSuggestions from "@sluice/core/Suggestions"
import { harmless } from "@sluice/core/PlainText"
import type { SyncFailed } from "@sluice/datasets/Dataset"
import { CheckFailed, PlanFailed } from "@sluice/files/Download"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { Screen } from "../terminal/Screen.ts"
import * as EndpointIndex from "./EndpointIndex.ts"
import { meant, quoted } from "./Nearest.ts"

/** A request that the service refused, or the failure of a download or a dataset that has one in it. */
type Refused = InvalidRequest | CheckFailed | PlanFailed | PartFailed | SyncFailed

/** A refused request, with names that were perhaps meant, or all that are known of a short list. */
export class Misnamed extends Data.TaggedError("Misnamed")<{
  readonly error: Refused
  readonly suggestions: ReadonlyArray<string>
  /** The known words, where they are few and none is perhaps meant. */
  readonly known?: ReadonlyArray<string>
}> {
  override get message() {
    const refused = this.error.message.replace(/\.$/, "")
    return this.known === undefined
      ? refused + meant(this.suggestions)
      : `${refused}; known are ${this.known.join(", ")}`
  }
}

/** How long discovery may take: the failure waits for it. */
const patience = "5 seconds"

const patiently = <A, E, R>(asked: Effect.Effect<ReadonlyArray<A>, E, R>) =>
  asked.pipe(
    Effect.timeout(patience),
    Effect.orElseSucceed((): ReadonlyArray<A> => [])
  )

const isRefused = (error: unknown): error is Refused =>
  error instanceof InvalidRequest ||
  error instanceof CheckFailed ||
  error instanceof PlanFailed ||
  error instanceof PartFailed ||
  // By its tag: the module of datasets is large, and most commands do without it.
  Predicate.isTagged(error, "SyncFailed")

const innerOf = (error: Refused) => {
  if (error._tag === "InvalidRequest") return error
  return error._tag === "SyncFailed" ? error.failed[0]?.error : error.error
}

const requestIn = (error: Refused) => {
  const inner = innerOf(error)
  return inner?._tag === "InvalidRequest" && inner.kind === "refused" ? inner : undefined
}

type Values = Readonly<Record<string, unknown>>

/** Adds names that were perhaps meant to a refusal of the service. */
export const onRefused =
  (params: Values) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Misnamed, R | Client.Client | Discover.Discover> =>
    Effect.catch(effect, (error): Effect.Effect<never, E | Misnamed, Client.Client | Discover.Discover> => {
      const request = isRefused(error) ? requestIn(error) : undefined
      if (request === undefined || !isRefused(error)) return Effect.fail(error)
      const known = frequenciesOf(request)
      return known.length > 0
        ? Effect.fail(new Misnamed({ error, suggestions: [], known }))
        : Effect.flatMap(CoreSuggestions.ofRefusal(request, params), (suggestions) =>
            Effect.fail(suggestions.length === 0 ? error : new Misnamed({ error, suggestions }))
          )
    })

/** The frequencies of an endpoint, where one was refused. A metric may have only some of them. */
const frequenciesOf = ({ endpoint, parameter = "" }: InvalidRequest): ReadonlyArray<string> => {
  const refused = EndpointIndex.findAny(endpoint)?.endpoint.parameters.get(parameter)
  return refused?.role._tag === "Frequency" ? refused.words : []
}

/** Names that were perhaps meant in a request of which only is known that the service refused it. */
export const ofRefused = (endpoint: Endpoint.Info, params: Values) =>
  patiently(
    Effect.gen(function* () {
      for (const { name, role } of endpoint.parameters.values()) {
        const given = role._tag === "Entities" || role._tag === "Columns" ? Params.items(params[name]) : []
        const found = given.length === 0 ? [] : yield* CoreSuggestions.similar(endpoint, name, given)
        if (found.length > 0) return found
      }
      return []
    })
  )

/** Says what there is where a request has no records: names that were perhaps meant, or the times that are covered. */
export const onNothing = (endpoint: Endpoint.Info, params: Values) =>
  patiently(endpoint.order === "series" ? covered(endpoint, params) : misnamed(endpoint, params))

/** Says that on standard error. */
export const sayOnNothing = Effect.fnUntraced(function* (endpoint: Endpoint.Info, params: Values) {
  const { err, say } = yield* Screen
  const lines = yield* onNothing(endpoint, params)
  yield* say(lines.map((line) => `${err.style.dim(harmless(line))}\n`).join(""))
})

const misnamed = Effect.fnUntraced(function* (endpoint: Endpoint.Info, params: Values) {
  const lines: Array<string> = []
  for (const [name, value] of Object.entries(params)) {
    if (endpoint.parameters.get(name)?.kind !== "text") continue
    const suggestions = yield* CoreSuggestions.similar(endpoint, name, Params.items(value))
    if (suggestions.length > 0) lines.push(`--${name} ${String(value)}: did you mean ${quoted(suggestions)}?`)
  }
  return lines
})

/** The most lines about one request. */
const most = 3

const covered = Effect.fnUntraced(function* (endpoint: Endpoint.Info, params: Values) {
  const find = (role: Parameter.RoleTag) => Params.items(params[Parameter.find(endpoint.parameters, role)?.name ?? ""])
  const entities = find("Entities").filter((item) => !item.includes("*"))
  if (entities.length === 0) return []
  const metrics = find("Columns")
  const all = yield* Discover.available(endpoint, entities.slice(0, most))
  const named = all.filter(({ metric }) => metric === undefined || metrics.includes(metric))
  const [frequency = "1d"] = find("Frequency")
  const exact = named.filter((one) => one.frequency === undefined || one.frequency === frequency)
  const { account } = yield* Client.Client
  return (exact.length === 0 ? named : exact).slice(0, most).map((one) => account.scrub(lineOf(one)))
})

const lineOf = ({ entity, frequency, max_time, metric, min_time }: Discover.Available) => {
  const what = [entity, ...(metric === undefined ? [] : [metric]), ...(frequency === undefined ? [] : [frequency])]
  return `${what.join(", ")}: from ${dayOf(min_time)} to ${dayOf(max_time)}`
}

const dayOf = (time: string | undefined) => time?.replace(/\.0+(?=Z?$)/, "").replace("T00:00:00Z", "") ?? "?"
