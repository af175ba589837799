/**
 * The columns of an endpoint's records as a table. They follow from the record's schema and the parameters, never from
 * the data, so that every part of a download has the same columns.
 */
import type * as Endpoint from "../../Endpoint.ts"
import * as Field from "../../Field.ts"
import * as Parameter from "../../Parameter.ts"
import * as Params from "../../Params.ts"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { BadFormat } from "./FormatError.ts"

/** One column. */
export interface Column {
  /** The record's key, which is the wire's name. */
  readonly name: string
  /** What its values are. */
  readonly kind: Field.Kind
  /** Whether the field may be absent or null. */
  readonly nullable: boolean
}

/** What columns follow from: an endpoint, or a live operation. */
export type Source = Pick<Endpoint.Info, "path" | "parameters" | "order" | "identity" | "record">

/**
 * Gives the columns of an endpoint's records for these parameters.
 *
 * **Details**
 *
 * First the fields that identify a record, such as `asset` and `time`. Then the other fields in the order of the
 * interface, and metrics in the order of the request. Last the review status of metrics, `<metric>-status` and
 * `<metric>-status-time`: a pair for every metric, since only the service knows which metrics have one. Times are
 * `timestamp` in time series and `text` elsewhere, where a date alone or `N/A` may take their place.
 *
 * With `chosen` gives only these columns, in this order. Fails with {@link BadFormat} for a metric that is a wildcard,
 * for a chosen name that is no column, and where the parameter that names the columns is absent.
 */
export const of = (
  endpoint: Source,
  params: object,
  chosen?: ReadonlyArray<string> | undefined
): Result.Result<ReadonlyArray<Column>, BadFormat> => {
  // A call without a required parameter fails by itself.
  const source = Parameter.find(endpoint.parameters, "Columns")
  if (source?.isRequired === false && Reflect.get(params, source.name) === undefined) {
    return Result.fail(unnamed(endpoint.path, source.name))
  }
  // Type boundary: code for all endpoints has parameters as data; the schema reads those it knows.
  const fields = [...Field.allOf(endpoint.record(params as never)).values()]
  const all = fields.map(({ isNullable, isOptional, kind, name }): Column => ({
    name,
    kind: kind === "timestamp" && endpoint.order !== "series" ? "text" : kind,
    nullable: isOptional || isNullable
  }))
  const wild = all.find(({ name }) => name.includes("*"))
  if (wild !== undefined) return bad(`"${wild.name}" is a wildcard; name each metric`)
  return chosen === undefined ? Result.succeed(ordered(all)) : choose(ordered(all), chosen)
}

/** Fails where the parameter that names the columns is absent, required or not: there may be no call that would refuse it. */
export const checkNamed = ({ parameters, path }: Source, params: object): Result.Result<void, BadFormat> => {
  const name = Parameter.find(parameters, "Columns")?.name
  return name === undefined || Reflect.get(params, name) !== undefined ? Result.void : Result.fail(unnamed(path, name))
}

/**
 * The columns of text whose values repeat: those that name entities, and those with documented words. Each has the words that
 * are known before the first record: the entities that the call names, and the documented words.
 */
export const wordsOf = ({ parameters, record }: Source, params: object): ReadonlyMap<string, ReadonlyArray<string>> => {
  const entities = Parameter.withRole(parameters, "Entities").flatMap(({ name, role }) => {
    const named = Params.items(Reflect.get(params, name)).filter((item) => !item.includes("*"))
    return role._tag === "Entities" && role.field !== undefined ? [[role.field, named] as const] : []
  })
  // Type boundary: see `of`.
  const documented = [...Field.allOf(record(params as never)).values()].flatMap(({ kind, name, types }) => {
    const words = types.flatMap((type) => (type._tag === "Word" ? [type.word] : []))
    return kind === "text" && words.length > 0 ? [[name, words] as const] : []
  })
  return new Map([...documented, ...entities])
}

const choose = (columns: ReadonlyArray<Column>, names: ReadonlyArray<string>) => {
  const known = new Map(columns.map((column) => [column.name, column]))
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined)
    return bad(`there is no column "${unknown}"; the columns are ${[...known.keys()].join(", ")}`)
  if (new Set(names).size < names.length) return bad("a column is named twice")
  return names.length === 0
    ? bad("at least one column is needed")
    : Result.succeed(names.flatMap((name) => known.get(name) ?? []))
}

const bad = (reason: string) => Result.fail(new BadFormat({ option: "columns", reason }))

const unnamed = (endpoint: string, parameter: string) =>
  new BadFormat({
    option: "as",
    endpoint,
    parameter,
    reason: `columns need "${parameter}", because they are fixed before the first record`
  })

const ordered = (all: ReadonlyArray<Column>) => {
  const isStatus = statusIn(all)
  const rank = (column: Column) => (isStatus(column) ? 2 : column.nullable ? 1 : 0)
  return all.toSorted((a, b) => rank(a) - rank(b))
}

/** The columns without the review status of metrics. */
export const withoutStatus = (columns: ReadonlyArray<Column>): ReadonlyArray<Column> => {
  const isStatus = statusIn(columns)
  return columns.filter((column) => !isStatus(column))
}

/** Tells the review status of a metric that is among the columns. */
const statusIn = (columns: ReadonlyArray<Column>) => {
  const names = new Set(columns.map(({ name }) => name))
  return ({ name, nullable }: Column) => {
    const metric = name.replace(/-status(?:-time)?$/, "")
    return nullable && metric !== name && names.has(metric)
  }
}

/** The value of a record's own property; nothing where the record is no object. */
export const valueOf = (record: unknown, key: string): unknown => {
  // Type boundary: a property of any value can be read, except of null and undefined.
  const value = (record as Readonly<Record<string, unknown>> | null | undefined)?.[key]
  // JSON has no functions: a function is inherited by every object, such as `toString`. `Object.hasOwn` for each cell costs
  // a fifth of the time of writing CSV.
  return Predicate.isFunction(value) || value === Object.prototype ? undefined : value
}
