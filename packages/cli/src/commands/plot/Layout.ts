/**
 * Which fields of records are drawn, and how: decided by the flags, by what the endpoint declares, and by the first records.
 */
import * as Decimal from "@sluice/core/Decimal"
import * as Timestamp from "@sluice/core/Timestamp"
import { type Column, textOf } from "@sluice/files/Format"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Range } from "../../chart/Chart.ts"

/** What was named cannot be drawn. */
export class NotDrawable extends Schema.TaggedError<NotDrawable>()("NotDrawable", {
  reason: Schema.String,
  /** Fields of the records that can. */
  drawable: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.drawable.length === 0
      ? this.reason
      : `${this.reason}; those that can be drawn are ${this.drawable.join(", ")}`
  }
}

export type Row = Readonly<Record<string, unknown>>

/** What is known before the first record; of a file nothing is. */
export interface Known {
  /** The columns of the records; undefined where only the records tell. */
  readonly columns?: ReadonlyArray<Column> | undefined
  /** The fields that name entities, such as `asset`. */
  readonly entities?: ReadonlyArray<string> | undefined
  /** The fields that were asked for by name, such as metrics. */
  readonly asked?: ReadonlyArray<string> | undefined
}

export type Layout =
  | {
      readonly _tag: "Lines"
      readonly time: string
      readonly names: ReadonlyArray<string>
      readonly fields: ReadonlyArray<string>
    }
  | { readonly _tag: "Candles"; readonly time: string; readonly names: ReadonlyArray<string> }
  | { readonly _tag: "Coverage" }

export const prices = ["price_open", "price_close", "price_high", "price_low"] as const

/** The number of a field; undefined where it has none, such as null. */
export const numberOf = (value: unknown): number | undefined => {
  const number = Predicate.isString(value) && Decimal.isDecimal(value) ? Number(value) : value
  return Predicate.isNumber(number) && Number.isFinite(number) ? number : undefined
}

/** A moment that exists in every year, to the nanosecond. */
const exact =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{9}Z$/

/** The milliseconds of a time, with their fraction; undefined where it is none. */
export const millisOf = (value: unknown): number | undefined => {
  if (!Predicate.isString(value)) return undefined
  // A series has a time in each record, and always in this form: an object for each would take most of the time of a chart.
  if (exact.test(value)) return Date.parse(`${value.slice(0, 23)}Z`) + Number(value.slice(23, 29)) / 1e6
  const nanos = Result.getOrUndefined(Timestamp.toEpochNanos(value))
  return nanos === undefined ? undefined : Number(nanos / 1_000_000n) + Number(nanos % 1_000_000n) / 1e6
}

const isNumber = ({ kind }: Column) => kind === "decimal" || kind === "integer" || kind === "number"

/** Decides by the first records. */
export const of = (
  rows: ReadonlyArray<Row>,
  known: Known,
  wanted: ReadonlyArray<string> | undefined
): Result.Result<Layout, NotDrawable> => {
  const keys = [...new Set(rows.flatMap(Object.keys))]
  const has = (name: string, is: (value: unknown) => boolean) => rows.some((row) => is(row[name]))
  const isTime = (name: string) => has(name, (value) => millisOf(value) !== undefined)
  const time = isTime("time") ? "time" : undefined
  if (time === undefined && wanted === undefined && rows.some((row) => coveredBy(row).length > 0)) {
    return Result.succeed({ _tag: "Coverage" })
  }
  const at = time ?? keys.find((name) => name.endsWith("_time") && isTime(name))
  if (at === undefined) {
    return Result.fail(
      new NotDrawable({ reason: "the records have no time, so there is nothing to draw", drawable: [] })
    )
  }
  const isNumeric = (name: string) => has(name, (value) => numberOf(value) !== undefined)
  const before = keys.slice(0, keys.indexOf(at)).filter((name) => has(name, Predicate.isString) && !isNumeric(name))
  const names = known.entities ?? (isNamed(rows, before, at) ? before : [])
  const declared = known.columns?.filter(isNumber).map(({ name }) => name)
  const drawable = (declared ?? keys.filter(isNumeric)).filter((name) => name !== at && !names.includes(name))
  const all = known.columns?.map(({ name }) => name) ?? keys
  const fields = wanted ?? fieldsOf(drawable, known)
  if (fields === undefined) return Result.succeed({ _tag: "Candles", time: at, names })
  const bad = fields.find((name) => !drawable.includes(name) && !isNumeric(name))
  if (bad !== undefined || fields.length === 0) {
    const reason =
      bad === undefined
        ? "the records have no numbers to draw"
        : `the field ${JSON.stringify(bad)} ${all.includes(bad) ? "has no numbers" : "does not exist"}`
    return Result.fail(new NotDrawable({ reason, drawable }))
  }
  return Result.succeed({ _tag: "Lines", time: at, names, fields })
}

/** Whether fields name series: an id, such as a hash, has another value in each record, whose times differ too. */
const isNamed = (rows: ReadonlyArray<Row>, names: ReadonlyArray<string>, time: string) => {
  const count = (of: (row: Row) => unknown) => new Set(rows.map(of)).size
  const isEach = count((row) => JSON.stringify(names.map((name) => textOf(row, name)))) === rows.length
  return rows.length < 2 || !isEach || count((row) => row[time]) < rows.length
}

/**
 * The fields that are drawn where none is named: those of candles, which are undefined here, else what was asked for, else the
 * price or the first number that is no id.
 */
const fieldsOf = (drawable: ReadonlyArray<string>, { asked = [] }: Known) => {
  if (prices.every((name) => drawable.includes(name))) return undefined
  const named = asked.filter((name) => drawable.includes(name))
  if (named.length > 0) return named
  const numbers = drawable.filter((name) => !name.endsWith("_id"))
  const price = numbers.find((name) => name === "price")
  return price === undefined ? numbers.slice(0, 1) : [price]
}

/** A range of times, and what it is of. */
export interface Named extends Range {
  readonly name: string
}

/** How deep ranges may be nested: those of a catalog are three levels deep. */
const deepest = 16

/** The ranges that a record of a catalog lists: its own, or those of what is nested in it. */
export const coveredBy = (row: Row, above: ReadonlyArray<string> = [], depth = 0): ReadonlyArray<Named> => {
  const [key, first] =
    Object.entries(row).find(([, value]) => Predicate.isString(value) && millisOf(value) === undefined) ?? []
  const path = [...above, first, key === "frequency" ? undefined : row["frequency"]].filter(Predicate.isString)
  const [from, to] = [millisOf(row["min_time"]), millisOf(row["max_time"])]
  if (from !== undefined && to !== undefined) return [{ name: path.join(" "), from, to }]
  if (depth === deepest) return []
  return Object.values(row)
    .filter(Array.isArray)
    .flatMap((items: ReadonlyArray<unknown>) =>
      items.filter(Predicate.isObject).flatMap((item) => coveredBy(item as Row, path, depth + 1))
    )
}
