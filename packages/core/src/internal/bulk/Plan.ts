/**
 * A request cut into parts: which items and which times each of them asks for.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Part, Split } from "../../Bulk.ts"
import * as Call from "../call/Call.ts"
import * as Parameter from "../../Parameter.ts"
import * as Params from "../../Params.ts"
import * as Interval from "./Interval.ts"
import * as Uri from "../http/Uri.ts"

/** Parameters as JSON: lists are arrays of text, and what is absent is left out. */
export type Plain = Part["params"]

/** Why a request is not cut. */
export type Refused = Interval.Refused

/** Characters kept for what is not known yet: the root, the key, a page's token. */
const reserve = 1_000

/** More are a mistake rather than a plan: each holds its parameters in memory. */
const mostParts = 1_000_000

/**
 * Cuts a request: batches of items, each over all parts of time, in the order of the records; reversed where those come
 * newest first.
 */
export const make = (call: Call.Call, how: Split): Result.Result<ReadonlyArray<Part>, Refused> => {
  if (how.by === undefined && how.size !== undefined) return refused("size", "means items of `by`, which is not given")
  if (how.by === undefined && how.every === undefined) {
    return Result.succeed([{ index: 0, params: Call.paramsOf(call) }])
  }
  const token = Call.given(call, "PageToken")
  if (token !== undefined) return refused(token, "begins inside of a request")
  const limit = Call.given(call, "Limit")
  if (limit !== undefined && Call.isCounted(call)) return refused(limit, "counts the records of the whole request")
  return Result.gen(function* () {
    const times = how.every === undefined ? undefined : yield* cutTime(call, how.every)
    const batches = how.by === undefined ? [{}] : yield* cutList(call, how.by, how.size ?? 1)
    const count = batches.length * (times?.count ?? 1)
    if (count > mostParts) return yield* refused(undefined, `it would take ${count} parts; ${mostParts} are the most`)
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
 * Cuts a part in two along its longest list, in the order of its records; gives fewer than two parts where that is not
 * possible: a single item, wildcards, a limit over all records, an order that goes across items.
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

const refused = (parameter: string | undefined, reason: string) => Result.fail<Refused>({ parameter, reason })

const cutTime = (call: Call.Call, every: Duration.Input): Result.Result<Interval.Cut, Refused> => {
  const names = namesOf(call)
  if (call.endpoint.order !== "series" || names === undefined)
    return refused("every", "needs records with a time to cut along; this endpoint has none")
  const length = Option.getOrUndefined(Option.flatMap(Duration.fromInput(every), Duration.toNanos))
  if (length === undefined || length <= 0n) return refused("every", "is no length of time above zero")
  const limit = Call.given(call, "LimitPer")
  if (limit !== undefined) return refused(limit, "counts the records of all times")
  if (!Call.isUtc(call))
    return refused(Call.nameOf(call, "TimeZone"), "has hours that are not there or come twice; cut in UTC")
  const [start, end] = [call.values.get(names.start), call.values.get(names.end)]
  if (!Predicate.isString(start)) return refused(names.start, "is needed to cut along time")
  if (!Predicate.isString(end)) return refused(names.end, "is needed to cut along time")
  const [startInclusive, endInclusive] = [names.startInclusive, names.endInclusive].map((name) =>
    flagOf(call.values.get(name))
  )
  return Interval.cut({ start, end, startInclusive, endInclusive }, length, names)
}

/** What the bounds of a part are called; absent where a part cannot say all of them. */
const namesOf = (call: Call.Call): Interval.Names | undefined => {
  const [start, end] = [Call.nameOf(call, "Start", "time"), Call.nameOf(call, "End", "time")]
  const [startInclusive, endInclusive] = [Call.nameOf(call, "StartInclusive"), Call.nameOf(call, "EndInclusive")]
  return start === undefined || end === undefined || startInclusive === undefined || endInclusive === undefined
    ? undefined
    : { start, end, startInclusive, endInclusive }
}

const flagOf = (value: Schema.Json | undefined) => (Predicate.isBoolean(value) ? value : undefined)

const cutList = (call: Call.Call, by: string, size: number): Result.Result<ReadonlyArray<Plain>, Refused> => {
  const { parameters, path } = call.endpoint
  const lists = Parameter.withRole(parameters, "Entities").map(({ name }) => name)
  if (!lists.includes(by)) {
    const others = lists.length === 0 ? "no list can" : `what can: ${lists.join(", ")}`
    return refused(by, `does not tell the records of this endpoint apart (${others})`)
  }
  if (!(size >= 1) || (size !== Infinity && !Number.isInteger(size)))
    return refused("size", "is no whole number from 1 up")
  // In the order of the records, so that parts of one item put together are the request as it was.
  const items = [...new Set(Params.items(call.values.get(by)))].toSorted()
  if (items.length === 0) return refused(by, "names nothing to split: list the items")
  const wildcard = items.find((item) => item.includes("*"))
  if (wildcard !== undefined)
    return refused(by, `has "${wildcard}", which stands for items that are not known here; list them`)
  if (new Set(items.map(formOf)).size > 1) {
    return refused(by, "has names of different kinds, two of which may mean the same; use one kind")
  }
  const room = Uri.longest - reserve - Uri.target(path, Call.toQuery(Call.set(call, { [by]: "" }))).length
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
