/** Splits a request into parts: decides which items and which times each part requests. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Call from "../call/Call.ts"
import * as Parameter from "../../Parameter.ts"
import * as Params from "../../Params.ts"
import * as Period from "./Period.ts"
import * as TimeRange from "./TimeRange.ts"
import * as Uri from "../http/Uri.ts"

/** Parameters as JSON: lists are arrays of text, and absent values are left out. */
export type JsonParams = Readonly<Record<string, Schema.Json>>

export interface Part {
  readonly index: number
  readonly params: JsonParams
}

/** Along what to split: items of a list, so many at most, and time. */
export interface Split {
  readonly by?: string | undefined
  readonly size?: number | undefined
  readonly every?: Duration.Input | Period.Period | undefined
}

/** Characters of the URL reserved for what is not known yet: the root, the key, and the token of a page. */
const reserve = 1_000

/** More parts are most likely a mistake: each holds its parameters in memory. */
const maxParts = 1_000_000

/**
 * Splits a request into batches of items, and each batch into parts of time, in the order of the records. Where records
 * come newest first, so do the parts.
 */
export const make = (call: Call.Call, how: Split): Result.Result<ReadonlyArray<Part>, TimeRange.CannotSplit> => {
  const unknown = Object.keys(how).find((name) => name !== "by" && name !== "size" && name !== "every")
  if (unknown !== undefined) return cannotSplit(unknown, "is no way to split; there are by, size and every")
  if (how.by === undefined && how.size !== undefined)
    return cannotSplit("size", "means items of `by`, which is not given")
  if (how.by === undefined && how.every === undefined) {
    return Result.succeed([{ index: 0, params: Call.paramsOf(call) }])
  }
  const token = Call.givenName(call, "PageToken")
  if (token !== undefined) return cannotSplit(token, "begins inside of a request")
  const limit = Call.givenName(call, "Limit")
  if (limit !== undefined && Call.hasLimit(call)) return cannotSplit(limit, "counts the records of the whole request")
  return Result.gen(function* () {
    const times = how.every === undefined ? undefined : yield* splitTime(call, how.every)
    const batches = how.by === undefined ? [{}] : yield* splitList(call, how.by, how.size ?? 1)
    const count = batches.length * (times?.count ?? 1)
    if (count > maxParts) return yield* cannotSplit(undefined, `it would take ${count} parts; ${maxParts} are the most`)
    const rest = times === undefined ? call : Call.without(call, "StartInclusive", "EndInclusive")
    const parts = batches.flatMap((batch) =>
      Array.from({ length: times?.count ?? 1 }, (_, at) =>
        Call.paramsOf(Call.set(rest, { ...batch, ...times?.at(at) }))
      )
    )
    return (Call.isFromEnd(call) ? parts.toReversed() : parts).map((params, index): Part => ({ index, params }))
  })
}

/**
 * Splits a part in two along its longest list, in the order of its records. Returns fewer than two parts where that is not
 * possible: a single item, wildcards, a limit over all records, or an order that mixes the items.
 */
export const halves = (call: Call.Call): ReadonlyArray<Part> => {
  const length = (name: string) => Params.items(call.values.get(name)).join(",").length
  const [by] = Parameter.withRole(call.endpoint.parameters, "Entities")
    .filter(({ name }) => length(name) > 0)
    .toSorted((a, b) => length(b.name) - length(a.name))
  if (by === undefined) return []
  const sort = Call.valueOf(call, "Sort")
  const field = by.role._tag === "Entities" ? by.role.field : undefined
  if (sort !== undefined && sort !== field) return []
  const size = Math.ceil(Params.items(call.values.get(by.name)).length / 2)
  return Result.getOrElse(make(call, { by: by.name, size }), () => [])
}

const cannotSplit = (parameter: string | undefined, reason: string, wildcard: string | undefined = undefined) =>
  Result.fail<TimeRange.CannotSplit>({ parameter, wildcard, reason })

const splitTime = (
  call: Call.Call,
  every: Duration.Input | Period.Period
): Result.Result<TimeRange.SplitRange, TimeRange.CannotSplit> => {
  const names = namesOf(call)
  if (call.endpoint.order !== "series" || names === undefined)
    return cannotSplit("every", "needs records with a time to cut along; this endpoint has none")
  const length = lengthOf(every)
  if (length === undefined)
    return cannotSplit("every", "is no length of time above zero, such as 1 month, 30 days or 12 hours")
  const limit = Call.givenName(call, "LimitPer")
  if (limit !== undefined) return cannotSplit(limit, "counts the records of all times")
  if (Call.valueOf(call, "Opening") === true)
    return cannotSplit(Call.nameOf(call, "Opening"), "adds records at the start of every part")
  if (!Call.isUtc(call))
    return cannotSplit(Call.nameOf(call, "TimeZone"), "has hours that are not there or come twice; cut in UTC")
  const { end, start } = Call.rangeOf(call)
  if (start === undefined) return cannotSplit(names.start, "is needed to cut along time")
  if (end === undefined) return cannotSplit(names.end, "is needed to cut along time")
  const [startInclusive, endInclusive] = [names.startInclusive, names.endInclusive].map((name) =>
    flagOf(call.values.get(name))
  )
  return TimeRange.split({ start, end, startInclusive, endInclusive }, length, names)
}

const lengthOf = (every: Duration.Input | Period.Period): TimeRange.Length | undefined => {
  const months = Period.monthsOf(every)
  if (months !== undefined) return { months }
  // Type boundary: a text that is no period is read as a duration, which other texts are not.
  const nanos = Option.getOrUndefined(Option.flatMap(Duration.fromInput(every as Duration.Input), Duration.toNanos))
  return nanos === undefined || nanos <= 0n ? undefined : { nanos }
}

/** The names of the parameters for the bounds of a part; nothing where the endpoint lacks one of them. */
const namesOf = (call: Call.Call): TimeRange.ParameterNames | undefined => {
  const [start, end] = [Call.nameOf(call, "Start", "time"), Call.nameOf(call, "End", "time")]
  const [startInclusive, endInclusive] = [Call.nameOf(call, "StartInclusive"), Call.nameOf(call, "EndInclusive")]
  return start === undefined || end === undefined || startInclusive === undefined || endInclusive === undefined
    ? undefined
    : { start, end, startInclusive, endInclusive }
}

const flagOf = (value: Schema.Json | undefined) => (Predicate.isBoolean(value) ? value : undefined)

const splitList = (
  call: Call.Call,
  by: string,
  size: number
): Result.Result<ReadonlyArray<JsonParams>, TimeRange.CannotSplit> => {
  const { parameters } = call.endpoint
  const lists = Parameter.withRole(parameters, "Entities").map(({ name }) => name)
  if (!lists.includes(by)) {
    const others = lists.length === 0 ? "no list can" : `what can: ${lists.join(", ")}`
    return cannotSplit(by, `does not tell the records of this endpoint apart (${others})`)
  }
  if (!(size >= 1) || (size !== Infinity && !Number.isInteger(size)))
    return cannotSplit("size", "is no whole number from 1 up")
  // Sorted as the records are, so that parts of one item, read in order, give the records of the request in order.
  const items = [...new Set(Params.items(call.values.get(by)))].toSorted()
  if (items.length === 0) return cannotSplit(by, "names nothing to split: list the items")
  const wildcard = items.find((item) => item.includes("*"))
  if (wildcard !== undefined)
    return cannotSplit(by, `has "${wildcard}", which stands for items that are not known here; list them`, wildcard)
  if (new Set(items.map(kindOf)).size > 1) {
    return cannotSplit(by, "has names of different kinds, two of which may mean the same; use one kind")
  }
  const available =
    Uri.longest - reserve - Uri.target(Call.toPath(call), Call.toQuery(Call.set(call, { [by]: "" }))).length
  const batches: Array<Array<string>> = []
  let remaining = 0
  for (const item of items) {
    const length = Uri.valueLength(item) + comma
    if (length > available)
      return cannotSplit(by, `has "${item.slice(0, 50)}", for which a request has no room beside the other parameters`)
    const batch = batches.at(-1)
    if (batch === undefined || batch.length >= size || length > remaining) {
      batches.push([item])
      remaining = available - length
    } else {
      batch.push(item)
      remaining -= length
    }
  }
  return Result.succeed(batches.map((batch) => ({ [by]: batch })))
}

/** The kind of an identifier: a name, a provider's symbol or a provider's number. One item may have all three. */
const kindOf = (item: string) => (item.includes(":by-id:") ? "number" : item.includes(":") ? "symbol" : "name")

const comma = Uri.valueLength(",")

/** A short text of parameters, for messages. */
export const format = (params: JsonParams): string =>
  Object.entries(params)
    .map(([name, value]) => `${name}=${formatValue(value)}`)
    .join(" ")

const formatValue = (value: Schema.Json): string => {
  const items = Params.items(value)
  if (items.length === 0) return String(value)
  const text = items.slice(0, 3).join(",")
  return items.length > 3 ? `${text} and ${items.length - 3} more` : text
}
