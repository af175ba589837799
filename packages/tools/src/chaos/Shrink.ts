/**
 * A smaller schedule that fails as well: what is left is what it takes.
 */
import * as Effect from "effect/Effect"
import type { Reading, Schedule } from "./Schedule.ts"
import * as Trial from "./Trial.ts"

const withoutAt = <A>(items: ReadonlyArray<A>, at: number): ReadonlyArray<A> => items.filter((_, index) => index !== at)

/** The spec without one of its faults. */
const fewer = (spec: string): ReadonlyArray<string> => {
  const faults = spec.split(",")
  return spec === "" ? [] : faults.map((_, at) => withoutAt(faults, at).join(","))
}

/** What can be left out without asking for more. */
const optional = new Set([
  "sort",
  "limit_per_asset",
  "timezone",
  "start_inclusive",
  "end_inclusive",
  "null_as_zero",
  "status",
  "include"
])

type Content = Reading["target"]["content"]

const lessContent = (content: Content): ReadonlyArray<Content> =>
  Object.entries(content).flatMap(([name, value]) => {
    const { [name]: _, ...others } = content
    if (optional.has(name)) return [others]
    if (!Array.isArray(value) || value.length === 1) return []
    return value.map((__, at) => ({ ...content, [name]: withoutAt(value, at) }))
  })

const simplerReadings = (reading: Reading): ReadonlyArray<Reading> => {
  const { buffer: _, ...unbuffered } = reading
  const { faults, target } = reading
  const { pretty: __, ...form } = target.form
  return [
    { ...reading, forever: "" },
    ...faults.flatMap((spec, at) => [
      { ...reading, faults: withoutAt(faults, at) },
      ...fewer(spec).map((less) => ({ ...reading, faults: faults.with(at, less) }))
    ]),
    ...fewer(reading.forever).map((forever) => ({ ...reading, forever })),
    unbuffered,
    { ...reading, begins: 0 },
    { ...reading, as: "records" as const },
    { ...reading, consumer: { _tag: "All" as const } },
    { ...reading, target: { ...target, form } },
    ...lessContent(target.content).map((content) => ({ ...reading, target: { ...target, content } }))
  ]
}

const simpler = (schedule: Schedule): ReadonlyArray<Schedule> => {
  const { client, sandbox, streams } = schedule
  const { plan: _, ...unplanned } = client
  return [
    ...(streams.length > 1 ? streams.map((_, at) => ({ ...schedule, streams: withoutAt(streams, at) })) : []),
    { ...schedule, sandbox: { plan: "download", latency: 0 } },
    { ...schedule, sandbox: { plan: sandbox.plan ?? "download", latency: 0 } },
    { ...schedule, client: unplanned },
    { ...schedule, client: { ...client, deprecated: "ignore" } },
    { ...schedule, client: { ...client, gzip: true } },
    { ...schedule, client: { ...client, parallel: 10 } },
    ...streams.flatMap((reading, at) =>
      simplerReadings(reading).map((simple) => ({ ...schedule, streams: streams.with(at, simple) }))
    )
  ]
}

/** What went wrong first, whatever the stream, the numbers and the names. */
const shape = ({ wrong }: Trial.Trial) => (wrong[0] ?? "").replace(/^.*?: |\/[\w/-]+|\[.*?\]|\(.*?\)|"[^"]*"|\d+/g, "")

/** Runs simpler schedules as long as one of them fails in the same way. */
export const run = Effect.fnUntraced(function* (failed: Trial.Trial) {
  let smallest = failed
  let next: Trial.Trial | undefined = failed
  while (next !== undefined) {
    smallest = next
    next = undefined
    const size = JSON.stringify(smallest.schedule).length
    for (const schedule of simpler(smallest.schedule)) {
      if (JSON.stringify(schedule).length >= size) continue
      const trial = yield* Trial.run(schedule)
      if (trial.wrong.length === 0 || shape(trial) !== shape(failed)) continue
      next = trial
      break
    }
  }
  return smallest
})
