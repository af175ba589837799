/**
 * The fields of a struct as its source writes them, spreads followed to where they are declared, each with its comment.
 *
 * The source is asked for words only. What a field holds is asked of the schema itself, and the two must name the same
 * fields: see `Model.ts`.
 */
import type { Expression, ObjectExpression } from "oxc-parser"
import type * as Doc from "./Doc.ts"
import * as Source from "./Source.ts"
import { unresolved } from "./Unresolved.ts"

/** One field. */
export interface Field {
  readonly name: string
  readonly doc: Doc.Doc | undefined
  /** What stands behind the colon, and the file it stands in. */
  readonly value: Expression
  readonly module: Source.Module
  /** The constants whose fields were spread to bring this one in, the outermost first. */
  readonly spreads: ReadonlyArray<Source.Value>
}

/** An expression in its file, with the name to complain about. */
export interface Place {
  readonly module: Source.Module
  readonly expression: Expression
  readonly name: string
}

/** Where a constant is declared. */
export const placeOf = ({ module, name, node }: Source.Value): Place => ({ module, expression: node.init, name })

/** The fields of an object literal, a struct, or the `fields` of one. */
export const fieldsOf = (place: Place): ReadonlyArray<Field> => {
  const { expression, module, name } = place
  if (expression.type === "ObjectExpression") return literalFields(place, expression)
  if (expression.type === "TSAsExpression") return fieldsOf({ ...place, expression: expression.expression })
  if (expression.type === "CallExpression") {
    const argument = expression.arguments[0]
    if (isCallOf(place, "Struct") && argument !== undefined && argument.type !== "SpreadElement") {
      return fieldsOf({ ...place, expression: argument })
    }
    const checked = checkedBy(place)
    if (checked !== undefined) return fieldsOf(checked)
  }
  const constant = constantOf(place)
  return constant === undefined
    ? unresolved(module, name, `has fields written as ${shown(place)}, which is not understood`)
    : fieldsOf(placeOf(constant)).filter((field) => constant.node.without?.includes(field.name) !== true)
}

const literalFields = ({ module, name }: Place, literal: ObjectExpression): ReadonlyArray<Field> => {
  const fields = new Map<string, Field>()
  for (const property of literal.properties) {
    if (property.type === "SpreadElement") {
      const inner: Place = { module, expression: property.argument, name }
      const spread = constantOf(inner)
      const brought = fieldsOf(inner)
      // Of a constant with one field, the comment above the constant is the comment of the field.
      const doc = brought.length === 1 ? spread?.doc : undefined
      for (const field of brought) {
        const spreads = spread === undefined ? field.spreads : [spread, ...field.spreads]
        fields.set(field.name, { ...field, doc: field.doc ?? doc, spreads })
      }
      continue
    }
    const key = property.key.type === "Identifier" && !property.computed ? property.key.name : undefined
    if (key === undefined) return unresolved(module, name, "has a field whose name is computed")
    const shorthand = property.shorthand ? Source.findValue(module, [key])?.doc : undefined
    const doc = module.docOf(property) ?? shorthand
    fields.set(key, { name: key, doc, value: property.value, module, spreads: [] })
  }
  return [...fields.values()]
}

/** The constant an expression names, by itself or by its `fields`. */
const constantOf = ({ expression, module }: Place): Source.Value | undefined => {
  const path = Source.pathOf(expression)
  if (path === undefined) return undefined
  return Source.findValue(module, path.at(-1) === "fields" && path.length > 1 ? path.slice(0, -1) : path)
}

const isCallOf = ({ expression, module }: Place, name: string) => {
  const path = expression.type === "CallExpression" ? Source.pathOf(expression.callee) : undefined
  return path?.at(-1) === name && Source.originOf(module, path) === "effect/Schema"
}

/** What `.check(…)` was called on. */
const checkedBy = (place: Place): Place | undefined => {
  const { expression } = place
  return expression.type === "CallExpression" &&
    expression.callee.type === "MemberExpression" &&
    expression.callee.property.type === "Identifier" &&
    expression.callee.property.name === "check"
    ? { ...place, expression: expression.callee.object }
    : undefined
}

/** The struct within an expression such as `maybe(Schema.Array(Schema.Struct({ … })))`. */
export const structWithin = (place: Place): Place | undefined => {
  const { expression, module } = place
  if (isCallOf(place, "Struct")) return place
  if (expression.type === "CallExpression") {
    return expression.arguments
      .flatMap((argument) =>
        argument.type === "SpreadElement" ? [] : [structWithin({ ...place, expression: argument })]
      )
      .find((found) => found !== undefined)
  }
  const path = Source.pathOf(expression)
  const constant = path === undefined ? undefined : Source.findValue(module, path)
  return constant === undefined ? undefined : structWithin(placeOf(constant))
}

/** A rule between parameters: what its function says, and the names it was given. */
export interface Rule {
  readonly doc: Doc.Doc
  readonly names: ReadonlyArray<string>
}

/** The rules a struct is checked by. */
export const rulesOf = (place: Place): ReadonlyArray<Rule> => {
  const { expression, module, name } = place
  const checked = checkedBy(place)
  if (checked === undefined || expression.type !== "CallExpression") return []
  const own = expression.arguments.map((argument) => {
    const call = argument.type === "CallExpression" ? argument : undefined
    const path = call === undefined ? undefined : Source.pathOf(call.callee)
    const rule = path === undefined ? undefined : Source.findValue(module, path)
    const names = call?.arguments.flatMap((item) =>
      item.type === "Literal" && typeof item.value === "string" ? [item.value] : []
    )
    if (rule?.doc === undefined || names === undefined || names.length === 0) {
      return unresolved(module, name, "has a check that is not a documented rule with names")
    }
    return { doc: rule.doc, names }
  })
  return [...rulesOf(checked), ...own]
}

const shown = ({ expression }: Place) => {
  const path = Source.pathOf(expression.type === "CallExpression" ? expression.callee : expression)
  return path === undefined ? expression.type : path.join(".")
}
