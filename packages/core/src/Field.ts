/**
 * What the fields of a record hold, as data: for tables and files, which need columns before there are records.
 *
 * JSON does not tell whether a text is a decimal number or a moment. The schema of such a field says so in an annotation.
 */
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** Plain text, exact decimal text, a moment as text, `true` or `false`, a JSON number, or any other JSON. */
export type Kind = "text" | "decimal" | "timestamp" | "boolean" | "number" | "json"

/** A field of a record. */
export interface Field {
  /** The key in the record, which is the name on the wire. */
  readonly name: string
  readonly kind: Kind
  /** Whether a record may be without it. */
  readonly isOptional: boolean
  /** Whether it may be null. */
  readonly isNullable: boolean
}

const key = "~@sluice/core/Field"

/** The annotation for a schema of this kind. */
export const holding = (kind: Kind) => ({ [key]: kind })

/** The kind that a schema is annotated with, if any. */
export const heldBy = ({ ast }: Schema.Top): Kind | undefined => saidBy(ast)

// Type boundary: `holding` alone writes under this key.
const saidBy = ({ annotations }: SchemaAST.AST) => annotations?.[key] as Kind | undefined

/** The fields of a struct by name, in its order. */
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

/** The kinds a value may have. Absent and null are not kinds. */
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

/** A number that may come as text, such as a provider's number, is kept as text. */
const merge = (kinds: ReadonlyArray<Kind>): Kind => {
  const [first = "json", ...others] = new Set(kinds)
  if (others.length === 0) return first
  return kinds.every((kind) => kind === "text" || kind === "number" || kind === "decimal") ? "text" : "json"
}
