/**
 * One call of an endpoint as a value: what is asked, and what the endpoint's parameters say of it.
 *
 * Whoever needs its range, its entities or its pages asks for the role of a parameter, and changes give another call. It
 * becomes text in one place, where its request is sent.
 */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Parameter from "../../Parameter.ts"
import * as Params from "../../Params.ts"

/** What a call has to know of its endpoint; every endpoint is one. */
export interface Target {
  /** Path below the root. */
  readonly path: string
  readonly parameters: Parameter.Parameters
  readonly order: "list" | "series"
  readonly pageSize: number | undefined
}

/** A call of an endpoint. */
export interface Call {
  readonly endpoint: Target
  /** What is given, by the wire's names and in the order it is sent: lists as arrays of their items. */
  readonly values: ReadonlyMap<string, Schema.Json>
}

/** Builds a call of checked parameters, and of others that are sent as they are. */
export const make = (endpoint: Target, params: object = {}, others: Readonly<Record<string, string>> = {}): Call => {
  const given = [...Object.entries(params), ...Object.entries(others)].filter(([, value]) => value !== undefined)
  const isList = (name: string) => endpoint.parameters.get(name)?.isList === true
  return { endpoint, values: new Map(given.map(([name, value]) => [name, isList(name) ? Params.items(value) : value])) }
}

/** Writes a call as the service reads it: lists joined by commas. A token, say, is not ours to tidy: text goes as it is. */
export const toQuery = ({ values }: Call): Params.Query => [...values].map(([name, value]) => [name, written(value)])

const written = (value: Schema.Json) =>
  Predicate.isObject(value) || Array.isArray(value) ? Params.items(value).join(",") : String(value)

/** What is given as plain data, to be written down. */
export const paramsOf = ({ values }: Call): Readonly<Record<string, Schema.Json>> => Object.fromEntries(values)

/** Names of what a service may offer before this library knows it: a format, or pages. */
const usual: { readonly [Tag in Parameter.RoleTag]?: string } = {
  Format: "format",
  PageSize: "page_size",
  PageFrom: "paging_from",
  PageToken: "next_page_token"
}

/** The name of the parameter with this role; of a bound that is counted in `unit`. */
export const nameOf = (
  { endpoint }: Pick<Call, "endpoint">,
  role: Parameter.RoleTag,
  unit?: Parameter.Unit
): string | undefined => Parameter.find(endpoint.parameters, role, unit)?.name ?? usual[role]

/** The value of the parameter with this role; absent where it is not given. */
export const valueOf = (call: Call, role: Parameter.RoleTag, unit?: Parameter.Unit): Schema.Json | undefined => {
  const name = nameOf(call, role, unit)
  return name === undefined ? undefined : call.values.get(name)
}

/** The role of what is given under a name. */
const roleOf = ({ endpoint }: Call, name: string): Parameter.RoleTag =>
  endpoint.parameters.get(name)?.role._tag ?? "Other"

/** Whether its records come in one reply, a line each. */
export const isStream = (call: Call): boolean => valueOf(call, "Format") === "json_stream"

/** Whether its pages begin at the end of the range, so that its records come in descending order. */
export const isFromEnd = (call: Call): boolean => valueOf(call, "PageFrom") === "end" && !isStream(call)

/** Whether it says how its pages are, so that it is to be read as pages. */
export const isAboutPages = (call: Call): boolean =>
  valueOf(call, "PageSize") !== undefined || valueOf(call, "PageToken") !== undefined || isFromEnd(call)

/** Whether there is one record per block. */
export const isPerBlock = (call: Call): boolean => valueOf(call, "Frequency") === "1b"

/** Whether times are those of UTC. */
export const isUtc = (call: Call): boolean => (valueOf(call, "TimeZone") ?? "UTC") === "UTC"

/** The name of the parameter with this role, where it is given. */
export const given = (call: Call, role: Parameter.RoleTag): string | undefined =>
  valueOf(call, role) === undefined ? undefined : nameOf(call, role)

/** Whether a number limits its records as a whole. */
export const isCounted = (call: Call): boolean => (valueOf(call, "Limit") ?? "none") !== "none"

/**
 * Whether its records depend on the whole of it: something counts them, begins inside of them, or is not known here. Of
 * any other call a part of the range has the records that the whole has there.
 */
export const isWhole = (call: Call): boolean =>
  isCounted(call) ||
  [...call.values.keys()].some((name) => ["LimitPer", "PageToken", "Other"].includes(roleOf(call, name)))

/** Gives a call other values, each in the place of the former or at the end. */
export const set = (call: Call, values: Readonly<Record<string, Schema.Json>>): Call => ({
  ...call,
  values: new Map([...call.values, ...Object.entries(values)])
})

/** Takes out what has these roles. */
export const without = (call: Call, ...roles: ReadonlyArray<Parameter.RoleTag>): Call => {
  const names = new Set(roles.map((role) => nameOf(call, role)))
  const stays = ([name]: readonly [string, unknown]) => !roles.includes(roleOf(call, name)) && !names.has(name)
  return { ...call, values: new Map([...call.values].filter(stays)) }
}

/** Sets what has a role, at the end; nothing where the endpoint has no such parameter. */
const append = (call: Call, role: Parameter.RoleTag, value: Schema.Json | undefined): Call => {
  const name = nameOf(call, role)
  return name === undefined || value === undefined ? call : set(without(call, role), { [name]: value })
}

/** The call as pages of the largest size there is, a series from its start, unless it says otherwise; without a token. */
export const paged = (call: Call): Call => {
  const { endpoint } = call
  const from = valueOf(call, "PageFrom") ?? (endpoint.order === "series" ? "start" : undefined)
  const size = append({ endpoint, values: new Map() }, "PageSize", valueOf(call, "PageSize") ?? endpoint.pageSize)
  const rest = without(call, "PageSize", "PageToken")
  return append({ endpoint, values: new Map([...size.values, ...rest.values]) }, "PageFrom", from)
}

/** The call from the page of a token on. */
export const fromToken = (call: Call, token: string): Call => append(call, "PageToken", token)

/** The last record of a call, as a page of its own. */
export const lastOf = (call: Call): Call => {
  const plain = without(call, "Format", "PageSize", "PageFrom", "PageToken")
  return append(append(plain, "PageSize", 1), "PageFrom", "end")
}
