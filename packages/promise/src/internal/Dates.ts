/**
 * Turns dates among parameters into the text that the service reads.
 */
import { InvalidRequest } from "@sluice/core/ApiError"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

/** Parameters that take a moment, as the types say too. */
const isTime = (name: string) => name.endsWith("_time")

// An invalid date is refused by the endpoint, which then quotes this text.
const textOf = (date: Date) =>
  Option.match(DateTime.make(date), { onNone: () => "Invalid Date", onSome: DateTime.formatIso })

/**
 * Writes the dates of a request in UTC, to the millisecond. Fails with `InvalidRequest` when the request reads its times in
 * another zone, where that text would mean another moment.
 */
export const toText = Effect.fnUntraced(function* (endpoint: Endpoint.Info, params: object | undefined) {
  const given = Object.entries(params ?? {})
  const dated = given.find(([name, value]) => isTime(name) && Predicate.isDate(value))
  if (dated === undefined) return params
  const zone = Parameter.find(endpoint.parameters, "TimeZone")?.name
  const named = zone === undefined ? undefined : given.find(([name]) => name === zone)?.[1]
  if (named !== undefined && named !== "UTC") {
    return yield* new InvalidRequest({
      endpoint: endpoint.path,
      kind: "excluded",
      parameter: dated[0],
      reason: `a Date is a moment in UTC, and with "${zone}" times are read in another zone; give the local time as text`
    })
  }
  return Object.fromEntries(
    given.map(([name, value]) => [name, isTime(name) && Predicate.isDate(value) ? textOf(value) : value])
  )
})
