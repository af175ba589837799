/**
 * What an endpoint is expected to describe: what the table has, but for differences on purpose, which are all here.
 *
 * - csv is not read, so it is no format; where json alone remains there is no choice, and no parameter.
 * - A whole number without a published bound ends where a JavaScript number does.
 * - What is required and what is optional are alike: only the key of a record must be there, inside of it nothing.
 * - Defaults, wildcards and lists of which the community root takes one item are left to the service.
 */
import { isDeepStrictEqual } from "node:util"
import type { Endpoint } from "@sluice/core"
import { type Field, type Fields, list, may, type Type, word } from "@sluice/interface/Field"
import { formatsOf, type Operation } from "@sluice/interface/Operation"
import type { Parameter } from "@sluice/interface/Parameter"
import * as View from "@sluice/interface/View"

/** One place, with the reason. */
export interface Difference {
  readonly paths: RegExp
  /** The field, below those that hold it. */
  readonly at: string
  /** What the table has there. */
  readonly table: Field | undefined
  /** What the endpoint describes there. */
  readonly as: Field
  readonly because: string
}

const optional = (type: Type): Field => ({ isKey: false, type })

/** Each is needed: a test fails when one is not. */
export const differences: ReadonlyArray<Difference> = [
  {
    paths: /^\/timeseries-stream\//,
    at: "cm_sequence_id",
    table: optional({ _tag: "text" }),
    as: optional({ _tag: "number" }),
    because: "one client reads it as a number, so both are accepted"
  },
  ...["supply_cap", "initial_supply_token_distribution.initial_supply_allocation"].map((at) => ({
    paths: /^\/profile\/assets$/,
    at,
    table: optional({ _tag: "int64" }),
    as: optional({ _tag: "text" }),
    because: "it is `N/A` at times"
  })),
  {
    paths: /^\/taxonomy\/assets$/,
    at: "classification_start_time",
    table: { isKey: true, type: { _tag: "time" } },
    as: optional({ _tag: "time" }),
    because: "records without it were seen, and the rest of them is of use"
  },
  {
    paths: /^\/catalog(?:-all)?\/metrics$/,
    at: "product",
    table: undefined,
    as: optional(word("Market Data", "Network Data")),
    because: "it has the record type of asset-metrics, of which product is absent here"
  },
  ...["significant_historical_changes.date", "upgrade_history.date"].map((at) => ({
    paths: /^\/profile\//,
    at,
    table: optional({ _tag: "text" }),
    as: optional({ _tag: "time" }),
    because: "it is a day, as creation_date is"
  })),
  {
    paths: /^\/reference-data\/assets$/,
    at: "talos.currency_id",
    table: optional({ _tag: "text" }),
    as: optional({ _tag: "number" }),
    because: "a number of the provider, which comes as text or as a JSON number"
  },
  ...["normal_size", "notional_multiplier", "size_buckets.size"].map((field) => ({
    paths: /^\/reference-data\/markets$/,
    at: `talos.${field}`,
    table: optional({ _tag: "text" }),
    as: optional({ _tag: "number" }),
    because: "a number of the provider, which comes as text or as a JSON number"
  }))
]

/** Those of the differences that are of an operation. */
export const named = ({ path }: Operation): ReadonlyArray<Difference> =>
  differences.filter(({ paths }) => paths.test(path))

/** Those of them that apply: the table has there what they say. */
export const needed = (operation: Operation): ReadonlyArray<Difference> => {
  const { more, record } = operation
  const included = Object.entries(more.included ?? {}).map(([name, provider]) => [name, list(provider)] as const)
  const whole: Type = { _tag: "object", fields: { ...record, ...may(Object.fromEntries(included)) } }
  return named(operation).filter(({ at, table }) => isDeepStrictEqual(fieldAt(whole, at.split(".")), table))
}

const fieldAt = (type: Type | undefined, steps: ReadonlyArray<string>): Field | undefined => {
  const [name = "", ...below] = steps
  if (type?._tag === "list") return fieldAt(type.of, steps)
  const found = type?._tag === "object" ? type.fields[name] : undefined
  return below.length === 0 ? found : fieldAt(found?.type, below)
}

/** Formats that Sluice reads. */
export const formats = (operation: Operation): ReadonlyArray<string> =>
  formatsOf(operation).filter((format) => format !== "csv")

/** The parameters an endpoint takes. */
export const parameters = (operation: Operation): Readonly<Record<string, Parameter>> => {
  const { format, ...others } = operation.parameters
  const words = formats(operation)
  return format === undefined || words.length === 1 ? others : { ...others, format: { ...format, words } }
}

/** What an endpoint says of a parameter. */
export const parameter = ({
  community,
  excludes,
  isClosed,
  isList,
  isRequired,
  kind,
  maximum,
  minimum,
  takesIdentifiers,
  words
}: Parameter) => ({
  kind,
  isList,
  isRequired,
  words: words.toSorted(),
  isClosed,
  minimum,
  maximum: kind === "integer" ? (maximum ?? Number.MAX_SAFE_INTEGER) : maximum,
  takesIdentifiers,
  isPaidOnly: community === "disabled",
  excludes: excludes.toSorted()
})

/** How an endpoint pages by itself: a series begins at its start, since the service would begin at its end. */
export const order = ({ parameters, path, reply }: Operation): Endpoint.Info["order"] =>
  parameters["paging_from"]?.default === "end" || path.startsWith("/timeseries/") || reply === "frame"
    ? "series"
    : "list"

/** The records of an operation, one for each kind of call, as an endpoint describes them. */
export const views = (operation: Operation): ReadonlyArray<View.View> => {
  const ours = needed(operation)
  return View.of(operation).map((view) => ({ ...view, fields: read(view.fields, ours, "") }))
}

const read = (fields: Fields, ours: ReadonlyArray<Difference>, above: string): Fields => {
  const here = ours.filter(({ at }) => at.slice(0, at.lastIndexOf(".") + 1) === above)
  const all = { ...fields, ...Object.fromEntries(here.map(({ as, at }) => [at.slice(above.length), as])) }
  return Object.fromEntries(
    Object.entries(all).map(([name, { isKey, type }]) => [
      name,
      { isKey, type: readType(type, ours, `${above}${name}.`) }
    ])
  )
}

const readType = (type: Type, ours: ReadonlyArray<Difference>, above: string): Type => {
  switch (type._tag) {
    case "list":
      return { ...type, of: readType(type.of, ours, above) }
    case "object":
    case "either":
      return { ...type, fields: read(type.fields, ours, above) }
    default:
      return type
  }
}
