/** Structs with their fields: what each holds is asked of the schema, what is said of it of the source. */
import type * as SchemaAST from "effect/SchemaAST"
import { sections } from "../../packages/core/src/Endpoints.ts"
import * as Doc from "./Doc.ts"
import * as Field from "../../packages/core/src/Field.ts"
import * as Parameter from "../../packages/core/src/Parameter.ts"
import * as Shape from "./Shape.ts"
import * as Source from "./Source.ts"
import type * as Types from "./Types.ts"

/** A field of a record, or a parameter. */
export interface Row extends Types.Row {
  /** The record it holds, by itself or in a list. */
  readonly record: Record | undefined
}

export interface Record {
  /** Its public name, such as `ReferenceData.Asset`; of one without a name, where it stands. */
  readonly name: string
  readonly doc: Doc.Doc | undefined
  /** Names of the records of endpoints all of whose fields it has. */
  readonly includes: ReadonlyArray<string>
  /** Its other fields. */
  readonly rows: ReadonlyArray<Row>
}

export interface Parameters {
  /** Public name of their schema, such as `ReferenceData.AssetsParams`. */
  readonly name: string
  readonly rows: ReadonlyArray<Row>
  /** Those that many endpoints have. */
  readonly shared: ReadonlyArray<Row>
  readonly rules: ReadonlyArray<Source.Rule>
}

export interface Published {
  readonly name: string
  readonly struct: Shape.Struct
  readonly symbol: Source.Symbol
}

const published: ReadonlyArray<Published> = Object.entries(sections).flatMap(([section, members]) =>
  Object.entries(members).flatMap(([name, value]) => {
    const struct = Shape.structOf(value)
    if (struct === undefined) return []
    return [{ name: `${section}.${name}`, struct, symbol: Source.exportOf(Source.fileOf(section), name) }]
  })
)

/** The struct a constant of the sources holds, which must be one that a section exports. */
export const publishedAs = (symbol: Source.Symbol): Published =>
  published.find((one) => one.symbol === symbol) ?? Source.stop(symbol, "is not exported by a section as a struct")

export const publishedOf = (struct: unknown): Published | undefined => published.find((one) => one.struct === struct)

const fieldsOf = ({ struct, symbol }: Published): ReadonlyArray<Source.Symbol> =>
  Source.fieldsOf(Source.decodedBy(symbol), Object.keys(struct.fields)) ??
  Source.stop(symbol, "has other fields in its source than in its schema")

const shapeOf = (field: Field.Field, owner: string): Shape.Shape => {
  try {
    return Shape.of(field)
  } catch (error) {
    if (!(error instanceof Shape.NoWords)) throw error
    return Doc.unresolved({ file: owner }, field.name, `is ${error.message}, for which there are no words`)
  }
}

/** Reads records; `primary` are those that endpoints yield, which are printed in any case. */
export const reader = (primary: ReadonlySet<Source.Symbol>) => {
  const known = new Map<SchemaAST.Objects, Record>()
  const whole = [...primary]
    .map((symbol) => {
      const one = publishedAs(symbol)
      return { name: one.name, written: fieldsOf(one).map(Source.writtenAt) }
    })
    .toSorted((a, b) => b.written.length - a.written.length)

  const recordOf = (object: SchemaAST.Objects, name: string, type: Source.Type, doc: Doc.Doc | undefined): Record => {
    const earlier = known.get(object)
    if (earlier !== undefined) return earlier
    const described = Field.fieldsOf(object)
    const fields = Source.fieldsOf(type, [...described.keys()])
    if (fields === undefined) return Doc.unresolved({ file: "the sources" }, name, "has other fields than its schema")
    const written = new Set(fields.map(Source.writtenAt))
    // Records of endpoints of which no field was left out or replaced, the largest of those that share a field.
    const parts = whole.filter((one) => one.name !== name && one.written.every((place) => written.has(place)))
    const included = fields.map((field) => parts.find(({ written }) => written.includes(Source.writtenAt(field)))?.name)
    // The fields were asked for by these names.
    const rows = fields.map((field) => rowOf(described.get(field.name)!, name, field))
    const record: Record = {
      name,
      doc,
      includes: [...new Set(included)].filter((part) => part !== undefined),
      rows: rows.filter((_, index) => included[index] === undefined)
    }
    known.set(object, record)
    return record
  }

  const rowOf = (field: Field.Field, owner: string, symbol: Source.Symbol): Row => {
    const shape = shapeOf(field, owner)
    const type = Source.checker.getTypeOfSymbol(symbol)
    const record = shape.object === undefined ? undefined : nested(shape.object, `${owner}.${field.name}`, type)
    return { name: field.name, doc: Source.docOf(symbol), ...shape, record }
  }

  const nested = (object: SchemaAST.Objects, name: string, type: Source.Type): Record => {
    const named = published.find((one) => one.struct.ast === object)
    return named === undefined ? recordOf(object, name, type, undefined) : read(named.symbol)
  }

  const read = (symbol: Source.Symbol): Record => {
    const { name, struct } = publishedAs(symbol)
    return recordOf(Shape.objectOf(struct), name, Source.decodedBy(symbol), Source.docOf(symbol))
  }
  return read
}

/** Reads parameters, as the argument of an endpoint says them, or else their schema. */
export const parametersOf = (params: Published, argument: Source.Type): Parameters => {
  const { name, struct, symbol } = params
  Source.docOf(symbol)
  const known = Parameter.allOf(struct)
  const said = Source.fieldsOf(argument, Object.keys(struct.fields))?.map(Source.commentOf)
  const fields = fieldsOf(params)
  const rows = fields.map((field, index): Row => {
    const parameter = known.get(field.name)
    if (parameter === undefined || parameter.role._tag === "Other") {
      return Source.stop(symbol, `does not say what ${field.name} is: take a field of \`Params\``)
    }
    return {
      name: field.name,
      doc: said?.[index] ?? Source.docOf(field),
      words: Shape.ofParameter(parameter),
      optional: !parameter.isRequired,
      nullable: false,
      record: undefined
    }
  })
  const rules = Source.rulesOf(symbol)
  if (rules.length !== (struct.ast.checks?.length ?? 0)) {
    Source.stop(symbol, "is checked by rules that do not stand in its source")
  }
  return {
    name,
    rows: rows.filter((_, index) => !Source.isShared(fields[index]!)),
    shared: rows.filter((_, index) => Source.isShared(fields[index]!)),
    rules
  }
}
