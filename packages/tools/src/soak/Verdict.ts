/**
 * Whether a run was stable: memory that does not climb, handles and fibers that come back, records that are right.
 */
import type * as Tally from "./Tally.ts"
import { shown, type Vitals } from "./Vitals.ts"

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
  readonly counts: Tally.Counts
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

const none = (what: string, seen: ReadonlyArray<string> | number): Check => {
  const count = typeof seen === "number" ? seen : seen.length
  return {
    what,
    limit: "none",
    seen: count === 0 ? "none" : typeof seen === "number" ? `${seen}` : `${count}: ${seen[0]}`,
    isKept: count === 0
  }
}

/** Judges a run. */
export const of = (evidence: Evidence): ReadonlyArray<Check> => {
  const { client, counts, defects, heap, lasted, process, rss, warnings } = evidence
  return [
    memory("resident memory, second half", rss, climb.rss, lasted),
    memory("objects after collection, second half", heap, climb.heap, lasted),
    {
      what: "fibers, once the loops have stopped",
      limit: `${client.before.fibers}, as before`,
      seen: `${client.after.fibers}`,
      isKept: haveFibersEnded(client)
    },
    none("requests in flight, once the loops have stopped", client.inFlight),
    none("requests waiting, once the loops have stopped", client.waiting),
    {
      what: "fibers, once the client is closed",
      limit: `${process.before.fibers}, as before`,
      seen: `${process.after.fibers}`,
      isKept: haveFibersEnded(process)
    },
    {
      what: "handles, once the client is closed",
      limit: `${shown(process.before.handles)}, as before`,
      seen: shown(process.after.handles),
      isKept: haveHandlesClosed(process)
    },
    {
      what: "sockets, once the client is closed",
      limit: `${process.before.sockets ?? "not known"}, as before`,
      seen: `${process.after.sockets ?? "not known"}`,
      isKept: haveSocketsClosed(process)
    },
    none("records that differ from the undisturbed", counts.wrong),
    none("records missing from complete calls", counts.missing),
    none("errors that another attempt would have spared", counts.spared),
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
