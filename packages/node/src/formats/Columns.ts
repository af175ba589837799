/**
 * The columns of an endpoint's records as a table: they follow from the schema of a record and the parameters, never
 * from the data, so that every part of a download has the same ones.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Field from "@sluice/core/Field"
import * as Result from "effect/Result"
import { BadFormat } from "./FormatError.ts"

/** One column. */
export interface Column {
  /** The record's key, which is the wire's name. */
  readonly name: string
  readonly kind: Field.Kind
  /** Whether records may lack it or have null there. */
  readonly nullable: boolean
}

/**
 * Tells the columns of the records that an endpoint gives for these parameters.
 *
 * **Details**
 *
 * First what names a record, such as `asset` and `time`; then the other fields as the interface lists them, metrics in
 * the order they are asked for; last the review status of metrics, `<metric>-status` and `<metric>-status-time`, there
 * for every metric since only the service knows which have one. Times are `timestamp` in time series and `text`
 * elsewhere, where a date alone or `N/A` may stand in their place.
 *
 * Of these `chosen` ones, in their order, where they are named. Fails with {@link BadFormat} when a metric is named by a
 * wildcard, and for a chosen name that is no column.
 */
export const of = (
  endpoint: Endpoint.Info,
  params: object,
  chosen?: ReadonlyArray<string> | undefined
): Result.Result<ReadonlyArray<Column>, BadFormat> => {
  // Type boundary: whoever works on all endpoints has their parameters as data; the schema reads what it knows of them.
  const fields = [...Field.allOf(endpoint.record(params as never)).values()]
  const all = fields.map(({ isNullable, isOptional, kind, name }): Column => ({
    name,
    kind: kind === "timestamp" && endpoint.order !== "series" ? "text" : kind,
    nullable: isOptional || isNullable
  }))
  const wild = all.find(({ name }) => name.includes("*"))
  if (wild !== undefined) return bad(`"${wild.name}" could stand for any; name each`)
  return chosen === undefined ? Result.succeed(ordered(all)) : choose(ordered(all), chosen)
}

const choose = (columns: ReadonlyArray<Column>, names: ReadonlyArray<string>) => {
  const known = new Map(columns.map((column) => [column.name, column]))
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) return bad(`there is no "${unknown}"; there are ${[...known.keys()].join(", ")}`)
  if (new Set(names).size < names.length) return bad("one is named twice")
  return names.length === 0
    ? bad("at least one is needed")
    : Result.succeed(names.flatMap((name) => known.get(name) ?? []))
}

const bad = (reason: string) => Result.fail(new BadFormat({ option: "columns", reason }))

const ordered = (all: ReadonlyArray<Column>) => {
  const names = new Set(all.map(({ name }) => name))
  const rank = ({ name, nullable }: Column) => {
    if (!nullable) return 0
    const metric = name.replace(/-status(?:-time)?$/, "")
    return metric !== name && names.has(metric) ? 2 : 1
  }
  return all.toSorted((a, b) => rank(a) - rank(b))
}
