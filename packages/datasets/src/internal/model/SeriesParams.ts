/**
 * What a definition is about: the series of an endpoint, and the parameters by which it is asked for.
 */
import * as Bulk from "@sluice/core/Bulk"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Field from "@sluice/core/Field"
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"
import * as Timestamp from "@sluice/core/Timestamp"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { BadDefinition } from "./DatasetError.ts"
import type { Definition } from "./Definition.ts"
import * as Keys from "./Keys.ts"
import type { Series, Time } from "./Store.ts"

/** Names of parameters. */
export interface Names {
  readonly entities: string
  readonly columns: string | undefined
  readonly start: string
  readonly end: string
  readonly endInclusive: string
  /** Of the latest records, and of a page. Absent where there is none, or where records come as a json_stream alone. */
  readonly limitPer: string | undefined
  readonly pageSize: string | undefined
}

/** A series, and how it is asked for. */
export interface SeriesParams extends Series {
  readonly names: Names
  /** Milliseconds between two records; absent where they come at any time. */
  readonly every: number | undefined
  /** The most records of a page. */
  readonly page: number
  /** Whether it is no series but a list, which each run reads as a whole: its records have no time, and are of one entity without a name. */
  readonly isList?: boolean
}

/** Roles of parameters that say which records a dataset has. What else a call can say is about one reply. */
const allowed: ReadonlySet<Parameter.RoleTag> = new Set([
  "Entities",
  "Columns",
  "Frequency",
  "Start",
  "Filter",
  "Detail"
])

/** Milliseconds between two records; nothing where they come at any time. */
export const everyOf = (endpoint: Endpoint.Any, params: Schema.JsonObject): number | undefined => {
  const step = Parameter.stepOf(Parameter.frequencyOf(endpoint, params) ?? "")
  return step && Number(step.nanos / 1_000_000n)
}

/** Fails for a parameter of a single request, such as a page size. */
const checkRoles = Effect.fnUntraced(function* (
  { parameters, path: endpoint }: Endpoint.Any,
  params: Schema.JsonObject
) {
  for (const name of Object.keys(params)) {
    const role = parameters.get(name)?.role
    const isAllowed = role !== undefined && allowed.has(role._tag) && !("unit" in role && role.unit !== "time")
    const reason = "is not valid in a dataset, which makes many requests; leave it out"
    if (!isAllowed) return yield* new BadDefinition({ endpoint, setting: name, reason })
  }
})

/** The same of an endpoint that may be a list. */
export const makeAny = Effect.fnUntraced(function* (endpoint: Endpoint.Any, params: Schema.JsonObject) {
  // Type boundary: the fields that tell records apart are those of all parameters.
  const fields = endpoint.order === "list" ? [...Field.allOf(endpoint.record(params as never)).values()] : []
  // An item may be listed once for each time from which it held, such as the class of an asset: that time is a parameter too.
  const isStart = (name: string) => endpoint.parameters.get(name)?.role._tag === "Start"
  const identity = fields.flatMap(({ isNullable, isOptional, name }) =>
    (!isNullable && !isOptional) || isStart(name) ? [name] : []
  )
  if (identity.length === 0) return yield* make(endpoint, params)
  yield* checkRoles(endpoint, params)
  const names = { entities: "", columns: undefined, start: "", end: "", endInclusive: "" }
  const subject: SeriesParams = {
    endpoint,
    entity: "",
    time: "time",
    identity,
    names: { ...names, limitPer: undefined, pageSize: undefined },
    every: undefined,
    page: 1_000,
    isList: true
  }
  return subject
})

/** Works out how an endpoint is asked for with these parameters. Fails where they can be no dataset. */
export const make = Effect.fnUntraced(function* (endpoint: Endpoint.Any, params: Schema.JsonObject) {
  const refuse = (setting: string, reason: string) => new BadDefinition({ endpoint: endpoint.path, setting, reason })
  const { parameters } = endpoint
  const lists = Parameter.withRole(parameters, "Entities").flatMap(({ name, role }) =>
    role._tag === "Entities" && role.field !== undefined ? [{ name, field: role.field }] : []
  )
  const [list] = lists
  const nameOf = (role: Parameter.RoleTag) => Parameter.find(parameters, role)?.name
  const start = Parameter.find(parameters, "Start", "time")?.name
  const end = Parameter.find(parameters, "End", "time")?.name
  const endInclusive = nameOf("EndInclusive")
  const isSeries = endpoint.order === "series" && list !== undefined
  if (!isSeries || start === undefined || end === undefined || endInclusive === undefined) {
    return yield* refuse("endpoint", "has no records of entities over time")
  }
  yield* checkRoles(endpoint, params)
  const named = Params.items(params[list.name])
  if (named.length === 0) return yield* refuse(list.name, "names nothing to keep")
  const foreign = named.find((name) => name.includes(":"))
  if (foreign !== undefined)
    return yield* refuse(list.name, `has "${foreign}", a provider's name; use the service's own, as the records do`)
  const frequency = Parameter.frequencyOf(endpoint, params) ?? ""
  if (Parameter.isPerBlock(frequency)) {
    return yield* refuse(
      nameOf("Frequency") ?? "frequency",
      "is by blocks, whose times may go back; choose one of time"
    )
  }
  const size = Parameter.find(parameters, "PageSize")
  const hasPages = !Parameter.isStreamOnly(parameters, Object.entries(params))
  const subject: SeriesParams = {
    endpoint,
    entity: list.field,
    time: "time",
    identity: Parameter.identityOf(endpoint, Object.entries(params)),
    names: {
      entities: list.name,
      columns: nameOf("Columns"),
      start,
      end,
      endInclusive,
      limitPer: hasPages ? nameOf("LimitPer") : undefined,
      pageSize: hasPages ? size?.name : undefined
    },
    every: everyOf(endpoint, params),
    page: size?.usual ?? 1_000
  }
  return subject
})

/** Whether a definition has entities by wildcards, so that a catalog says which they are. */
export const hasWildcards = ({ names }: SeriesParams, { params }: Pick<Definition, "params">): boolean =>
  Params.items(params[names.entities]).some((item) => item.includes("*"))

/** A text as a part of a regular expression. */
const escaped = (text: string): string => text.replaceAll(/\W/g, "\\$&")

/** Builds the test whether a definition has an entity, by its name or by a wildcard. */
export const wantedBy = (
  { names }: { readonly names: Pick<Names, "entities"> },
  { params }: Pick<Definition, "params">
) => {
  const patterns = Params.items(params[names.entities]).map((item) => item.split("*").map(escaped).join(".*"))
  const pattern = new RegExp(`^(?:${patterns.join("|")})$`)
  return (entity: string): boolean => pattern.test(entity)
}

/** Where the series of a definition begins; nothing from its first record. */
export const startOf = ({ names }: SeriesParams, { params }: Pick<Definition, "params">): Time | undefined => {
  const start = params[names.start]
  return Predicate.isString(start) ? start : undefined
}

/** The first time behind a request, as its parameters say it; nothing where they do not. */
export const endOf = ({ names }: SeriesParams, params: Readonly<Record<string, unknown>>): Time | undefined => {
  const given = params[names.end]
  if (!Predicate.isString(given)) return undefined
  const end = Timestamp.toRangeEnd(given, params[names.endInclusive] !== false)
  return Result.getOrUndefined(
    Result.map(end, ({ isIncluded, nanos }) => Timestamp.fromEpochNanos(isIncluded ? nanos + 1n : nanos))
  )
}

/** The metrics that the definition of an endpoint has, retired ones too; empty where it has none to choose. */
export const metricsOf = (endpoint: Endpoint.Any, { params }: Pick<Definition, "params">): ReadonlyArray<string> => {
  const name = Parameter.find(endpoint.parameters, "Columns")?.name
  return name === undefined ? [] : Params.items(params[name])
}

/** The metrics that a definition asks for; empty where the endpoint has none to choose. */
export const columnsOf = (
  { names }: SeriesParams,
  { params, retired = [] }: Pick<Definition, "params" | "retired">
): ReadonlyArray<string> =>
  names.columns === undefined ? [] : Params.items(params[names.columns]).filter((name) => !retired.includes(name))

/** The parameters of a definition with the metrics that it asks for. */
export const askedOf = (
  subject: SeriesParams,
  definition: Pick<Definition, "params" | "retired">
): Schema.JsonObject => {
  const { columns } = subject.names
  if (columns === undefined || definition.retired === undefined) return definition.params
  return { ...definition.params, [columns]: columnsOf(subject, definition) }
}

/** Checks parameters, and gives them as they are kept: lists as arrays without repeats, the start as the service writes times. */
export const normalize = Effect.fnUntraced(function* (
  endpoint: Endpoint.Any,
  given: Readonly<Record<string, unknown>>
) {
  const parts: ReadonlyArray<Bulk.Part> = yield* Bulk.split(endpoint, given)
  const params = parts[0]?.params ?? {}
  const names = new Map([...endpoint.parameters.values()].map(({ name, role }) => [name, role]))
  // What a word needs beside it is asked for with each request.
  const kept = Object.entries(params).filter(([name]) => Object.hasOwn(given, name))
  const entries = kept.map(([name, value]): readonly [string, Schema.Json] => {
    const role = names.get(name)
    if (role?._tag === "Start" && role.unit === "time" && Predicate.isString(value)) return [name, Keys.normal(value)]
    if (!Array.isArray(value)) return [name, value]
    const items = [...new Set(Params.items(value))]
    // The order of columns is that of the request; that of entities says nothing.
    return [name, role?._tag === "Entities" ? items.toSorted() : items]
  })
  return Object.fromEntries(entries) satisfies Schema.JsonObject
})

const day = 86_400_000

/** How far back a run looks where nothing else is said. */
export const usualLookBack = (every: number | undefined): number => {
  if (every === undefined || every < 60_000) return 120_000
  if (every < 3_600_000) return 3_600_000
  return every < day ? day : 7 * day
}
