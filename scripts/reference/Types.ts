/**
 * What the type of an endpoint says: its parameters, and what it adds to its record where it is more than
 * `Endpoint.Endpoint<Params, Record>`.
 */
import * as Sources from "../../packages/site/src/Sources.ts"
import type * as Doc from "./Doc.ts"
import * as Source from "./Source.ts"

const { checker } = Source
const { ts } = Sources

export interface Row {
  readonly name: string
  readonly doc: Doc.Doc
  readonly optional: boolean
  readonly nullable: boolean
  readonly words: string
}

export interface Parts {
  /** Schemas of which it has the name. */
  readonly schemas: ReadonlyArray<Source.Symbol>
  readonly rows: ReadonlyArray<Row>
  /** Exported types with a comment of their own. */
  readonly described: ReadonlyArray<{ readonly symbol: Source.Symbol; readonly parts: Parts }>
}

const nothing: Parts = { schemas: [], rows: [], described: [] }

const join = (parts: ReadonlyArray<Parts>): Parts => ({
  schemas: parts.flatMap(({ schemas }) => schemas),
  rows: parts.flatMap(({ rows }) => rows),
  described: parts.flatMap(({ described }) => described)
})

/** The parameters that a call of an endpoint takes, and the record that it gives. */
export const signatureOf = (endpoint: Source.Symbol): { readonly params: Source.Type; readonly record: Parts } => {
  const [call] = checker.getTypeOfSymbol(endpoint).getCallSignatures()
  if (call === undefined) return Source.stop(endpoint, "is not called")
  const result = call.getReturnType()
  // Type boundary: what is no alias is an effect, which refers to the type of its record.
  const [record] = result.aliasTypeArguments ?? checker.getTypeArguments(result as Sources.ts.TypeReference)
  return record === undefined
    ? Source.stop(endpoint, "does not return records")
    : { params: checker.getNonNullableType(call.getTypeParameterAtPosition(0)), record: partsOf(record) }
}

const partsOf = (type: Source.Type): Parts => {
  const symbol = type.aliasSymbol ?? (type.isClassOrInterface() ? type.symbol : undefined)
  if (symbol === undefined) return unnamed(type)
  const schemas = schemasOf([type])
  if (schemas.length > 0) return { ...nothing, schemas }
  const isExported = symbol.declarations?.some(
    (declaration) => (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export) !== 0
  )
  if (isExported !== true) return nothing
  const given = { ...nothing, schemas: schemasOf(type.aliasTypeArguments ?? []) }
  return { ...nothing, described: [{ symbol, parts: join([unnamed(type), given]) }] }
}

/** The schemas whose names types have. */
const schemasOf = (types: ReadonlyArray<Source.Type>) =>
  types.flatMap(({ symbol }: Partial<Source.Type>) => (symbol?.valueDeclaration === undefined ? [] : [symbol]))

const unnamed = (type: Source.Type): Parts => {
  if (type.isIntersection()) return join(type.types.map(partsOf))
  if ((type.flags & ts.TypeFlags.Conditional) === 0) {
    return { ...nothing, rows: checker.getPropertiesOfType(type).map(rowOf) }
  }
  // Both branches are there once the compiler has asked what the type may be.
  checker.getBaseConstraintOfType(type)
  const { resolvedFalseType, resolvedTrueType } = type as Sources.ts.ConditionalType
  return join([resolvedTrueType, resolvedFalseType].map((branch) => (branch === undefined ? nothing : partsOf(branch))))
}

const words = new Map([
  ["string", "text"],
  // A number of the provider may come as text: `number` of `internal/wire/fields.ts`.
  ["string | number", "number or text"],
  ["Timestamp", "time as text"],
  ["Decimal", "decimal as text"]
])

const rowOf = (property: Source.Symbol): Row => {
  const type = checker.getTypeOfSymbol(property)
  const text = checker.typeToString(checker.getNonNullableType(type))
  return {
    name: property.name,
    doc: Source.docOf(property),
    optional: (property.flags & ts.SymbolFlags.Optional) !== 0,
    nullable: type.isUnion() && type.types.some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0),
    words: words.get(text) ?? Source.stop(property, `has the type ${text}, for which there are no words`)
  }
}
