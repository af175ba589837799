/**
 * The parameters of an endpoint as flags, made from what they say of themselves.
 *
 * A flag only reads what the shell gives: text, a whole number, `true` or `false`, one of some words. Ranges and the rules
 * between parameters stay with the endpoint, whose answer names the parameter.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import type * as Parameter from "@sluice/core/Parameter"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type * as Descriptions from "./Descriptions.ts"

/** The flags of an endpoint's parameters, by the wire's name. */
export type Flags = Readonly<Record<string, Flag.Flag<Option.Option<unknown>>>>

/** The parameters of an endpoint but for the format: how records travel is no matter of the caller. */
export const of = ({ parameters }: Endpoint.Info): Parameter.Parameters =>
  new Map([...parameters].filter(([, { role }]) => role._tag !== "Format"))

/** Of no use to a program, and so not shown; read all the same. */
export const isHidden = ({ role }: Parameter.Parameter): boolean => role._tag === "Layout"

/** Builds the flags; `described` says in help what each of them means. */
export const flagsOf = (
  parameters: Parameter.Parameters,
  described: ReadonlyArray<Descriptions.Parameter> = []
): Flags => {
  const meanings = new Map(described.map((one) => [one.name, one]))
  return Object.fromEntries([...parameters].map(([name, parameter]) => [name, flagOf(parameter, meanings.get(name))]))
}

/** What was given, as the endpoint takes it. */
export const given = (values: Readonly<Record<string, Option.Option<unknown>>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  )

/** The other spelling of a name. */
export const kebab = (name: string): string => name.replaceAll("_", "-")

const flagOf = (parameter: Parameter.Parameter, described: Descriptions.Parameter | undefined) => {
  const { name } = parameter
  const value = valueOf(parameter)
  const flag = parameter.kind === "boolean" ? value : Flag.withMetavar(value, metavarOf(parameter))
  const named = kebab(name) === name ? flag : Flag.withAlias(flag, kebab(name))
  const shown = isHidden(parameter) ? Flag.withHidden(named) : named
  return described === undefined ? shown : Flag.withDescription(shown, explain(parameter, described.means))
}

const valueOf = ({ isClosed, isList, kind, name, words }: Parameter.Parameter): Flag.Flag<Option.Option<unknown>> => {
  if (kind === "boolean") return Flag.optional(Flag.Boolean(name))
  if (isList) {
    return Flag.String(name).pipe(
      Flag.atLeast(0),
      Flag.map((items) => (items.length === 0 ? Option.none() : Option.some(items.join(","))))
    )
  }
  const [first, ...more] = words
  if (kind === "integer" && first === undefined) return Flag.optional(Flag.Int(name))
  if (kind === "word" && isClosed && first !== undefined) return Flag.optional(Flag.Literals(name, [first, ...more]))
  return Flag.String(name).pipe(
    Flag.map((text): unknown => (kind === "integer" && /^-?\d+$/.test(text) ? Number(text) : text)),
    Flag.optional
  )
}

/** A parameter as help shows it, such as `--limit_per_asset <n>`. */
export const label = (parameter: Parameter.Parameter): string =>
  parameter.kind === "boolean" ? `--[no-]${parameter.name}` : `--${parameter.name} ${metavarOf(parameter)}`

const metavarOf = (parameter: Parameter.Parameter) => {
  const { isList, kind, words } = parameter
  if (isList) return "<list>"
  if (isChoice(parameter)) return `<${words.join("|")}>`
  if (kind === "integer") return `<${["n", ...words].join("|")}>`
  return kind === "time" ? "<time>" : "<text>"
}

/** Whether its words are few enough to stand behind the name of a flag. */
const isChoice = ({ isClosed, kind, words }: Parameter.Parameter) =>
  kind === "word" && isClosed && words.join("|").length < 30

/** What a parameter means, with what its name does not tell. */
export const explain = (parameter: Parameter.Parameter, means = ""): string => {
  const { isRequired, kind, words } = parameter
  const range = rangeOf(parameter)
  const unsaid = [
    ...(range !== undefined && !means.includes(range) ? [range] : []),
    ...(words.length > 1 && kind === "word" && !isChoice(parameter) ? [words.join(", ")] : [])
  ]
  return [isRequired ? "Required." : "", means, unsaid.length === 0 ? "" : `(${unsaid.join("; ")})`]
    .filter((part) => part !== "")
    .join(" ")
}

/** The numbers it takes, where more than the whole numbers there are limits them. */
const rangeOf = ({ maximum, minimum }: Parameter.Parameter) =>
  minimum === undefined || maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? undefined
    : `${minimum.toLocaleString("en")} to ${maximum.toLocaleString("en")}`
