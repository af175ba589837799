/**
 * A few schedules of many that meet all that the many meet.
 */
import type { Reading, Schedule } from "./Schedule.ts"

const kindOf = (spec: string) => /^[^=;]+/.exec(spec)?.[0] ?? spec

/** Kinds of fault that a stream meets. */
export const kindsOf = ({ always, faults }: Reading): ReadonlyArray<string> =>
  [...faults, always]
    .filter((spec) => spec !== "")
    .flatMap((spec) => spec.split(","))
    .map(kindOf)

/** What a stream reads: an endpoint in a format. */
export const readOf = ({ target }: Reading): string => `${target.path} ${target.paging.format ?? "json"}`

/** How the records of a stream are used. */
export const wayOf = ({ as, consumer }: Reading): string => `${as} ${consumer._tag}`

const aspectsOf = ({ streams, world }: Schedule) =>
  streams.flatMap((stream) => [
    ...(world === "memory" ? [readOf(stream)] : []),
    wayOf(stream),
    ...kindsOf(stream).map((kind) => `${kind} ${stream.target.paging.format ?? "json"}`)
  ])

/** Takes each schedule that has something which none before it had. */
export const take = (schedules: Iterable<Schedule>): ReadonlyArray<Schedule> => {
  const seen = new Set<string>()
  return [...schedules].filter((schedule) => {
    const { size } = seen
    for (const aspect of aspectsOf(schedule)) seen.add(aspect)
    return seen.size > size
  })
}
