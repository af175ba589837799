/** Whether a record is the last that its call can have, which needs no request. */
import * as Result from "effect/Result"
import * as Params from "../../Params.ts"
import * as Timestamp from "../../Timestamp.ts"
import * as Call from "../call/Call.ts"
import * as Series from "../series/Series.ts"

/**
 * Tells whether no record can follow: the call is of one entity, whose records come at most once a step of seconds,
 * minutes, hours or days of UTC, and the next step is beyond the end of the range.
 */
export const isReached = (call: Call.Call, last: unknown): boolean => {
  const series = Series.of(call)
  if (series === undefined || series.identity !== undefined || !Call.isUtc(call)) return false
  const named = Params.items(call.values.get(series.entities))
  if (named.length !== 1 || named[0] !== Series.entityOf(series, last)) return false
  const time = Result.getOrUndefined(Timestamp.toEpochNanos(Series.textOf(last, "time") ?? ""))
  return time !== undefined && isLast(call, time)
}

/** Tells whether the step after a record at this time is beyond the end of the range. */
export const isLast = (call: Call.Call, time: bigint): boolean => {
  const step = Call.stepOf(call)
  const { end } = Call.rangeOf(call)
  // A record between two steps says that the frequency means something else.
  if (step?.isEven !== true || end === undefined || time % step.nanos !== 0n) return false
  const next = time + step.nanos
  return next > end.nanos || (next === end.nanos && !end.isIncluded)
}
