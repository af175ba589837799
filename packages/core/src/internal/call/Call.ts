/**
 * One call of an endpoint as a value: the parameters given, and what the endpoint declares about them.
 *
 * Other modules find the range, the entities or the page of a call by the role of a parameter, never by its name. A change
 * returns a new call. A call becomes text in one place, where its request is sent.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Parameter from "../../Parameter.ts"
import * as Params from "../../Params.ts"
import * as Timestamp from "../../Timestamp.ts"

/** What a call needs to know about its endpoint. Every `Endpoint.Info` is one. */
export interface EndpointInfo {
  /** Path below the root. */
  readonly path: string
  readonly parameters: Parameter.Parameters
  readonly order: "list" | "series"
  readonly identity?: ReadonlyArray<string> | undefined
  readonly pageSize: number | undefined
}

export interface Call {
  readonly endpoint: EndpointInfo
  /** The values given, by the names of the wire, in the order they are sent. Lists are arrays of their items. */
  readonly values: ReadonlyMap<string, Schema.Json>
}

/**
 * Builds a call from checked parameters, and from others that are sent unchecked. Adds what a word of a parameter needs beside
 * it.
 */
export const make = (
  endpoint: EndpointInfo,
  params: object = {},
  others: Readonly<Record<string, string>> = {}
): Call => {
  const given = [...Object.entries(params), ...Object.entries(others)].filter(([, value]) => value !== undefined)
  const isList = (name: string) => endpoint.parameters.get(name)?.isList === true
  const values = new Map(given.map(([name, value]) => [name, isList(name) ? Params.items(value) : value]))
  for (const { needs } of Parameter.variantsOf(endpoint.parameters, given)) {
    for (const [name, [first]] of Object.entries(needs)) if (!values.has(name)) values.set(name, first)
  }
  return { endpoint, values }
}

/**
 * Encodes the query of a call as the service reads it: lists joined by commas, text such as a token unchanged. The end of a
 * range is a moment: whether the service reads a date there as a whole day is not certain.
 */
export const toQuery = (call: Call): Params.Query =>
  [...withMoment(call).values].flatMap(([name, value]) =>
    roleOf(call, name) === "Path" ? [] : [[name, toText(value)] as const]
  )

/** Replaces a date as the end of the range. Without a `Z`, as the date was: where the call names a zone, it is of that zone. */
const withMoment = (call: Call): Call => {
  const [name = "", flag] = [nameOf(call, "End", "time"), nameOf(call, "EndInclusive")]
  const end = String(call.values.get(name)).includes("T") ? undefined : rangeOf(call).end
  if (end === undefined) return call
  const moment = Timestamp.fromEpochNanos(flag === undefined ? end.nanos - 1n : end.nanos)
  return set(call, { [name]: moment.replace(/(?:\.0+)?Z$/, ""), ...(flag !== undefined && { [flag]: false }) })
}

/** The path of a call, with its parts filled in. Checked parts are never empty and hold no half characters. */
export const toPath = ({ endpoint, values }: Call): string =>
  endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(toText(values.get(name) ?? "")))

const toText = (value: Schema.Json) =>
  Predicate.isObject(value) || Array.isArray(value) ? Params.items(value).join(",") : String(value)

export const paramsOf = ({ values }: Call): Readonly<Record<string, Schema.Json>> => Object.fromEntries(values)

/** Names of parameters that a service may offer before this library knows them. */
const usualNames: { readonly [Tag in Parameter.RoleTag]?: string } = {
  Format: "format",
  PageSize: "page_size",
  PageFrom: "paging_from",
  PageToken: "next_page_token"
}

/** The name of the parameter with this role; for a bound, of the one that counts in `unit`. */
export const nameOf = (
  { endpoint }: Pick<Call, "endpoint">,
  role: Parameter.RoleTag,
  unit?: Parameter.Unit
): string | undefined => Parameter.find(endpoint.parameters, role, unit)?.name ?? usualNames[role]

export const valueOf = (call: Call, role: Parameter.RoleTag, unit?: Parameter.Unit): Schema.Json | undefined => {
  const name = nameOf(call, role, unit)
  return name === undefined ? undefined : call.values.get(name)
}

const roleOf = ({ endpoint }: Call, name: string): Parameter.RoleTag =>
  endpoint.parameters.get(name)?.role._tag ?? "Other"

export const isStream = (call: Call): boolean => valueOf(call, "Format") === "json_stream"

/** Whether pages begin at the end of the range, so that records come in descending order. */
export const isFromEnd = (call: Call): boolean => valueOf(call, "PageFrom") === "end" && !isStream(call)

/**
 * Whether a limit counts the records of each entity. The service takes them from the end that `paging_from` names: the
 * earliest from `start`, the latest from `end`. A json_stream begins at the start, so the library never chooses it for such
 * a call (docs/interface.md 4.6.1).
 */
export const isLimited = (call: Call): boolean => valueOf(call, "LimitPer") !== undefined

/** Whether the caller set the size, the token or the direction of pages, or a limit: the call must be read as pages. */
export const setsPaging = (call: Call): boolean =>
  valueOf(call, "PageSize") !== undefined ||
  valueOf(call, "PageToken") !== undefined ||
  isFromEnd(call) ||
  isLimited(call)

/**
 * Where a call begins and ends in time, in nanoseconds since 1970; undefined where it has no such bound. In another zone than
 * UTC, as its clocks show it.
 */
export const rangeOf = (call: Call) => {
  const [start, end] = [valueOf(call, "Start", "time"), valueOf(call, "End", "time")]
  return {
    start: Predicate.isString(start) ? Result.getOrUndefined(Timestamp.toEpochNanos(start)) : undefined,
    end: Predicate.isString(end) ? Result.getOrUndefined(Timestamp.toRangeEnd(end, !excludesEnd(call))) : undefined
  }
}

export const excludesEnd = (call: Call): boolean => valueOf(call, "EndInclusive") === false

export const isPerBlock = (call: Call): boolean => Parameter.isPerBlock(valueOf(call, "Frequency"))

/** How far apart records are; undefined where the call names no frequency. */
export const stepOf = (call: Call): Parameter.Step | undefined => Parameter.stepOf(String(valueOf(call, "Frequency")))

export const isUtc = (call: Call): boolean => (valueOf(call, "TimeZone") ?? "UTC") === "UTC"

/** The name of the parameter with this role, if a value is given for it. */
export const givenName = (call: Call, role: Parameter.RoleTag): string | undefined =>
  valueOf(call, role) === undefined ? undefined : nameOf(call, role)

/** Whether a limit counts the records of the whole request. */
export const hasLimit = (call: Call): boolean => (valueOf(call, "Limit") ?? "none") !== "none"

/**
 * Whether a part of the range may have other records than the whole call has there: because a parameter counts records,
 * adds some at the start, begins in the middle of them, or is unknown here.
 */
export const isIndivisible = (call: Call): boolean =>
  hasLimit(call) ||
  [...call.values.keys()].some((name) => ["LimitPer", "Opening", "PageToken", "Other"].includes(roleOf(call, name)))

/** Sets values, each at the position of the previous value or at the end. */
export const set = (call: Call, values: Readonly<Record<string, Schema.Json>>): Call => ({
  ...call,
  values: new Map([...call.values, ...Object.entries(values)])
})

export const without = (call: Call, ...roles: ReadonlyArray<Parameter.RoleTag>): Call => {
  const names = new Set(roles.map((role) => nameOf(call, role)))
  const isKept = ([name]: readonly [string, unknown]) => !roles.includes(roleOf(call, name)) && !names.has(name)
  return { ...call, values: new Map([...call.values].filter(isKept)) }
}

/** Sets the parameter with a role, at the end. Does nothing where the endpoint has no such parameter. */
const append = (call: Call, role: Parameter.RoleTag, value: Schema.Json | undefined): Call => {
  const name = nameOf(call, role)
  return name === undefined || value === undefined ? call : set(without(call, role), { [name]: value })
}

/** The most records on one of its pages; absent where all come in one reply. */
export const maxPageSize = ({ endpoint, values }: Call): number | undefined => {
  if (endpoint.pageSize === undefined) return undefined
  const sizes = [...values].map(([name, value]) => endpoint.parameters.get(name)?.pageSizes.get(String(value)))
  return Math.min(endpoint.pageSize, ...sizes.filter((size) => size !== undefined))
}

/**
 * The records on a page of a call that does not say how many: as many as may be, unless the endpoint asks for fewer. Absent
 * where a page has no size to ask for.
 */
export const usualPageSize = (call: Call): number | undefined => {
  const parameter = Parameter.find(call.endpoint.parameters, "PageSize")
  const largest = maxPageSize(call)
  if (parameter === undefined || largest === undefined) return undefined
  return parameter.usual === undefined ? largest : Math.min(largest, parameter.usual)
}

/** The call as one without a size of its pages, which the service then chooses. */
export const withoutPageSize = (call: Call): Call => {
  const { endpoint } = call
  const parameters = new Map([...endpoint.parameters].filter(([, { role }]) => role._tag !== "PageSize"))
  return { ...without(call, "PageSize"), endpoint: { ...endpoint, parameters } }
}

/**
 * Turns a call into one for pages: of the usual size and, for a series, from its start, unless it sets these; no token. A
 * limit means the latest records, so its pages begin at the end.
 */
export const asPages = (call: Call): Call => {
  const { endpoint } = call
  const first = isLimited(call) ? "end" : "start"
  const from = valueOf(call, "PageFrom") ?? (endpoint.order === "series" ? first : undefined)
  const size = append({ endpoint, values: new Map() }, "PageSize", valueOf(call, "PageSize") ?? usualPageSize(call))
  const rest = without(call, "PageSize", "PageToken")
  return append({ endpoint, values: new Map([...size.values, ...rest.values]) }, "PageFrom", from)
}

export const fromToken = (call: Call, token: string): Call => append(call, "PageToken", token)

/**
 * Turns a json_stream into pages that tell its last record: one of it alone from the end. With a limit that is the last of
 * others, so they are all its records, from the start.
 */
export const toLastRecord = (call: Call): Call => {
  const plain = without(call, "Format", "PageSize", "PageFrom", "PageToken")
  return isLimited(call) ? append(plain, "PageFrom", "start") : append(append(plain, "PageSize", 1), "PageFrom", "end")
}
