/**
 * Structs with their fields: what each holds is asked of the schema, what is said of it of the source.
 */
import type * as SchemaAST from "effect/SchemaAST"
import { sections } from "../../packages/core/src/Endpoints.ts"
import type * as Doc from "./Doc.ts"
import * as Fields from "./Fields.ts"
import * as Field from "../../packages/core/src/Field.ts"
import * as Parameter from "../../packages/core/src/Parameter.ts"
import * as Shape from "./Shape.ts"
import * as Source from "./Source.ts"
import { unresolved } from "./Unresolved.ts"

/** A field of a record, or a parameter. */
export interface Row {
  readonly name: string
  readonly words: string
  readonly optional: boolean
  readonly nullable: boolean
  readonly doc: Doc.Doc | undefined
  /** The record it holds, by itself or in a list. */
  readonly record: Record | undefined
}

/** A struct with its fields. */
export interface Record {
  /** Its public name, such as `ReferenceData.Asset`; of one without a name, where it stands. */
  readonly name: string
  readonly doc: Doc.Doc | undefined
  /** Names of the records of endpoints all of whose fields it has. */
  readonly includes: ReadonlyArray<string>
  /** Its other fields. */
  readonly rows: ReadonlyArray<Row>
}

/** Parameters of an endpoint. */
export interface Parameters {
  /** Public name of their schema, such as `ReferenceData.AssetsParams`. */
  readonly name: string
  readonly rows: ReadonlyArray<Row>
  /** Those that many endpoints have. */
  readonly shared: ReadonlyArray<Row>
  readonly rules: ReadonlyArray<Fields.Rule>
}

/** A struct a section exports. */
interface Published {
  readonly name: string
  readonly struct: Shape.Struct
  readonly source: Source.Value
}

const core = "packages/core/src"

/** The file of the parameters that many endpoints have. */
export const paramsFile = `${core}/Params.ts`

/** The file of a section. */
export const fileOf = (section: string) => `${core}/endpoints/${section}.ts`

/** The comment of something exported, which must have one. */
export const docOf = (of: Source.Value | Source.Type): Doc.Doc =>
  of.doc ?? unresolved(of.module, of.name, "has no doc comment")

/** Where an export of a section is declared. */
export const sourceOf = (section: string, name: string): Source.Value =>
  Source.exportedValue(fileOf(section), name) ??
  unresolved({ file: fileOf(section) }, name, "is exported, but its declaration is not found")

const found: Array<Published> = []

const published = (): ReadonlyArray<Published> => {
  if (found.length > 0) return found
  for (const [section, members] of Object.entries(sections)) {
    for (const [name, value] of Object.entries(members)) {
      const struct = Shape.structOf(value)
      if (struct !== undefined) found.push({ name: `${section}.${name}`, struct, source: sourceOf(section, name) })
    }
  }
  return found
}

/** The struct a constant of the sources holds, which must be one that a section exports. */
export const publishedAs = (source: Source.Value): Published =>
  published().find((one) => one.source === source) ??
  unresolved(source.module, source.name, "is not exported by a section as a struct")

/** Stops unless source and schema have the same fields. */
const agree = (place: Fields.Place, fields: ReadonlyArray<Fields.Field>, checked: ReadonlyArray<string>) => {
  const written = fields.map(({ name }) => name)
  const [odd] = [
    ...written.filter((name) => !checked.includes(name)),
    ...checked.filter((name) => !written.includes(name))
  ]
  if (odd !== undefined) {
    unresolved(place.module, place.name, `has the field ${odd} in its source or in its schema, but not in both`)
  }
}

const shapeOf = (field: Fields.Field, owner: string, read: () => Shape.Shape): Shape.Shape => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Shape.NoWords)) throw error
    return unresolved(field.module, `${owner}.${field.name}`, `is ${error.message}, for which there are no words`)
  }
}

/** Reads records; `primary` are the constants whose records endpoints yield, which are printed in any case. */
export const reader = (primary: ReadonlySet<Source.Value>) => {
  const known = new Map<SchemaAST.Objects, Record>()

  const recordOf = (object: SchemaAST.Objects, name: string, place: Fields.Place, doc: Doc.Doc | undefined): Record => {
    const earlier = known.get(object)
    if (earlier !== undefined) return earlier
    const fields = Fields.fieldsOf(place)
    const described = Field.fieldsOf(object)
    agree(place, fields, [...described.keys()])
    // `agree` has checked that the schema has the field.
    const rows = fields.map((field) => rowOf(described.get(field.name)!, name, field))
    const included = includedIn(fields)
    const left = fields.map(({ spreads }) => !spreads.some((spread) => included.includes(spread)))
    const record: Record = {
      name,
      doc,
      includes: included.map((source) => publishedAs(source).name),
      rows: rows.filter((_, index) => left[index])
    }
    known.set(object, record)
    return record
  }

  /** Records of endpoints of which no field was left out or replaced. */
  const includedIn = (fields: ReadonlyArray<Fields.Field>) =>
    [...new Set(fields.flatMap(({ spreads }) => spreads.filter((spread) => primary.has(spread)).slice(0, 1)))].filter(
      (source) =>
        fields.filter(({ spreads }) => spreads.includes(source)).length ===
        Object.keys(publishedAs(source).struct.fields).length
    )

  const rowOf = (described: Field.Field, ownerName: string, field: Fields.Field): Row => {
    const shape = shapeOf(field, ownerName, () => Shape.of(described))
    const record = shape.object === undefined ? undefined : nested(shape.object, `${ownerName}.${field.name}`, field)
    return { name: field.name, doc: field.doc, ...shape, record }
  }

  const nested = (object: SchemaAST.Objects, name: string, { module, value }: Fields.Field): Record => {
    const named = published().find((one) => one.struct.ast === object)
    if (named !== undefined) return read(named.source)
    const place = Fields.structWithin({ module, expression: value, name })
    return place === undefined
      ? unresolved(module, name, "holds an object whose source is not found")
      : recordOf(object, name, place, undefined)
  }

  /** The record of a constant. */
  const read = (source: Source.Value): Record => {
    const { name, struct } = publishedAs(source)
    return recordOf(Shape.objectOf(struct), name, Fields.placeOf(source), docOf(source))
  }
  return read
}

/** Reads the parameters of a constant; `said` are the comments of an endpoint that says more of them. */
export const parametersOf = (source: Source.Value, said: ReadonlyMap<string, Doc.Doc>): Parameters => {
  docOf(source)
  const { name, struct } = publishedAs(source)
  const place = Fields.placeOf(source)
  const fields = Fields.fieldsOf(place)
  agree(place, fields, Object.keys(struct.fields))
  const known = Parameter.allOf(struct)
  const rows = fields.map((field): Row & { readonly isShared: boolean } => {
    const parameter = known.get(field.name)
    if (parameter === undefined || parameter.role._tag === "Other") {
      return unresolved(field.module, `${name}.${field.name}`, "does not say what it is: take a field of `Params`")
    }
    return {
      name: field.name,
      doc: said.get(field.name) ?? field.doc,
      words: Shape.ofParameter(parameter),
      optional: !parameter.isRequired,
      nullable: false,
      record: undefined,
      isShared: field.spreads.some(({ module }) => module.file === paramsFile)
    }
  })
  const rules = Fields.rulesOf(place)
  if (rules.length !== (struct.ast.checks?.length ?? 0)) {
    unresolved(source.module, source.name, "is checked by rules that do not stand in its source")
  }
  return {
    name,
    rows: rows.filter(({ isShared }) => !isShared),
    shared: rows.filter(({ isShared }) => isShared),
    rules
  }
}
