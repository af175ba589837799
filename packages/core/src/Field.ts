/**
 * What the fields of a record hold, as data: for tables and files, which need columns before there are records.
 *
 * JSON does not tell whether a text is a decimal number or a moment. The schema of such a field says so in an annotation.
 */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** Plain text, exact decimal text, a whole number or a moment as text, `true` or `false`, a JSON number, or any other JSON. */
export type Kind = "text" | "decimal" | "integer" | "timestamp" | "boolean" | "number" | "json"

type PlainKind = Exclude<Kind, "json">

/** What a value may be: a plain value, a word, a list of what each item may be, an object, or something else. */
export type Type =
  | { readonly _tag: "Plain"; readonly kind: PlainKind }
  | { readonly _tag: "Word"; readonly word: string }
  | { readonly _tag: "List"; readonly of: ReadonlyArray<Type> }
  | { readonly _tag: "Object"; readonly ast: SchemaAST.Objects }
  | { readonly _tag: "Other"; readonly ast: SchemaAST.AST }

/** A field of a record. */
export interface Field {
  /** The key in the record, which is the name on the wire. */
  readonly name: string
  /** What its values are. */
  readonly kind: Kind
  /** Whether a record may be without it. */
  readonly isOptional: boolean
  /** Whether it may be null. */
  readonly isNullable: boolean
  /** All that it may be, but for absent and null. */
  readonly types: ReadonlyArray<Type>
}

const key = "~@sluice/core/Field"

/** The annotation for a schema of this kind. */
export const holding = (kind: Kind) => ({ [key]: kind })

// Type boundary: `holding` alone writes under this key.
const saidBy = ({ annotations }: SchemaAST.AST) => annotations?.[key] as Kind | undefined

/** The fields of a struct by name, in its order. */
export const allOf = ({ ast }: Schema.Top): ReadonlyMap<string, Field> =>
  ast._tag === "Objects" ? fieldsOf(ast) : new Map<string, Field>()

/** The fields of an object, such as one that a field holds. */
export const fieldsOf = ({ propertySignatures }: SchemaAST.Objects): ReadonlyMap<string, Field> =>
  new Map(
    propertySignatures.map(({ name, type: ast }): [string, Field] => {
      const types = typesOf(ast)
      const isOptional = ast.context?.isOptional === true
      return [String(name), { name: String(name), kind: kindOf(types), isOptional, isNullable: allowsNull(ast), types }]
    })
  )

const allowsNull = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Null" || (ast._tag === "Union" && ast.types.some(allowsNull))

const plain = (kind: PlainKind): ReadonlyArray<Type> => [{ _tag: "Plain", kind }]

/** What a value may be. Absent and null are no types. */
export const typesOf = (ast: SchemaAST.AST): ReadonlyArray<Type> => {
  const said = saidBy(ast)
  if (said !== undefined && said !== "json") return plain(said)
  switch (ast._tag) {
    case "Union":
      return ast.types.flatMap(typesOf)
    case "Null":
    case "Undefined":
      return []
    case "String":
    case "TemplateLiteral":
      return plain("text")
    case "Boolean":
      return plain("boolean")
    case "Number":
      return plain("number")
    case "Literal":
      return Predicate.isString(ast.literal) ? [{ _tag: "Word", word: ast.literal }] : [{ _tag: "Other", ast }]
    case "Arrays":
      return ast.rest[0] === undefined ? [{ _tag: "Other", ast }] : [{ _tag: "List", of: typesOf(ast.rest[0]) }]
    case "Objects":
      return [{ _tag: "Object", ast }]
    default:
      return [{ _tag: "Other", ast }]
  }
}

/** A number that may come as text, such as a provider's number, is kept as text. */
const kindOf = (types: ReadonlyArray<Type>): Kind => {
  const kinds = new Set(
    types.map((type) => (type._tag === "Plain" ? type.kind : type._tag === "Word" ? "text" : "json"))
  )
  const [first = "json", ...others] = kinds
  if (others.length === 0) return first
  return kinds.has("json") || kinds.has("boolean") || kinds.has("timestamp") ? "json" : "text"
}
