/**
 * What a field of a record holds, as data: for tables, files and whatever else needs columns before there are records.
 *
 * What cannot be told from JSON, that a text is a decimal number or a moment, a schema says of itself.
 */
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** Text as it is, exact decimal text, a moment as text, `true` or `false`, a JSON number, or JSON of any other shape. */
export type Kind = "text" | "decimal" | "timestamp" | "boolean" | "number" | "json"

/** A field of a record. */
export interface Field {
  /** The record's key, which is the wire's name. */
  readonly name: string
  readonly kind: Kind
  /** Whether a record may be without it. */
  readonly isOptional: boolean
  /** Whether it may be null. */
  readonly isNullable: boolean
}

const key = "~@sluice/core/Field"

/** The annotation of a schema that holds this. */
export const holding = (kind: Kind) => ({ [key]: kind })

/** What a schema says that it holds; absent where it says nothing. */
export const heldBy = ({ ast }: Schema.Top): Kind | undefined => saidBy(ast)

// Type boundary: `holding` alone writes under this key.
const saidBy = ({ annotations }: SchemaAST.AST) => annotations?.[key] as Kind | undefined

/** The fields a struct describes, by name and in its order. */
export const allOf = (record: Schema.Top): ReadonlyMap<string, Field> => {
  // Type boundary: the record of every endpoint is a struct; anything else has no fields.
  const fields = "fields" in record ? (record.fields as Readonly<Record<string, Schema.Top>>) : {}
  return new Map(
    Object.entries(fields).map(([name, { ast }]) => {
      const isOptional = ast.context?.isOptional === true
      return [name, { name, kind: merge(kindsOf(ast)), isOptional, isNullable: allowsNull(ast) }] as const
    })
  )
}

const allowsNull = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Null" || (ast._tag === "Union" && ast.types.some(allowsNull))

/** All that a value may be; absent and null are no kinds of their own. */
const kindsOf = (ast: SchemaAST.AST): ReadonlyArray<Kind> => {
  const said = saidBy(ast)
  if (said !== undefined) return [said]
  switch (ast._tag) {
    case "Union":
      return ast.types.flatMap(kindsOf)
    case "Null":
    case "Undefined":
      return []
    case "String":
    case "TemplateLiteral":
      return ["text"]
    case "Literal":
      return [typeof ast.literal === "string" ? "text" : "json"]
    case "Boolean":
      return ["boolean"]
    case "Number":
      return ["number"]
    default:
      return ["json"]
  }
}

/** A provider's number, which may come as text, is kept as text. */
const merge = (kinds: ReadonlyArray<Kind>): Kind => {
  const [first = "json", ...others] = new Set(kinds)
  if (others.length === 0) return first
  return kinds.every((kind) => kind === "text" || kind === "number" || kind === "decimal") ? "text" : "json"
}
