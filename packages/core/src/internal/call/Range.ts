/**
 * Refuses the range of a series that ends before it starts. It has no record, and an empty reply does not say why.
 *
 * In a list the two times are filters of their own: markets with data after the one and with data before the other exist
 * for any two times.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { InvalidRequest } from "../../ApiError.ts"
import * as Call from "./Call.ts"

/**
 * In a time zone, a clock that is set back or forward changes the order of two local times. No zone was ever moved by more
 * than a day, so of times that are further apart the order is certain.
 */
const certain = 2n * 86_400_000_000_000n

/** Fails where both bounds of a series are known, in time or in height, and the end is certainly before the start. */
export const check = (call: Call.Call): Effect.Effect<void, InvalidRequest> => {
  if (call.endpoint.order !== "series") return Effect.void
  const found = isReversedInTime(call) ? "time" : isReversedInHeight(call) ? "height" : undefined
  if (found === undefined) return Effect.void
  const [start = "", end = ""] = [Call.nameOf(call, "Start", found), Call.nameOf(call, "End", found)]
  const value = String(call.values.get(end))
  return new InvalidRequest({
    endpoint: call.endpoint.path,
    kind: "excluded",
    parameter: end,
    value,
    reason: `"${value}" is before ${start} "${String(call.values.get(start))}"`
  })
}

const isReversedInTime = (call: Call.Call): boolean => {
  const { end, start } = Call.rangeOf(call)
  if (start === undefined || end === undefined) return false
  // The next day is behind a day that is included. What is excluded may be all that there is.
  const last = end.isIncluded || Call.excludesEnd(call) ? end.nanos : end.nanos - 1n
  return start - last > (Call.isUtc(call) ? 0n : certain)
}

const isReversedInHeight = (call: Call.Call): boolean => {
  const [start, end] = (["Start", "End"] as const).map((role) => Call.valueOf(call, role, "height"))
  return Predicate.isNumber(start) && Predicate.isNumber(end) && start > end
}
