/**
 * What the schema of a record accepts, nested values included, as far as the schema alone says so. Then a layout is checked
 * once, and its records need no check of their own.
 */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** Kinds of flat JSON values, one bit each. */
export const kind = { text: 1, null: 2, number: 4, true: 8, false: 16 } as const

/** What is accepted of a value. */
export interface Shape {
  /** The kinds of flat value; none where the schema asks more of them than their kind. */
  readonly kinds: number
  /** What is accepted of each item of a list; no list when absent. */
  readonly item: Shape | undefined
  /** What is accepted of an object; no object when absent. */
  readonly fields: Fields | undefined
}

/** What is accepted of an object. Keys that are not described may have any value. */
export interface Fields {
  readonly shapes: ReadonlyMap<string, Shape>
  readonly required: ReadonlyArray<string>
}

interface AnyShape extends Shape {
  item: Shape | undefined
}

/** Any value. */
export const anything: Shape = (() => {
  const shape: AnyShape = { kinds: 31, item: undefined, fields: { shapes: new Map(), required: [] } }
  shape.item = shape
  return shape
})()

const nothing: Shape = { kinds: 0, item: undefined, fields: undefined }

/** Reads what the schema of a record accepts; `undefined` when every record has to be checked by itself. */
export const of = ({ ast }: Schema.Top): Fields | undefined => shapeOf(ast).fields

const flat = (kinds: number): Shape => ({ ...nothing, kinds })

const shapeOf = (ast: SchemaAST.AST): Shape => {
  // A number read from JSON is always finite here.
  if (ast._tag === "Number" && ast.encoding === undefined && ast.checks === Schema.Finite.ast.checks) {
    return flat(kind.number)
  }
  // The schema checks more than the type of a value.
  if (ast.checks !== undefined || ast.encoding !== undefined) return nothing
  switch (ast._tag) {
    case "String":
      return flat(kind.text)
    case "Null":
      return flat(kind.null)
    case "Number":
      return flat(kind.number)
    case "Boolean":
      return flat(kind.true | kind.false)
    case "Objects":
      return { ...nothing, fields: fieldsOf(ast) }
    case "Arrays":
      return { ...nothing, item: itemOf(ast) }
    case "Union":
      return isPlain(ast) ? unite(ast.types.map(shapeOf)) : nothing
    default:
      return nothing
  }
}

const isPlain = ({ encodingChecks, options }: SchemaAST.Union) =>
  encodingChecks === undefined && options?.mode !== "oneOf"

/** The shapes of a union. Two lists or two objects could not be told apart. */
const unite = (shapes: ReadonlyArray<Shape>): Shape => {
  const [items, fields] = [shapes.flatMap(({ item }) => item ?? []), shapes.flatMap(({ fields }) => fields ?? [])]
  return {
    kinds: shapes.reduce((all, { kinds }) => all | kinds, 0),
    item: items.length === 1 ? items[0] : undefined,
    fields: fields.length === 1 ? fields[0] : undefined
  }
}

const itemOf = ({ elements, encodingChecks, rest }: SchemaAST.Arrays): Shape | undefined =>
  encodingChecks === undefined && elements.length === 0 && rest.length === 1 ? shapeOf(rest[0]!) : undefined

const fieldsOf = ({ encodingChecks, indexSignatures, propertySignatures }: SchemaAST.Objects): Fields | undefined => {
  const shapes = new Map<string, Shape>()
  const required: Array<string> = []
  for (const { name, type } of propertySignatures) {
    if (typeof name !== "string") return undefined
    shapes.set(name, shapeOf(type))
    if (type.context?.isOptional !== true) required.push(name)
  }
  return encodingChecks === undefined && indexSignatures.length === 0 ? { shapes, required } : undefined
}
