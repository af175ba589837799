/**
 * The words in which the table says what a parameter takes, and the sets of docs/interface.md 2.2 and 4.6.1.
 */

export interface Parameter {
  readonly kind: "text" | "integer" | "boolean" | "time" | "word"
  /** Whether it is a comma list. */
  readonly isList: boolean
  readonly isRequired: boolean
  /** Whether it is a part of the path, in braces there. */
  readonly isPath: boolean
  /** Words it takes; beside numbers, those it takes in place of one. */
  readonly words: ReadonlyArray<string>
  /** Whether there are no other words than these. */
  readonly isClosed: boolean
  readonly minimum: number | undefined
  /** Absent where none is published. */
  readonly maximum: number | undefined
  readonly default: string | number | boolean | undefined
  /** Whether `*` stands for any characters (docs/interface.md 11.3). */
  readonly takesWildcards: boolean
  /** Whether its items may be identifiers as an external provider has them (docs/interface.md 11.1). */
  readonly takesIdentifiers: boolean
  /** What the community root makes of it, where that is less. */
  readonly community: "disabled" | "one item" | undefined
  /** Parameters of which at most one may be given, this one among them. */
  readonly excludes: ReadonlyArray<string>
}

export type Parameters = Readonly<Record<string, Parameter>>

/** One text. */
export const text: Parameter = {
  kind: "text",
  isList: false,
  isRequired: false,
  isPath: false,
  words: [],
  isClosed: false,
  minimum: undefined,
  maximum: undefined,
  default: undefined,
  takesWildcards: false,
  takesIdentifiers: false,
  community: undefined,
  excludes: []
}

/** A comma list. */
export const list: Parameter = { ...text, isList: true }

/** A comma list of names, or of identifiers of a provider. */
export const identifiers: Parameter = { ...list, takesIdentifiers: true }

export const boolean: Parameter = { ...text, kind: "boolean" }

export const time: Parameter = { ...text, kind: "time" }

/** A whole number from `minimum` to `maximum`. */
export const integer = (minimum: number, maximum?: number): Parameter => ({
  ...text,
  kind: "integer",
  minimum,
  maximum
})

/** One of these words and no other. */
export const oneOf = (...words: ReadonlyArray<string>): Parameter => ({ ...text, kind: "word", words, isClosed: true })

/** One of these words, or any the service may add. */
export const open = (...words: ReadonlyArray<string>): Parameter => ({ ...text, kind: "word", words })

/** Several of these words and no others, as a comma list. */
export const several = (...words: ReadonlyArray<string>): Parameter => ({ ...oneOf(...words), isList: true })

/** A part of the path. */
export const inPath: Parameter = { ...text, isRequired: true, isPath: true }

export const required = (parameter: Parameter): Parameter => ({ ...parameter, isRequired: true })

export const wild = (parameter: Parameter): Parameter => ({ ...parameter, takesWildcards: true })

/** The value that holds where none is given. */
export const or = (parameter: Parameter, value: string | number | boolean): Parameter => ({
  ...parameter,
  default: value
})

/** At most one of these may be given. */
export const exclusive = (parameters: Parameters, ...names: ReadonlyArray<string>): Parameters => ({
  ...parameters,
  ...Object.fromEntries(
    names.map((name) => {
      const parameter = parameters[name]
      if (parameter === undefined) throw new Error(`there is no parameter ${name}`)
      const excludes = [...new Set([...parameter.excludes, ...names.filter((other) => other !== name)])]
      return [name, { ...parameter, excludes }]
    })
  )
})

/** What the community root does not take. */
export const disabled = (parameters: Parameters): Parameters => at("disabled", parameters)

/** Lists of which the community root takes one item. */
export const oneItem = (parameters: Parameters): Parameters => at("one item", parameters)

const at = (community: Parameter["community"], parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [name, { ...parameter, community }]))

/** docs/interface.md 2.2: every operation with a query has it. */
export const pretty: Parameters = { pretty: or(boolean, false) }

/** docs/interface.md 2.2: the paging set, by the end of the interval at which the first page lies. */
export const paging = (from: "start" | "end", largest = 10_000, usual = 100): Parameters => ({
  page_size: or(integer(1, largest), usual),
  paging_from: or(oneOf("start", "end"), from),
  next_page_token: text,
  ...pretty
})

/** Formats beside json: `js` is json_stream. */
export const format = (...more: ReadonlyArray<"js" | "csv">): Parameters => ({
  format: or(oneOf("json", ...more.map((one) => (one === "js" ? "json_stream" : one))), "json")
})

/** docs/interface.md 4.6.1: whether the bounds belong to the range. */
export const inclusive: Parameters = { start_inclusive: or(boolean, true), end_inclusive: or(boolean, true) }

/** docs/interface.md 4.6.1: the time range set. */
export const timeRange: Parameters = { start_time: time, end_time: time, ...inclusive, timezone: or(text, "UTC") }

/** docs/interface.md 4.6.1: the most records of each entity; 1 or more is our assumption. */
export const limitPer = (entity: string): Parameters => ({ [`limit_per_${entity}`]: integer(1, 2_147_483_647) })

export const ignoreUnsupported: Parameters = { ignore_unsupported_errors: or(boolean, false) }

/** docs/interface.md 4.6.1: items that are passed over in place of a failure. */
export const ignoring: Parameters = { ignore_forbidden_errors: or(boolean, false), ...ignoreUnsupported }
