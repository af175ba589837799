/**
 * Whether a run was stable: memory that does not climb, handles and fibers that come back, calls that end well.
 */
import type { Quota } from "@sluice/core"
import { Console, Effect } from "effect"
import * as Tool from "../Tool.ts"
import type { Vitals } from "./Vitals.ts"

/** What the loops have seen so far. */
export interface Counts {
  records: number
  /** Calls that gave everything, or connections of live streams. */
  complete: number
  /** Messages of calls that failed: no fault that requests meet here is a reason to. */
  readonly failed: Array<string>
}

/** Begins to count. */
export const begin = (): Counts => ({
  records: 0,
  complete: 0,
  failed: []
})

/** Counts a call that failed. */
export const fail = (counts: Counts, { message }: { readonly message: string }): void => {
  counts.failed.push(message)
}

/** A figure at a time, in milliseconds since the beginning. */
export interface Point {
  readonly at: number
  readonly value: number
}

/** The process at both ends of something. */
interface Ends {
  readonly before: Vitals
  readonly after: Vitals
}

/** What a run has to show. */
export interface Evidence {
  /** How long the loops ran, in milliseconds. */
  readonly lasted: number
  /** Resident memory, every second. */
  readonly rss: ReadonlyArray<Point>
  /** Live objects after each collection. */
  readonly heap: ReadonlyArray<Point>
  /** Before the client was built, and after it was closed. */
  readonly process: Ends
  /** With the client: before the loops began, and after they had stopped. */
  readonly client: Ends & { readonly inFlight: number; readonly waiting: number }
  readonly counts: Counts
  /** Live connections that the client counts once the loops have stopped. */
  readonly connections: number
  /** Defects of the loops, as text. */
  readonly defects: ReadonlyArray<string>
  /** What Node.js warned of, such as too many listeners. */
  readonly warnings: ReadonlyArray<string>
}

/** One thing that was judged. */
export interface Check {
  readonly what: string
  readonly limit: string
  readonly seen: string
  readonly isKept: boolean
}

/**
 * The most that memory may climb in a minute, by the line that fits the second half best. Over ninety seconds resident
 * memory wanders by some megabytes with nothing behind it; the objects do not.
 */
const climb = { rss: 8, heap: 0.5 }

/** A shorter second half says nothing of memory. */
const enough = 45_000

const mega = 1e6

/** The slope of the line with the least squares, in units of the values per minute; zero for less than two points. */
export const slope = (points: ReadonlyArray<Point>): number => {
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length
  const at = mean((point) => point.at)
  const value = mean((point) => point.value)
  const spread = points.reduce((sum, point) => sum + (point.at - at) ** 2, 0)
  const common = points.reduce((sum, point) => sum + (point.at - at) * (point.value - value), 0)
  return spread === 0 ? 0 : (common / spread) * 60_000
}

const secondHalf = (points: ReadonlyArray<Point>, lasted: number) => points.filter(({ at }) => at >= lasted / 2)

const memory = (what: string, points: ReadonlyArray<Point>, limit: number, lasted: number): Check => {
  const half = secondHalf(points, lasted)
  const perMinute = slope(half) / mega
  const isLong = lasted / 2 >= enough
  const seen = `${perMinute >= 0 ? "+" : ""}${perMinute.toFixed(2)} MB a minute`
  return {
    what,
    limit: `≤ ${limit} MB a minute`,
    seen: isLong ? seen : `${seen}, too short to judge`,
    isKept: !isLong || perMinute <= limit
  }
}

/** A check that nothing is there. */
const none = (what: string, seen: ReadonlyArray<string> | number): Check => {
  const count = typeof seen === "number" ? seen : seen.length
  const first = typeof seen === "number" ? "" : `: ${seen[0]}`
  return { what, limit: "none", seen: count === 0 ? "none" : `${count}${first}`, isKept: count === 0 }
}

/** A check that no more is there than before. */
const asBefore = (what: string, before: string | number, seen: string | number, isKept: boolean): Check => ({
  what,
  limit: `${before}, as before`,
  seen: `${seen}`,
  isKept
})

/** Judges a run. */
export const of = (evidence: Evidence): ReadonlyArray<Check> => {
  const { client, connections, counts, defects, heap, lasted, process, rss, warnings } = evidence
  const { after, before } = process
  return [
    memory("resident memory, second half", rss, climb.rss, lasted),
    memory("objects after collection, second half", heap, climb.heap, lasted),
    asBefore("fibers, once the loops have stopped", client.before.fibers, client.after.fibers, haveFibersEnded(client)),
    none("requests in flight, once the loops have stopped", client.inFlight),
    none("requests waiting, once the loops have stopped", client.waiting),
    asBefore("fibers, once the client is closed", before.fibers, after.fibers, haveFibersEnded(process)),
    asBefore(
      "handles, once the client is closed",
      Tool.shown(before.handles),
      Tool.shown(after.handles),
      haveHandlesClosed(process)
    ),
    asBefore(
      "sockets, once the client is closed",
      before.sockets ?? "not known",
      after.sockets ?? "not known",
      haveSocketsClosed(process)
    ),
    none("connections in use, once the loops have stopped", connections),
    none("calls that failed", counts.failed),
    none("defects", defects),
    none("warnings of Node.js", warnings)
  ]
}

const haveHandlesClosed = ({ after, before }: Ends) =>
  Object.entries(after.handles).every(([kind, count]) => count <= (before.handles[kind] ?? 0))

const haveSocketsClosed = ({ after, before }: Ends) => (after.sockets ?? 0) <= (before.sockets ?? 0)

const haveFibersEnded = ({ after, before }: Ends) => after.fibers <= before.fibers

/** Tells whether nothing is left that was not there before. */
export const isBack = (ends: Ends): boolean =>
  haveHandlesClosed(ends) && haveSocketsClosed(ends) && haveFibersEnded(ends)

const megabytes = (bytes: number) => `${(bytes / mega).toFixed(1)} MB`

/** Says how it goes, after so many milliseconds. */
export const line = (at: number, vitals: Vitals, counts: Counts, { inFlight, sent, waiting }: Quota.State): string =>
  [
    `${(at / 1000).toFixed(0)} s: ${counts.records} records, ${sent} requests, ${inFlight} in flight, ${waiting} waiting`,
    `RSS ${megabytes(vitals.rss)}, objects ${megabytes(vitals.heap)}, sockets ${vitals.sockets ?? "?"}, fibers ${vitals.fibers}`,
    `failed: ${counts.failed.length}`
  ].join("; ")

/** As many errors are told of in full. */
const shownErrors = 20

/** Says what was done and what was judged, and tells whether all of it was kept. */
export const tell = Effect.fnUntraced(function* ({ failed, ...done }: Counts, checks: ReadonlyArray<Check>) {
  yield* Console.log(`calls and records: ${Tool.shown(done)}; failed: ${failed.length}`)
  for (const message of failed.slice(0, shownErrors)) yield* Console.log(`  failed: ${message}`)
  for (const { isKept, limit, seen, what } of checks) {
    yield* Console.log(`${isKept ? "ok" : "MISSED"}  ${what}: ${seen} (${limit})`)
  }
  return checks.every(({ isKept }) => isKept)
})
