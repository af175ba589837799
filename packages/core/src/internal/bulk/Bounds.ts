/**
 * Where a call begins and ends in time, as numbers. `call/Range.ts` has lines of its own for that, since every call needs it, and
 * what is shared takes more bytes in a program of one endpoint.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Timestamp from "../../Timestamp.ts"
import * as Call from "../call/Call.ts"

/** Nanoseconds since 1970; undefined where the value is no time. */
export const nanosOf = (time: unknown): bigint | undefined =>
  Predicate.isString(time) ? Result.getOrUndefined(Timestamp.toEpochNanos(time)) : undefined

/** Start and end of a call, in nanoseconds since 1970; undefined where it has none. */
export const of = (call: Call.Call) => ({
  start: nanosOf(Call.valueOf(call, "Start", "time")),
  end: nanosOf(Call.valueOf(call, "End", "time"))
})
