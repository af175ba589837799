/**
 * The parameters of an endpoint as flags, made from their schema.
 *
 * A flag only reads what the shell gives: text, a whole number, `true` or `false`, one of some words. Ranges and the rules
 * between parameters stay with the endpoint, whose answer names the parameter.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Descriptions from "./Descriptions.ts"

/** What a parameter takes. */
export interface Shape {
  readonly kind: "text" | "integer" | "boolean"
  /** Whether it may be given several times, or as a comma list. */
  readonly isList: boolean
  readonly isRequired: boolean
  /** Words it knows. */
  readonly words: ReadonlyArray<string>
  /** Whether it takes no others. */
  readonly isClosed: boolean
}

/** The flags of an endpoint's parameters, by the wire's name. */
export type Flags = Readonly<Record<string, Flag.Flag<Option.Option<unknown>>>>

/** Parameters the command line decides itself: how records travel is no matter of the caller. */
const own: ReadonlySet<string> = new Set(["format"])

/** Of no use to a program, and so not shown; read all the same. */
export const hidden: ReadonlySet<string> = new Set(["pretty"])

/** The parameters of an endpoint with what they take. */
export const shapesOf = ({ params }: Endpoint.Info): ReadonlyMap<string, Shape> => {
  const fields = Predicate.hasProperty(params, "fields") && Predicate.isObject(params.fields) ? params.fields : {}
  return new Map(
    Object.entries(fields).flatMap(([name, schema]) =>
      own.has(name) || !Schema.isSchema(schema) ? [] : [[name, shapeOf(schema)] as const]
    )
  )
}

/** Builds the flags; `described` says in help what each of them means. */
export const flagsOf = (
  shapes: ReadonlyMap<string, Shape>,
  described: ReadonlyArray<Descriptions.Parameter> = []
): Flags => {
  const meanings = new Map(described.map((parameter) => [parameter.name, parameter]))
  return Object.fromEntries([...shapes].map(([name, shape]) => [name, flagOf(name, shape, meanings.get(name))]))
}

/** What was given, as the endpoint takes it. */
export const given = (values: Readonly<Record<string, Option.Option<unknown>>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  )

/** The other spelling of a name. */
export const kebab = (name: string): string => name.replaceAll("_", "-")

const flagOf = (name: string, shape: Shape, described: Descriptions.Parameter | undefined) => {
  const value = valueOf(name, shape)
  const flag = shape.kind === "boolean" ? value : Flag.withMetavar(value, metavarOf(shape, described))
  const named = kebab(name) === name ? flag : Flag.withAlias(flag, kebab(name))
  const shown = hidden.has(name) ? Flag.withHidden(named) : named
  return described === undefined ? shown : Flag.withDescription(shown, explain(shape, described))
}

const valueOf = (name: string, { isClosed, isList, kind, words }: Shape): Flag.Flag<Option.Option<unknown>> => {
  if (kind === "boolean") return Flag.optional(Flag.Boolean(name))
  if (isList) {
    return Flag.String(name).pipe(
      Flag.atLeast(0),
      Flag.map((items) => (items.length === 0 ? Option.none() : Option.some(items.join(","))))
    )
  }
  const [first, ...more] = words
  if (kind === "integer" && first === undefined) return Flag.optional(Flag.Int(name))
  if (kind === "text" && isClosed && first !== undefined) return Flag.optional(Flag.Literals(name, [first, ...more]))
  return Flag.String(name).pipe(
    Flag.map((text): unknown => (kind === "integer" && /^-?\d+$/.test(text) ? Number(text) : text)),
    Flag.optional
  )
}

/** A parameter as help shows it, such as `--limit_per_asset <n>`. */
export const label = (shape: Shape, described: Descriptions.Parameter): string =>
  shape.kind === "boolean" ? `--[no-]${described.name}` : `--${described.name} ${metavarOf(shape, described)}`

const metavarOf = ({ isClosed, isList, kind, words }: Shape, described: Descriptions.Parameter | undefined) => {
  if (isList) return "<list>"
  const choice = words.join("|")
  if (isClosed && kind === "text" && words.length > 0 && isShort(words)) return `<${choice}>`
  if (kind === "integer") return words.length === 0 ? "<n>" : `<n|${choice}>`
  return described?.takes === "time" ? "<time>" : "<text>"
}

/** Words that a flag can show behind its name. */
const isShort = (words: ReadonlyArray<string>) => words.join("|").length < 30

/** What a parameter means, with what its name does not tell. */
export const explain = (
  { isClosed, isRequired, kind, words }: Shape,
  { means = "", takes }: Descriptions.Parameter
) => {
  const range = /[\d,]+ to [\d,]+/.exec(takes)?.[0]
  const unsaid = [
    ...(kind === "integer" && range !== undefined && !means.includes(range) && !range.includes("9,007") ? [range] : []),
    ...(words.length > 1 && kind === "text" && !(isClosed && isShort(words)) ? [words.join(", ")] : [])
  ]
  return [isRequired ? "Required." : "", means, unsaid.length === 0 ? "" : `(${unsaid.join("; ")})`]
    .filter((part) => part !== "")
    .join(" ")
}

interface Part {
  readonly kind: "text" | "integer" | "boolean" | "word" | "item" | "other"
  readonly word?: string
}

const shapeOf = (schema: Schema.Top): Shape => {
  const parts = partsOf(schema)
  const words = [...new Set(parts.flatMap(({ word }) => (word === undefined ? [] : [word])))]
  const has = (kind: Part["kind"]) => parts.some((part) => part.kind === kind)
  return {
    kind: has("boolean") ? "boolean" : has("integer") ? "integer" : "text",
    // A comma list is text of its own beside the list of its items.
    isList: has("item"),
    isRequired: schema.ast.context?.isOptional !== true,
    words,
    isClosed: !Schema.is(schema)("a word that is not known today")
  }
}

const isSchemas = (value: unknown): value is ReadonlyArray<Schema.Top> =>
  Array.isArray(value) && value.every(Schema.isSchema)

const partsOf = (schema: Schema.Top): ReadonlyArray<Part> => {
  if (Predicate.hasProperty(schema, "members") && isSchemas(schema.members)) return schema.members.flatMap(partsOf)
  if (Predicate.hasProperty(schema, "value") && Schema.isSchema(schema.value)) {
    return [{ kind: "item" }, ...partsOf(schema.value).filter(({ kind }) => kind === "word")]
  }
  if (Predicate.hasProperty(schema, "literals") && Array.isArray(schema.literals)) {
    return schema.literals.map((word) => ({ kind: "word", word: String(word) }))
  }
  if (Predicate.hasProperty(schema, "literal")) return [{ kind: "word", word: String(schema.literal) }]
  if (Predicate.hasProperty(schema, "schema") && Schema.isSchema(schema.schema)) return partsOf(schema.schema)
  const kinds: Readonly<Record<string, Part["kind"]>> = { String: "text", Boolean: "boolean", Number: "integer" }
  return [{ kind: kinds[schema.ast._tag] ?? "other" }]
}
