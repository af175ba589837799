/**
 * A simpler schedule that fails in the same way.
 */
import { Effect } from "effect"
import { type Reading, type Schedule } from "./Schedule.ts"

/** A stream with one thing less each. */
const simplerReadings = function* (reading: Reading): Generator<Reading> {
  const { always, faults, ...rest } = reading
  if (faults.some((spec) => spec !== "")) yield { ...reading, faults: [] }
  if (always !== "") yield { ...reading, always: "" }
  for (const [at, spec] of faults.entries()) {
    if (spec !== "") yield { ...reading, faults: faults.with(at, "") }
    const parts = spec.split(",")
    if (parts.length < 2) continue
    for (const part of parts.keys()) yield { ...reading, faults: faults.with(at, parts.toSpliced(part, 1).join()) }
  }
  if (rest.consumer._tag !== "All") yield { ...reading, consumer: { _tag: "All" } }
  if (rest.buffer !== undefined || rest.delay > 0) yield { ...reading, buffer: undefined, delay: 0 }
}

const simpler = function* (schedule: Schedule): Generator<Schedule> {
  const { streams } = schedule
  if (streams.length > 1) for (const at of streams.keys()) yield { ...schedule, streams: streams.toSpliced(at, 1) }
  for (const [at, reading] of streams.entries()) {
    for (const one of simplerReadings(reading)) yield { ...schedule, streams: streams.with(at, one) }
  }
}

/** Takes one thing after another from a schedule, as long as it fails without it. */
export const run = Effect.fnUntraced(function* (
  schedule: Schedule,
  fails: (schedule: Schedule) => Effect.Effect<boolean>
): Effect.fn.Return<Schedule> {
  let simplest = schedule
  let open = simpler(simplest)
  for (let next = open.next(); next.done !== true; next = open.next()) {
    if (!(yield* fails(next.value))) continue
    simplest = next.value
    open = simpler(simplest)
  }
  return simplest
})
