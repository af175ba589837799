/** The operations of the interface as the stand-in offers them, and the check of a query (docs/interface.md 4). */
import * as Effect from "effect/Effect"
import type { Operation } from "#interface/Operation"
import type { Parameter } from "#interface/Parameter"
import * as Table from "#interface/Table"
import * as Query from "./Query.ts"
import * as Refusal from "./Refusal.ts"

/** Without csv, which it does not write, and so without `format` where nothing remains to choose. */
const offered = (operation: Operation): Operation => {
  const { format, ...others } = operation.parameters
  const words = format?.words.filter((word) => word !== "csv") ?? []
  const parameters = format === undefined || words.length < 2 ? others : { ...others, format: { ...format, words } }
  return { ...operation, parameters }
}

export const find = (path: string): Operation => offered(Table.find(path))

export const words = (path: string, name: string): ReadonlyArray<string> =>
  Table.find(path).parameters[name]?.words ?? []

/** Every parameter that an operation takes beside those of its path. */
export const known = ({ parameters }: Operation): ReadonlyArray<string> => [
  "api_key",
  ...Object.keys(parameters).filter((name) => parameters[name]?.isPath === false)
]

export const isStream = ({ parameters }: Operation, query: Query.Query): boolean =>
  parameters["format"] !== undefined && query.get("format") === "json_stream"

export const disabled = ({ parameters }: Operation): ReadonlyArray<string> =>
  Object.keys(parameters).filter((name) => parameters[name]?.community === "disabled")

const integer = (name: string, text: string, { maximum = Number.MAX_SAFE_INTEGER, minimum = 0 }: Parameter) => {
  if (!/^[+-]?\d{1,18}$/.test(text)) return Refusal.unsupported(name, text)
  if (Number(text) < minimum) return Refusal.badParameter(name, `Must be at least ${minimum}.`)
  return Number(text) > maximum ? Refusal.badParameter(name, `Must be at most ${maximum}.`) : undefined
}

/** Why a value is refused; the words of the service are known for an unsupported value alone. */
const wrong = (name: string, text: string, parameter: Parameter, isCommunity: boolean): Refusal.Refusal | undefined => {
  const { community, isClosed, isList, isRequired, kind, words } = parameter
  const items = isList ? Query.items(text) : [text]
  if (isRequired && items.length === 0) return Refusal.missing(name)
  if (isCommunity && community === "one item" && items.length > 1)
    return Refusal.badParameter(name, "Must be one item.")
  if (kind === "integer") return words.includes(text) ? undefined : integer(name, text, parameter)
  const allowed = kind === "boolean" ? ["true", "false"] : words
  const unknown =
    kind === "boolean" || (kind === "word" && isClosed) ? items.find((item) => !allowed.includes(item)) : undefined
  return unknown === undefined ? undefined : Refusal.unsupported(name, unknown)
}

/** What the form of the reply follows from, which has no defaults here: other parameters ask whether it was given. */
const ofReply = new Set(["page_size", "paging_from", "format"])

/** Refuses a query that gives none of the sets of which it must give one, or not all of it, or several. */
const unchosen = ({ choice }: Operation, query: Query.Query): Refusal.Refusal | undefined => {
  const given = choice.filter((set) => set.some((name) => query.has(name)))
  const [first = choice[0] ?? [], second] = given
  if (second !== undefined) return Refusal.exclusive(second[0] ?? "", first[0] ?? "")
  const lonely = first.find((name) => !query.has(name))
  return lonely === undefined ? undefined : Refusal.missing(lonely)
}

/** Checks the parameters of a query one by one, adds the defaults of those that are absent, and drops what is no parameter. */
export const read = (
  operation: Operation,
  query: Query.Query,
  isCommunity = false
): Effect.Effect<Query.Query, Refusal.Refusal> => {
  const filled = new Map([...query].filter(([name]) => Object.hasOwn(operation.parameters, name)))
  for (const [name, parameter] of Object.entries(operation.parameters)) {
    if (parameter.isPath) continue
    const text = query.get(name)
    if (text === undefined && parameter.isRequired) return Effect.fail(Refusal.missing(name))
    const refusal = text === undefined ? undefined : wrong(name, text, parameter, isCommunity)
    if (refusal !== undefined) return Effect.fail(refusal)
    const other = text === undefined ? undefined : parameter.excludes.find((name) => query.has(name))
    if (other !== undefined) return Effect.fail(Refusal.exclusive(other, name))
    if (text === undefined && parameter.default !== undefined && !ofReply.has(name))
      filled.set(name, String(parameter.default))
  }
  const refusal = unchosen(operation, query)
  return refusal === undefined ? Effect.succeed(filled) : Effect.fail(refusal)
}
