/**
 * Schemas in words: what a field holds in JSON, and what a parameter takes in the query.
 *
 * The words come from the schema value that the library checks with, so they cannot say anything else than it does.
 */
import { Predicate, Schema, type SchemaAST } from "effect"
import type * as Field from "../../packages/core/src/Field.ts"
import type { Parameter } from "../../packages/core/src/Parameter.ts"

export type Struct = Schema.Struct<Schema.Struct.Fields>

/** Says what a schema is that there are no words for. */
export class NoWords extends Error {}

export const isStruct = (value: unknown): value is Struct =>
  Schema.isSchema(value) && Predicate.hasProperty(value, "fields") && value.ast._tag === "Objects"

export const structOf = (value: unknown): Struct | undefined => (isStruct(value) ? value : undefined)

// Type boundary: every struct is one of objects; `isStruct` has looked.
export const objectOf = ({ ast }: Struct) => ast as SchemaAST.Objects

/** Tells whether two structs have the very same fields. */
export const isSame = (one: Struct, other: unknown): boolean => {
  const fields = structOf(other)?.fields
  return (
    fields !== undefined &&
    Object.keys(fields).length === Object.keys(one.fields).length &&
    Object.entries(one.fields).every(([name, field]) => fields[name] === field)
  )
}

export interface Shape {
  readonly words: string
  readonly optional: boolean
  readonly nullable: boolean
  /** The object it holds, by itself or in a list. */
  readonly object: SchemaAST.Objects | undefined
}

export const ofParameter = ({
  isClosed,
  isList,
  kind,
  maximum,
  minimum,
  role,
  takesIdentifiers,
  words
}: Parameter): string => {
  if (role._tag === "Path") return "part of the path"
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
export const of = ({ isNullable, isOptional, types }: Field.Field): Shape => {
  const objects = [...new Set(objectsOf(types))]
  if (objects.length > 1) throw new NoWords("more than one kind of object")
  return { words: wordsOf(types), optional: isOptional, nullable: isNullable, object: objects[0] }
}

type Types = ReadonlyArray<Field.Type>

const objectsOf = (types: Types): ReadonlyArray<SchemaAST.Objects> =>
  types.flatMap((type) => (type._tag === "List" ? objectsOf(type.of) : type._tag === "Object" ? [type.ast] : []))

const plainWords = {
  text: "text",
  decimal: "decimal as text",
  integer: "whole number as text",
  timestamp: "time as text",
  boolean: "`true` or `false`",
  number: "number"
}

const grouped = (value: unknown) => (typeof value === "number" ? value.toLocaleString("en") : String(value))

const either = (words: ReadonlyArray<string>) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const wordsOf = (types: Types): string => {
  const other = types.find(({ _tag }) => _tag === "Other")
  if (other?._tag === "Other") throw new NoWords(`a schema of the kind ${other.ast._tag}`)
  const literals = types.flatMap((type) => (type._tag === "Word" ? [`\`${type.word}\``] : []))
  const items = types.flatMap((type) => (type._tag === "List" ? [type.of] : []))
  const plain = types.flatMap((type) => (type._tag === "Plain" ? [plainWords[type.kind]] : []))
  const objects = types.some(({ _tag }) => _tag === "Object") ? ["object"] : []
  if (literals.length > 0) {
    if (items.length > 0) throw new NoWords("words beside a list")
    return either([...literals, ...plain.map((words) => (words === "text" ? "another word" : words)), ...objects])
  }
  return either([...plain, ...objects, ...items.map((item) => `list of ${plural(wordsOf(item))}`)])
}

const plural = (words: string) => (words === "text" || words === "object" ? `${words}s` : words)
