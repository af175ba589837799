/**
 * The parameters of an endpoint as data: which values each takes, and what it does in a request.
 *
 * Paging, resuming, splitting, the command line and the reference page look up parameters by role, never by name.
 */
import * as Schema from "effect/Schema"

/** The kind of a value: text, a whole number, `true` or `false`, a moment, or one of some words. */
export type Kind = "text" | "integer" | "boolean" | "time" | "word"

/** The unit of a range. */
export type Unit = "time" | "height" | "hash"

/** What a parameter does in a request. */
export type Role =
  /**
   * A list that names entities: every record belongs to exactly one of its items, so a request can be split along it.
   * `field` is the field of a record that names its item.
   */
  | { readonly _tag: "Entities"; readonly field: string | undefined }
  /** Where the records begin or end. */
  | { readonly _tag: "Start" | "End"; readonly unit: Unit }
  | {
      readonly _tag:
        /** A part of the path: it stands there in braces. Each value has records of its own. */
        | "Path"
        /** Whether the range includes its bound. */
        | "StartInclusive"
        | "EndInclusive"
        /** The time zone of times in the request and of the days of records. */
        | "TimeZone"
        /** Columns of a record. */
        | "Columns"
        /** Selects records. */
        | "Filter"
        /** The interval between two records of a series. */
        | "Frequency"
        /** The order of the records. */
        | "Sort"
        /** The number of records on a page. Its maximum is the largest page of the endpoint. */
        | "PageSize"
        /** The end of the range at which the pages begin. */
        | "PageFrom"
        /** Where the pages begin. */
        | "PageToken"
        /** The most records of a reply. */
        | "Limit"
        /** The most records of each entity. */
        | "LimitPer"
        /** Adds records at the start of the range, such as a whole order book before its updates. */
        | "Opening"
        /** The format of the reply. Its words are the formats the endpoint offers. */
        | "Format"
        /** Parts of a record that are added or left out. */
        | "Include"
        | "Exclude"
        /** Changes what a record holds, but not which records there are or their order. */
        | "Detail"
        /** Changes the layout of the reply, for human readers. */
        | "Layout"
        /** Unknown. Nothing may be concluded about a call that sets it. */
        | "Other"
    }

/** What a parameter does, without the details. */
export type RoleTag = Role["_tag"]

/** What a call has to be like where a parameter has one of its words. */
export interface Variant {
  /**
   * The values that other parameters may have, by their names. Where a call does not give one, Sluice sends the first; another one
   * is refused before anything is sent.
   */
  readonly needs: Readonly<Record<string, readonly [string, ...ReadonlyArray<string>]>>
  /** The fields that tell apart records of one entity and time, in place of those of the endpoint. */
  readonly identity: ReadonlyArray<string>
}

/** A parameter of an endpoint. */
export interface Parameter {
  /** The wire's name. */
  readonly name: string
  /** The kind of its values. */
  readonly kind: Kind
  /** Whether it takes several, as a comma list or an array. */
  readonly isList: boolean
  /** Whether a call must give it. */
  readonly isRequired: boolean
  /** What it does in a request. */
  readonly role: Role
  /** The words it takes; for a number, the words it takes instead of a number. */
  readonly words: ReadonlyArray<string>
  /** Whether it takes no other words than these. */
  readonly isClosed: boolean
  /** The smallest number it takes, if it takes numbers. */
  readonly minimum: number | undefined
  /** The largest number it takes, if it takes numbers. */
  readonly maximum: number | undefined
  /** Whether its items may be identifiers of an external provider; see `Identifier`. */
  readonly takesIdentifiers: boolean
  /** A type of markets that have records, where spot markets have none. */
  readonly marketType: "future" | "option" | undefined
  /** The largest page for each of its words with which it is smaller than that of the endpoint. */
  readonly pageSizes: ReadonlyMap<string, number>
  /** What changes with some of its words. */
  readonly variants: ReadonlyMap<string, Variant>
  /** The number that Sluice sends where a call gives none, if it sends one. */
  readonly usual: number | undefined
  /** Whether the community root has disabled it. */
  readonly isPaidOnly: boolean
  /** Parameters that cannot be combined with it. */
  readonly excludes: ReadonlyArray<string>
}

/** The parameters of an endpoint by the wire's name, in the order of the interface. */
export type Parameters = ReadonlyMap<string, Parameter>

/** What the annotation of a field holds. The rest follows from the struct that the field is part of. */
export type Declared = Omit<Parameter, "name" | "isRequired" | "excludes">

const plain: Declared = {
  kind: "text",
  isList: false,
  role: { _tag: "Other" },
  words: [],
  isClosed: false,
  minimum: undefined,
  maximum: undefined,
  takesIdentifiers: false,
  marketType: undefined,
  pageSizes: new Map(),
  variants: new Map(),
  usual: undefined,
  isPaidOnly: false
}

/** Key of the annotation of a field. */
const field = "~@sluice/core/Parameter"

/** Key of the annotation of a check that allows at most one of some names. */
const exclusion = "~@sluice/core/Parameter/exclusion"

const declaredBy = (schema: Schema.Top): Declared | undefined =>
  // Type boundary: `declare` alone writes under this key.
  schema.ast.context?.annotations?.[field] as Declared | undefined

/** Annotates a field, and keeps what was declared before. By default a field is text with an unknown role. */
export const declare = <S extends Schema.Top>(schema: S, declared: Partial<Declared>): S =>
  // Type boundary: an annotation leaves the type of a schema as it was.
  schema.annotateKey({ [field]: { ...plain, ...declaredBy(schema), ...declared } }) as S

/** The annotation of a check that allows at most one of these names. */
export const excluding = (names: ReadonlyArray<string>) => ({ [exclusion]: names })

/** The names of which a check allows at most one; absent for other checks. */
export const excludedBy = (annotations: Schema.Annotations.Annotations | undefined) =>
  // Type boundary: `excluding` alone writes under this key.
  annotations?.[exclusion] as ReadonlyArray<string> | undefined

const requirement = "~@sluice/core/Parameter/requirement"

/** The annotation of a check that something must be given. */
export const requiring = { [requirement]: true }

/** Tells whether a check asks that something must be given. */
export const isRequiring = (annotations: Schema.Annotations.Annotations | undefined) =>
  annotations?.[requirement] === true

/** At least one of these parameters must be given. */
export const atLeastOne = (...names: ReadonlyArray<string>) =>
  Schema.makeFilter(
    (params: object) =>
      names.some((name) => Reflect.get(params, name) !== undefined) || `expected one of ${names.join(", ")}, got none`,
    requiring
  )

/** At most one of these ranges may be given, with both of its ends. Each is named by its start and then its end. */
export const atMostOnePair = (...names: ReadonlyArray<string>) => {
  const pairs = names.flatMap((start, index) => (index % 2 === 0 ? [[start, names[index + 1] ?? ""] as const] : []))
  return Schema.makeFilter((params: object) => {
    const isGiven = (name: string) => Reflect.get(params, name) !== undefined
    const given = pairs.filter((pair) => pair.some(isGiven))
    const lonely = given.find((pair) => !pair.every(isGiven))
    if (lonely !== undefined) {
      const [present, absent] = isGiven(lonely[0]) ? lonely : lonely.toReversed()
      return { path: [present ?? ""], issue: `needs "${absent}" beside it` }
    }
    const [first, second] = given
    return second === undefined || { path: [second[0]], issue: `cannot be combined with "${first?.[0]}"` }
  })
}

/** The value of another parameter has to be one that a word needs. */
export const needing = (name: string, variants: Readonly<Record<string, Variant>>) =>
  Schema.makeFilter((params: object) => {
    const word = String(Reflect.get(params, name))
    const wrong = Object.entries(variants[word]?.needs ?? {}).find(([other, allowed]) => {
      const value: unknown = Reflect.get(params, other)
      return value !== undefined && !allowed.includes(String(value))
    })
    return wrong === undefined || { path: [wrong[0]], issue: `expected ${wrong[1].join(" or ")} with ${name}=${word}` }
  })

/** The parameters of a struct. */
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

/** The variants that values of parameters choose. */
export const variantsOf = (
  parameters: Parameters,
  values: Iterable<readonly [name: string, value: unknown]>
): ReadonlyArray<Variant> =>
  [...values].flatMap(([name, value]) => parameters.get(name)?.variants.get(String(value)) ?? [])

/**
 * The fields that tell apart records of one entity and time in a call with these parameters; empty where only all fields
 * together do. Absent where there is one record at a time.
 */
export const identityOf = (
  { identity, parameters }: { readonly identity?: ReadonlyArray<string> | undefined; readonly parameters: Parameters },
  values: Iterable<readonly [name: string, value: unknown]>
): ReadonlyArray<string> | undefined => variantsOf(parameters, values)[0]?.identity ?? identity

/** Whether the records of a call with these parameters come as a json_stream alone, because one of its words needs that. */
export const isStreamOnly = (
  parameters: Parameters,
  values: Iterable<readonly [name: string, value: unknown]>
): boolean =>
  variantsOf(parameters, values).some(({ needs }) =>
    needs[find(parameters, "Format")?.name ?? ""]?.includes("json_stream")
  )

/** The frequency of the records of a request; `1d` is the default of every series that has one (docs/interface.md 4.6). */
export const frequencyOf = (
  { parameters }: { readonly parameters: Parameters },
  values: object
): string | undefined => {
  const name = find(parameters, "Frequency")?.name
  return name === undefined ? undefined : String(Reflect.get(values, name) ?? "1d")
}

/** How far apart the records of an entity are. */
export interface Step {
  /** Its length in nanoseconds. */
  readonly nanos: bigint
  /** Whether all steps are of that length and begin at multiples of it in UTC; not of days by the close of a place. */
  readonly isEven: boolean
}

const units: Readonly<Record<string, bigint>> = {
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n
}

/** The step of a frequency such as `15s`, `4h` or `1d-ny-close`; absent for `1b`, of blocks, and for other words. */
export const stepOf = (frequency: string): Step | undefined => {
  const [all, count = "", unit = ""] = /^([1-9]\d{0,5})(ms|[smhd])(?![a-z])/.exec(frequency) ?? []
  const length = units[unit]
  return length === undefined ? undefined : { nanos: BigInt(count) * length, isEven: all === frequency }
}

/** Whether a frequency is of blocks, whose times may go back. */
export const isPerBlock = (frequency: unknown): boolean => /^\d+b$/.test(String(frequency))

/** The parameters with this role. */
export const withRole = (parameters: Parameters, tag: RoleTag): ReadonlyArray<Parameter> =>
  [...parameters.values()].filter(({ role }) => role._tag === tag)

/** The first parameter with this role; for a bound, the first that counts in `unit`. */
export const find = (parameters: Parameters, tag: RoleTag, unit?: Unit): Parameter | undefined => {
  for (const parameter of parameters.values()) {
    const { role } = parameter
    if (role._tag === tag && (unit === undefined || ("unit" in role && role.unit === unit))) return parameter
  }
  return undefined
}
