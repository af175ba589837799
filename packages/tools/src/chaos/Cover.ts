/**
 * A few schedules of many that meet all that the many meet.
 */
import * as Fault from "@sluice/sandbox/Fault"
import * as Faults from "./Faults.ts"
import { type Reading, type Schedule, specsOf } from "./Schedule.ts"

/** Kinds of fault that a stream meets. */
export const kindsOf = (reading: Reading): ReadonlyArray<string> =>
  specsOf(reading).map((spec) => /^[^=;]+/.exec(spec)?.[0] ?? spec)

/** What a stream reads: an endpoint in a format. */
export const readOf = ({ target }: Reading): string => `${target.path} ${target.paging.format ?? "json"}`

/** The family of the endpoint that a stream reads, and its format. */
const familyOf = (reading: Reading): string => readOf(reading).replace(/^(\/[\w-]+)\S*/, "$1")

/** How the records of a stream are used. */
export const wayOf = ({ as, consumer }: Reading): string => `${as} ${consumer._tag}`

/** Kinds that do the same in memory: met there in both formats, once over sockets. */
const inMemory: ReadonlySet<string> = new Set(Fault.kinds.filter(Faults.worksInMemory))

const aspectsOf = ({ streams, world }: Schedule) =>
  streams.flatMap((stream) => [
    ...(world === "memory" ? [familyOf(stream)] : []),
    wayOf(stream),
    ...kindsOf(stream).map((kind) =>
      world === "wire" && inMemory.has(kind) ? kind : `${kind} ${stream.target.paging.format ?? "json"}`
    )
  ])

/** Takes schedules that have together what all have: again and again the one with most of what is missing for its streams. */
export const take = (schedules: Iterable<Schedule>): ReadonlyArray<Schedule> => {
  let left = [...schedules].map((schedule) => ({ schedule, missing: new Set(aspectsOf(schedule)) }))
  const worthOf = ({ missing, schedule }: (typeof left)[number]) => missing.size / (schedule.streams.length + 1 / 3)
  const taken: Array<Schedule> = []
  while (left.length > 0) {
    const next = left.reduce((most, one) => (worthOf(one) > worthOf(most) ? one : most))
    taken.push(next.schedule)
    const found = [...next.missing]
    for (const { missing } of left) for (const aspect of found) missing.delete(aspect)
    left = left.filter(({ missing }) => missing.size > 0)
  }
  return taken
}
