/**
 * A request cut into parts: which items and which times each of them asks for.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type { Part, Split } from "../Bulk.ts"
import type { Info } from "../Endpoint.ts"
import * as Params from "../Params.ts"
import * as Interval from "./Interval.ts"
import * as Uri from "./Uri.ts"

/** Parameters as JSON: lists are arrays of text, and what is absent is left out. */
export type Plain = Part["params"]

/** Why a request is not cut. */
export type Refused = Interval.Refused

/** Characters kept for what is not known yet: the root, the key, a page's token. */
const reserve = 1_000

/** More are a mistake rather than a plan: each holds its parameters in memory. */
const mostParts = 1_000_000

/** Writes checked parameters as JSON. */
export const plain = (schema: Schema.Top, params: object): Plain => {
  // A map: parts that were read back from a file may have any name, `constructor` too.
  const fields = new Map<string, Schema.Top>(Object.entries("fields" in schema ? (schema.fields as object) : {}))
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => {
      if (value === undefined) return []
      const field = fields.get(name)
      return [[name, field !== undefined && isList(field.ast) ? Params.items(value) : value]]
    })
  )
}

const isList = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Arrays" || (ast._tag === "Union" && ast.types.some(isList))

/**
 * Cuts a request: batches of items, each over all parts of time, in the order of the records; reversed where those come
 * newest first.
 */
export const make = (endpoint: Info, params: Plain, how: Split): Result.Result<ReadonlyArray<Part>, Refused> => {
  if (how.by === undefined && how.size !== undefined) return refused("size", "means items of `by`, which is not given")
  if (how.by === undefined && how.every === undefined) return Result.succeed([{ index: 0, params }])
  if (params["next_page_token"] !== undefined) return refused("next_page_token", "begins inside of a request")
  if ((params["limit"] ?? "none") !== "none") return refused("limit", "counts the records of the whole request")
  return Result.gen(function* () {
    const times = how.every === undefined ? undefined : yield* cutTime(endpoint, params, how.every)
    const batches = how.by === undefined ? [{} as Plain] : yield* cutList(endpoint, params, how.by, how.size ?? 1)
    const count = batches.length * (times?.count ?? 1)
    if (count > mostParts) return yield* refused(undefined, `it would take ${count} parts; ${mostParts} are the most`)
    const { start_inclusive: _start, end_inclusive: _end, ...timeless } = params
    const whole = times === undefined ? params : timeless
    const parts = batches.flatMap((batch) =>
      Array.from({ length: times?.count ?? 1 }, (_, at): Plain => ({ ...whole, ...batch, ...times?.at(at) }))
    )
    const isNewestFirst = params["paging_from"] === "end" && params["format"] !== "json_stream"
    return (isNewestFirst ? parts.toReversed() : parts).map((params, index): Part => ({ index, params }))
  })
}

/**
 * Cuts a part in two along its longest list, in the order of its records; gives fewer than two parts where that is not
 * possible: a single item, wildcards, a limit over all records, an order that goes across items.
 */
export const halves = (endpoint: Info, params: Plain): ReadonlyArray<Part> => {
  const length = (name: string) => Params.items(params[name]).join(",").length
  const [by] = endpoint.splits.filter((name) => length(name) > 0).toSorted((a, b) => length(b) - length(a))
  if (by === undefined || ![undefined, by.slice(0, -1)].some((sort) => sort === params["sort"])) return []
  const size = Math.ceil(Params.items(params[by]).length / 2)
  return Result.getOrElse(make(endpoint, params, { by, size }), () => [])
}

const refused = (parameter: string | undefined, reason: string) => Result.fail<Refused>({ parameter, reason })

const cutTime = (
  endpoint: Info,
  { start_time, end_time, start_inclusive, end_inclusive, ...params }: Plain,
  every: Duration.Input
): Result.Result<Interval.Cut, Refused> => {
  if (endpoint.order !== "series")
    return refused("every", "needs records with a time to cut along; this endpoint has none")
  const length = Option.getOrUndefined(Option.flatMap(Duration.fromInput(every), Duration.toNanos))
  if (length === undefined || length <= 0n) return refused("every", "is no length of time above zero")
  const limit = Object.keys(params).find((name) => name.startsWith("limit_per_"))
  if (limit !== undefined) return refused(limit, "counts the records of all times")
  if ((params["timezone"] ?? "UTC") !== "UTC")
    return refused("timezone", "has hours that are not there or come twice; cut in UTC")
  if (!Predicate.isString(start_time)) return refused("start_time", "is needed to cut along time")
  if (!Predicate.isString(end_time)) return refused("end_time", "is needed to cut along time")
  const flags = { start_inclusive: flagOf(start_inclusive), end_inclusive: flagOf(end_inclusive) }
  return Interval.cut({ start_time, end_time, ...flags }, length)
}

const flagOf = (value: Schema.Json | undefined) => (Predicate.isBoolean(value) ? value : undefined)

const cutList = (
  endpoint: Info,
  params: Plain,
  by: string,
  size: number
): Result.Result<ReadonlyArray<Plain>, Refused> => {
  if (!endpoint.splits.includes(by)) {
    const others = endpoint.splits.length === 0 ? "no list can" : `what can: ${endpoint.splits.join(", ")}`
    return refused(by, `does not tell the records of this endpoint apart (${others})`)
  }
  if (!(size >= 1) || (size !== Infinity && !Number.isInteger(size)))
    return refused("size", "is no whole number from 1 up")
  // In the order of the records, so that parts of one item put together are the request as it was.
  const items = [...new Set(Params.items(params[by]))].toSorted()
  if (items.length === 0) return refused(by, "names nothing to split: list the items")
  const wildcard = items.find((item) => item.includes("*"))
  if (wildcard !== undefined)
    return refused(by, `has "${wildcard}", which stands for items that are not known here; list them`)
  if (new Set(items.map(formOf)).size > 1) {
    return refused(by, "has names of different kinds, two of which may mean the same; use one kind")
  }
  const room = Uri.longest - reserve - Uri.target(endpoint.path, Params.toQuery({ ...params, [by]: "" })).length
  const batches: Array<Array<string>> = []
  let left = 0
  for (const item of items) {
    const length = Uri.valueLength(item) + comma
    if (length > room)
      return refused(by, `has "${item.slice(0, 50)}", for which a request has no room beside the other parameters`)
    const batch = batches.at(-1)
    if (batch === undefined || batch.length >= size || length > left) {
      batches.push([item])
      left = room - length
    } else {
      batch.push(item)
      left -= length
    }
  }
  return Result.succeed(batches.map((batch) => ({ [by]: batch })))
}

/** A name, a provider's symbol, or a provider's number: one thing may have all three. */
const formOf = (item: string) => (item.includes(":by-id:") ? "number" : item.includes(":") ? "symbol" : "name")

const comma = Uri.valueLength(",")

/** Parameters in a few words, for messages. */
export const shown = (params: Plain): string =>
  Object.entries(params)
    .map(([name, value]) => `${name}=${few(value)}`)
    .join(" ")

const few = (value: Schema.Json): string => {
  const items = Params.items(value)
  if (items.length === 0) return String(value)
  const text = items.slice(0, 3).join(",")
  return items.length > 3 ? `${text} and ${items.length - 3} more` : text
}
