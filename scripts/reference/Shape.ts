/**
 * Schemas in words: what a field holds in JSON, and what a parameter takes in the query.
 *
 * The words come from the schema value that the library checks with, so they cannot say anything else than it does.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Decimal } from "../../packages/core/src/Decimal.ts"
import * as Params from "../../packages/core/src/Params.ts"
import { Timestamp } from "../../packages/core/src/Timestamp.ts"

/** A struct schema. */
export type Struct = Schema.Struct<Schema.Struct.Fields>

/** Says what a schema is that there are no words for. */
export class NoWords extends Error {}

/** Tells structs from other values. */
export const isStruct = (value: unknown): value is Struct =>
  Schema.isSchema(value) && Predicate.hasProperty(value, "fields") && value.ast._tag === "Objects"

/** Tells whether two structs have the very same fields. */
export const isSame = (one: Struct, other: unknown): boolean =>
  isStruct(other) &&
  Object.keys(other.fields).length === Object.keys(one.fields).length &&
  Object.entries(one.fields).every(([name, field]) => other.fields[name] === field)

/** Words for a schema. */
export interface Shape {
  readonly words: string
  /** Whether it may be absent. */
  readonly optional: boolean
  /** Whether it may be null. */
  readonly nullable: boolean
  /** The struct it holds, by itself or in a list. */
  readonly struct: Struct | undefined
}

type Part =
  | { readonly kind: "plain"; readonly words: string }
  | { readonly kind: "literal"; readonly word: string }
  | { readonly kind: "list"; readonly item: Schema.Top }
  | { readonly kind: "struct"; readonly struct: Struct }
  | { readonly kind: "null" | "undefined" }

/** Parameters whose schema is one value for all, as the wire has them. */
const parameters = new Map<unknown, { readonly name: string; readonly words: string }>([
  [Params.string, { name: "string", words: "text" }],
  [Params.list, { name: "list", words: "comma list" }],
  [Params.requiredList, { name: "requiredList", words: "comma list" }],
  [Params.requiredIdentified, { name: "requiredIdentified", words: "comma list" }],
  [Params.identifiers, { name: "identifiers", words: "comma list of identifiers" }],
  [Params.boolean, { name: "boolean", words: "`true` or `false`" }],
  [Params.time, { name: "time", words: "time" }]
])

/** Words that need a word more, with the constant of `Params.ts` whose comment has it. */
export const legend = [...parameters.values()].filter(({ name }) => ["list", "identifiers", "time"].includes(name))

/** What a parameter takes. Throws as {@link of} does. */
export const ofParameter = (schema: Schema.Top): Shape => {
  const known = parameters.get(schema)
  return known === undefined
    ? of(schema)
    : { words: known.words, optional: schema.ast.context?.isOptional === true, nullable: false, struct: undefined }
}

/** What a field of a record holds. Throws {@link NoWords} where there are none. */
export const of = (schema: Schema.Top): Shape => {
  const parts = partsOf(schema)
  const structs = structsOf(parts)
  if (structs.length > 1) throw new NoWords("more than one kind of object")
  return {
    words: wordsOf(schema, parts),
    optional: schema.ast.context?.isOptional === true,
    nullable: parts.some(({ kind }) => kind === "null"),
    struct: structs[0]
  }
}

const structsOf = (parts: ReadonlyArray<Part>): ReadonlyArray<Struct> =>
  parts.flatMap((part) => {
    if (part.kind === "list") return structsOf(partsOf(part.item))
    return part.kind === "struct" ? [part.struct] : []
  })

const plain = (words: string): ReadonlyArray<Part> => [{ kind: "plain", words }]

const isSchemas = (value: unknown): value is ReadonlyArray<Schema.Top> =>
  Array.isArray(value) && value.every(Schema.isSchema)

const partsOf = (schema: Schema.Top): ReadonlyArray<Part> => {
  if (schema === Decimal) return plain("decimal as text")
  if (schema === Timestamp) return plain("time as text")
  if (Predicate.hasProperty(schema, "identifier")) throw new NoWords(`the brand ${String(schema.identifier)}`)
  if (isStruct(schema)) return [{ kind: "struct", struct: schema }]
  if (Predicate.hasProperty(schema, "members") && isSchemas(schema.members)) return schema.members.flatMap(partsOf)
  if (Predicate.hasProperty(schema, "value") && Schema.isSchema(schema.value)) {
    return [{ kind: "list", item: schema.value }]
  }
  if (Predicate.hasProperty(schema, "literal")) return [{ kind: "literal", word: `\`${String(schema.literal)}\`` }]
  if (Predicate.hasProperty(schema, "schema") && Schema.isSchema(schema.schema)) return partsOf(schema.schema)
  return leaf(schema)
}

const leaf = ({ ast }: Schema.Top): ReadonlyArray<Part> => {
  switch (ast._tag) {
    case "String":
      return plain("text")
    case "Boolean":
      return plain("`true` or `false`")
    case "Number":
      return plain(ast.checks?.map(boundsOf).find((words) => words !== undefined) ?? "number")
    case "TemplateLiteral":
      return plain("the number as text")
    case "Null":
      return [{ kind: "null" }]
    case "Undefined":
      return [{ kind: "undefined" }]
    default:
      throw new NoWords(`a schema of the kind ${ast._tag}`)
  }
}

const boundsOf = ({ annotations }: { readonly annotations?: Schema.Annotations.Filter | undefined }) => {
  const { id, payload } = annotations?.representation ?? {}
  return id === "effect/schema/isBetween" &&
    Predicate.hasProperty(payload, "minimum") &&
    Predicate.hasProperty(payload, "maximum")
    ? `whole number, ${grouped(payload.minimum)} to ${grouped(payload.maximum)}`
    : undefined
}

const grouped = (value: unknown) => (typeof value === "number" ? value.toLocaleString("en") : String(value))

const either = (words: ReadonlyArray<string>) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const literalsOf = (parts: ReadonlyArray<Part>) => parts.flatMap((part) => (part.kind === "literal" ? [part.word] : []))

const wordsOf = (schema: Schema.Top, parts: ReadonlyArray<Part>): string => {
  const literals = literalsOf(parts)
  const items = parts.flatMap((part) => (part.kind === "list" ? [part.item] : []))
  const plain = parts.flatMap((part) => (part.kind === "plain" ? [part.words] : []))
  const objects = parts.some(({ kind }) => kind === "struct") ? ["object"] : []
  if (literals.length > 0) {
    // Beside words stands text that is either their comma list or any other word: only the schema can tell.
    const isOpen = Schema.is(schema)("a word that is not known today")
    const isSeveral =
      items.length === 1 && items.every((item) => either(literalsOf(partsOf(item))) === either(literals))
    if (isSeveral && !isOpen) return `comma list of ${either(literals)}`
    if (items.length > 0 || (plain.includes("text") && !isOpen)) throw new NoWords("words beside a list or text")
    return either([...literals, ...plain.map((words) => (words === "text" ? "another word" : words)), ...objects])
  }
  return either([...plain, ...objects, ...items.map((item) => `list of ${plural(of(item).words)}`)])
}

const plural = (words: string) => (words === "text" || words === "object" ? `${words}s` : words)
