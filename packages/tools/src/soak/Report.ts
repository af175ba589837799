/**
 * What a run prints: a line now and then, and what it came to.
 */
import type { Quota } from "@sluice/core"
import type * as RandomFaults from "./RandomFaults.ts"
import type * as Tally from "./Tally.ts"
import type { Check } from "./Verdict.ts"
import * as Vitals from "./Vitals.ts"
import type { Windows } from "./Window.ts"

/** A run at one moment. */
export interface Moment {
  /** Milliseconds since the beginning. */
  readonly at: number
  readonly vitals: Vitals.Vitals
  readonly counts: Tally.Counts
  /** Transient faults the client met, by tag. */
  readonly faults: Readonly<Record<string, number>>
  readonly quota: Quota.State
  /** Milliseconds in which at least one request waited. */
  readonly waited: number
}

const whole = (value: number) => value.toLocaleString("en-US")

const mega = (bytes: number) => (bytes / 1e6).toFixed(1)

const seconds = (millis: number) => (millis / 1000).toFixed(0)

interface Introduced {
  readonly seed: number
  readonly faults: number
  readonly windows: Windows
}

/** Says what is about to happen. */
export const introduction = ({ faults, seed, windows }: Introduced): string => {
  const known = Object.values(windows).reduce((sum, { records }) => sum + records.length, 0)
  return [
    `Seven loops on one client, faults at random with seed ${seed}, one request in ${faults}.`,
    `Every record is compared with one of ${whole(known)} that were read undisturbed before.`,
    `Memory in MB; objects are those V8 holds ${globalThis.gc === undefined ? "(without --expose-gc, garbage too)" : "after a collection"}, without compiled code.`,
    "Fibers: as Effect's runtime metric counts them. Waited: seconds in which some request waited.",
    "Handles: what keeps the event loop alive; timers come and go.",
    ""
  ].join("\n")
}

const columns: ReadonlyArray<readonly [title: string, width: number, of: (moment: Moment) => string]> = [
  ["s", 5, ({ at }) => seconds(at)],
  ["records", 11, ({ counts }) => whole(counts.records)],
  ["requests", 9, ({ quota }) => whole(quota.sent)],
  ["RSS", 7, ({ vitals }) => mega(vitals.rss)],
  ["objects", 9, ({ vitals }) => mega(vitals.heap)],
  ["sockets", 8, ({ vitals }) => `${vitals.sockets ?? "?"}`],
  ["fibers", 7, ({ vitals }) => `${vitals.fibers}`],
  ["permits", 8, ({ quota }) => `${quota.inFlight}`],
  ["waiting", 8, ({ quota }) => `${quota.waiting}`],
  ["waited", 7, ({ waited }) => seconds(waited)]
]

const tail = ["faults met", "calls failed", "handles"]

const aligned = (cells: ReadonlyArray<string>, rest: ReadonlyArray<string>) =>
  `${cells.map((cell, index) => cell.padStart(columns[index]![1])).join("")}  ${rest.join("; ")}`

/** Names the columns. */
export const head: string = aligned(
  columns.map(([title]) => title),
  tail
)

/** Says how it goes. */
export const line = (moment: Moment): string =>
  aligned(
    columns.map(([, , of]) => of(moment)),
    [Vitals.shown(moment.faults), Vitals.shown(moment.counts.failed), Vitals.shown(moment.vitals.handles)]
  )

/** As many errors are told of in full. */
const shownErrors = 20

/** Says what was done. */
export const summary = (counts: Tally.Counts, asked: RandomFaults.Asked): string => {
  const faults = Object.values(asked.faults).reduce((sum, count) => sum + count, 0)
  return [
    "",
    `${whole(counts.records)} records; calls: ${whole(counts.complete)} complete, ${whole(counts.abandoned)} abandoned by their reader, failed: ${Vitals.shown(counts.failed)}`,
    `${whole(asked.requests)} requests, ${whole(faults)} of them under a fault: ${Vitals.shown(asked.faults)}`,
    ...counts.spared.slice(0, shownErrors).map((message) => `  another attempt would have spared: ${message}`),
    ""
  ].join("\n")
}

/** Writes what was judged. */
export const verdict = (checks: ReadonlyArray<Check>): string => {
  const rows = checks.map(({ isKept, limit, seen, what }) => [isKept ? "ok" : "MISSED", what, seen, `(${limit})`])
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n")
}
