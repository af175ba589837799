/**
 * What a parameter of an endpoint is, as data: what it takes, and what it does in a request.
 *
 * Whoever needs the range of a call, its entities or what counts its records asks for the role and never for a name:
 * paging, resuming, parts, the command line and the reference page know no parameter by its name.
 */
import type * as Schema from "effect/Schema"

/** What a value is: text, a whole number, `true` or `false`, a moment, or one of some words. */
export type Kind = "text" | "integer" | "boolean" | "time" | "word"

/** What a range is counted in. */
export type Unit = "time" | "height" | "hash"

/** What a parameter does in a request. */
export type Role =
  /**
   * A list of which every record belongs to exactly one item, so that a request can be cut along it. `field` is the
   * record's field that names the item; of a series it tells the series apart.
   */
  | { readonly _tag: "Entities"; readonly field: string | undefined }
  /** Where the records begin or end. */
  | { readonly _tag: "Start" | "End"; readonly unit: Unit }
  | {
      readonly _tag:
        /** Whether the bound of the range belongs to it. */
        | "StartInclusive"
        | "EndInclusive"
        /** The zone of times in the request and of the days that records stand for. */
        | "TimeZone"
        /** Columns of a record. */
        | "Columns"
        /** Which records there are. */
        | "Filter"
        /** The length between two records of a series. */
        | "Frequency"
        /** The order of the records. */
        | "Sort"
        /** Records of a page; its maximum is the largest page of the endpoint. */
        | "PageSize"
        /** The end of the range at which the pages begin. */
        | "PageFrom"
        /** Where the pages begin. */
        | "PageToken"
        /** The most records of a reply. */
        | "Limit"
        /** The most records of each entity. */
        | "LimitPer"
        /** How records arrive; its words are the formats the endpoint offers. */
        | "Format"
        /** Parts of a record that are added or left out. */
        | "Include"
        | "Exclude"
        /** What a record holds: neither which records there are nor their order. */
        | "Detail"
        /** How a reply is laid out, for people who look at it. */
        | "Layout"
        /** Unknown: nothing may be concluded from a call that has it. */
        | "Other"
    }

/** What a parameter does, without the details. */
export type RoleTag = Role["_tag"]

/** A parameter of an endpoint. */
export interface Parameter {
  /** The wire's name. */
  readonly name: string
  readonly kind: Kind
  /** Whether it takes several, as a comma list or an array. */
  readonly isList: boolean
  readonly isRequired: boolean
  readonly role: Role
  /** Words it knows; beside numbers, those it takes in place of one. */
  readonly words: ReadonlyArray<string>
  /** Whether it takes no other words than these. */
  readonly isClosed: boolean
  /** The least number it takes; absent where it takes none. */
  readonly minimum: number | undefined
  /** The greatest number it takes; absent where it takes none. */
  readonly maximum: number | undefined
  /** Whether its items may be identifiers as an external provider has them; see `Identifier`. */
  readonly takesIdentifiers: boolean
  /** Parameters that cannot be given beside it. */
  readonly excludes: ReadonlyArray<string>
}

/** The parameters of an endpoint by the wire's name, in the order of the interface. */
export type Parameters = ReadonlyMap<string, Parameter>

/** What a field says of itself; its name, whether it is required and what it excludes follow from where it stands. */
export type Declared = Omit<Parameter, "name" | "isRequired" | "excludes">

const plain: Declared = {
  kind: "text",
  isList: false,
  role: { _tag: "Other" },
  words: [],
  isClosed: false,
  minimum: undefined,
  maximum: undefined,
  takesIdentifiers: false
}

/** Where a field keeps what it says of itself. */
const field = "~@sluice/core/Parameter"

/** Where a check keeps the names of which at most one may be given. */
const exclusion = "~@sluice/core/Parameter/exclusion"

const declaredBy = (schema: Schema.Top): Declared | undefined =>
  // Type boundary: `declare` alone writes under this key.
  schema.ast.context?.annotations?.[field] as Declared | undefined

/** Says of a field what it is, beside what was said before; of what is not said it is text that may mean anything. */
export const declare = <S extends Schema.Top>(schema: S, declared: Partial<Declared>): S =>
  // Type boundary: an annotation leaves the type of a schema as it was.
  schema.annotateKey({ [field]: { ...plain, ...declaredBy(schema), ...declared } }) as S

/** The annotation of a check that lets at most one of these names be given. */
export const excluding = (names: ReadonlyArray<string>) => ({ [exclusion]: names })

/** The names of which a check lets at most one be given; absent where it is another check. */
export const excludedBy = (annotations: Schema.Annotations.Annotations | undefined) =>
  // Type boundary: `excluding` alone writes under this key.
  annotations?.[exclusion] as ReadonlyArray<string> | undefined

/** The parameters a struct describes. */
export const allOf = (params: Schema.Top): Parameters => {
  // Type boundary: the parameters of an endpoint are a struct; anything else has no fields.
  const fields = "fields" in params ? (params.fields as Readonly<Record<string, Schema.Top>>) : {}
  const exclusions = (params.ast.checks ?? []).flatMap((check) => {
    const names = excludedBy(check.annotations)
    return names === undefined ? [] : [names]
  })
  const parameters = Object.entries(fields).map(([name, schema]): Parameter => ({
    name,
    ...(declaredBy(schema) ?? plain),
    isRequired: schema.ast.context?.isOptional !== true,
    excludes: exclusions.flatMap((names) => (names.includes(name) ? names.filter((other) => other !== name) : []))
  }))
  return new Map(parameters.map((parameter) => [parameter.name, parameter]))
}

/** The parameters with this role. */
export const withRole = (parameters: Parameters, tag: RoleTag): ReadonlyArray<Parameter> =>
  [...parameters.values()].filter(({ role }) => role._tag === tag)

/** The first parameter with this role; of a bound that is counted in `unit`. */
export const find = (parameters: Parameters, tag: RoleTag, unit?: Unit): Parameter | undefined => {
  for (const parameter of parameters.values()) {
    const { role } = parameter
    if (role._tag === tag && (unit === undefined || ("unit" in role && role.unit === unit))) return parameter
  }
  return undefined
}
