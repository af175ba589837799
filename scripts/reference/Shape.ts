/**
 * Schemas in words: what a field holds in JSON, and what a parameter takes in the query.
 *
 * The words come from the schema value that the library checks with, so they cannot say anything else than it does.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Field from "../../packages/core/src/Field.ts"
import type { Parameter } from "../../packages/core/src/Parameter.ts"

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

/** What a parameter takes, in words. */
export const ofParameter = ({
  isClosed,
  isList,
  kind,
  maximum,
  minimum,
  takesIdentifiers,
  words
}: Parameter): string => {
  const literals = words.map((word) => `\`${word}\``)
  if (isList) {
    const items = takesIdentifiers ? " of identifiers" : ""
    return words.length === 0 ? `comma list${items}` : `comma list of ${either(literals)}`
  }
  switch (kind) {
    case "boolean":
      return "`true` or `false`"
    case "integer":
      return either([...literals, `whole number, ${grouped(minimum)} to ${grouped(maximum)}`])
    case "word":
      return either([...literals, ...(isClosed ? [] : ["another word"])])
    default:
      return kind
  }
}

/** Words that need a word more, with the constant of `Params.ts` whose comment has it. */
export const legend = [
  { name: "list", words: "comma list" },
  { name: "identifiers", words: "comma list of identifiers" },
  { name: "time", words: "time" }
]

/** What a field of a record holds. Throws {@link NoWords} where there are none. */
export const of = (schema: Schema.Top): Shape => {
  const parts = partsOf(schema)
  const structs = structsOf(parts)
  if (structs.length > 1) throw new NoWords("more than one kind of object")
  return {
    words: wordsOf(parts),
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
  const held = Field.heldBy(schema)
  if (held === "decimal") return plain("decimal as text")
  if (held === "timestamp") return plain("time as text")
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
      return plain("number")
    case "Null":
      return [{ kind: "null" }]
    case "Undefined":
      return [{ kind: "undefined" }]
    default:
      throw new NoWords(`a schema of the kind ${ast._tag}`)
  }
}

const grouped = (value: unknown) => (typeof value === "number" ? value.toLocaleString("en") : String(value))

const either = (words: ReadonlyArray<string>) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const literalsOf = (parts: ReadonlyArray<Part>) => parts.flatMap((part) => (part.kind === "literal" ? [part.word] : []))

const wordsOf = (parts: ReadonlyArray<Part>): string => {
  const literals = literalsOf(parts)
  const items = parts.flatMap((part) => (part.kind === "list" ? [part.item] : []))
  const plain = parts.flatMap((part) => (part.kind === "plain" ? [part.words] : []))
  const objects = parts.some(({ kind }) => kind === "struct") ? ["object"] : []
  if (literals.length > 0) {
    if (items.length > 0) throw new NoWords("words beside a list")
    return either([...literals, ...plain.map((words) => (words === "text" ? "another word" : words)), ...objects])
  }
  return either([...plain, ...objects, ...items.map((item) => `list of ${plural(of(item).words)}`)])
}

const plural = (words: string) => (words === "text" || words === "object" ? `${words}s` : words)
