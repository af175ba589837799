/**
 * The parameters of an endpoint as flags.
 *
 * A flag only reads text, a whole number, `true` or `false`, or one of several words. The endpoint checks ranges and
 * rules between parameters, and its errors name the parameter.
 */
import type * as Parameter from "@sluice/core/Parameter"
import * as Flag from "effect/cli/Flag"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { optional } from "../settings/FlagKinds.ts"
import type * as Descriptions from "./Descriptions.ts"

/** The flags of an endpoint's parameters, by the wire's name. */
export type Flags = Readonly<Record<string, Flag.Flag<unknown>>>

/** The parameters of an endpoint except the format of replies, which the program chooses. */
export const of = ({ parameters }: { readonly parameters: Parameter.Parameters }): Parameter.Parameters =>
  new Map([...parameters].filter(([, { role }]) => role._tag !== "Format"))

/** Commands with a flag `--limit` of their own, which they pass to an endpoint that has such a parameter. */
const limiting: ReadonlySet<string | undefined> = new Set(["get", "plot"])

/** The same for a command. */
export const ofCommand = (
  command: string | undefined,
  endpoint: { readonly parameters: Parameter.Parameters }
): Parameter.Parameters =>
  new Map([...of(endpoint)].filter(([, { role }]) => !limiting.has(command) || role._tag !== "Limit"))

/** Whether help leaves a parameter out, because it is of no use here. It is accepted all the same. */
export const isHidden = ({ role }: Parameter.Parameter): boolean => role._tag === "Layout"

/** Builds the flags; `described` has their descriptions for help. */
export const flagsOf = (
  parameters: Parameter.Parameters,
  described: ReadonlyArray<Descriptions.Parameter> = []
): Flags => {
  const meanings = new Map(described.map((one) => [one.name, one]))
  return Object.fromEntries([...parameters].map(([name, parameter]) => [name, flagOf(parameter, meanings.get(name))]))
}

/** The values that were given, as the endpoint takes them. */
export const given = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Record.filter(values, Predicate.isNotUndefined)

/** A name with hyphens in place of underscores. */
export const kebab = (name: string): string => name.replaceAll("_", "-")

const flagOf = (parameter: Parameter.Parameter, described: Descriptions.Parameter | undefined) => {
  const { name } = parameter
  const value = valueOf(parameter)
  const flag = parameter.kind === "boolean" ? value : Flag.withMetavar(value, metavarOf(parameter))
  const named = kebab(name) === name ? flag : Flag.withAlias(flag, kebab(name))
  const shown = isHidden(parameter) ? Flag.withHidden(named) : named
  return described === undefined ? shown : Flag.withDescription(shown, explain(parameter, described.means))
}

const valueOf = ({ isClosed, isList, kind, name, words }: Parameter.Parameter): Flag.Flag<unknown> => {
  if (kind === "boolean") return optional(Flag.Boolean(name))
  if (isList) {
    return Flag.String(name).pipe(
      Flag.atLeast(0),
      Flag.map((items) => (items.length === 0 ? undefined : items.join(",")))
    )
  }
  if (kind === "integer" && words.length === 0) return optional(Flag.Int(name))
  if (kind === "word" && isClosed && words.length > 0) return optional(Flag.Literals(name, words))
  return Flag.String(name).pipe(
    Flag.map((text) => (kind === "integer" && /^-?\d+$/.test(text) ? Number(text) : text)),
    optional
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

/** Whether its words are short enough to be shown behind the name of the flag. */
const isChoice = ({ isClosed, kind, words }: Parameter.Parameter) =>
  kind === "word" && isClosed && words.join("|").length < 30

/** Switches as flags: the comments of core write them as a program does. */
const asFlags = (text: string) =>
  text.replaceAll(/`(\w+): (true|false)`/g, (_, name: string, value: string) =>
    value === "true" ? `\`--${name}\`` : `\`--no-${name}\``
  )

/** Leaves out sentences about json_stream: the command chooses the format of replies by itself. */
export const withoutFormat = (text: string): string =>
  text
    .split(/(?<=\.)\s+/)
    .filter((sentence) => !sentence.includes("json_stream"))
    .join(" ")

/** What a parameter means, with its range and words where the meaning lacks them. */
export const explain = (parameter: Parameter.Parameter, description = ""): string => {
  const { isRequired, kind, words } = parameter
  const means = withoutFormat(asFlags(description))
  const range = rangeOf(parameter)
  const missing = [
    ...(range !== undefined && !means.includes(range) ? [range] : []),
    ...(kind === "time" ? ["also -30d, -6h, yesterday, now"] : []),
    ...(words.length > 1 && kind === "word" && !isChoice(parameter) ? [words.join(", ")] : [])
  ]
  return [isRequired ? "Required." : "", means, missing.length === 0 ? "" : `(${missing.join("; ")})`]
    .filter((part) => part !== "")
    .join(" ")
}

/** The range of its numbers; nothing where any safe integer is allowed. */
const rangeOf = ({ maximum, minimum }: Parameter.Parameter) =>
  minimum === undefined || maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? undefined
    : `${minimum.toLocaleString("en")} to ${maximum.toLocaleString("en")}`
