/** How fast a backfill goes, and how long it takes at that. */
import type { Status } from "@sluice/cluster/Backfill"
import * as Amount from "./Amount.ts"

export interface Pace {
  /** Parts done in a second, by all workers together. */
  readonly partsPerSecond: number
  /** Milliseconds to its end at this pace; null where it does not move. */
  readonly left: number | null
}

type Progress = Pick<Status, "done" | "failed" | "generation" | "parts" | "state" | "submitted">

const paceOf = ({ done, failed, parts }: Progress, more: number, elapsed: number): Pace => {
  const partsPerSecond = more / (elapsed / 1_000)
  const rest = (parts ?? 0) - done - failed
  return { partsPerSecond, left: partsPerSecond > 0 ? Math.round((rest / partsPerSecond) * 1_000) : null }
}

/** The pace since it was submitted; nothing of one that does not run, or was begun again. Pauses count too. */
export const average = (status: Progress, now: number): Pace | undefined => {
  const { done, generation, parts, state, submitted } = status
  return state === "running" && generation === 1 && parts !== null && done > 0 && now > submitted
    ? paceOf(status, done, now - submitted)
    : undefined
}

/** The time over which a pace is measured, in milliseconds. */
const span = 300_000

/** Measures the pace of one backfill over the last five minutes of looks. */
export const make = () => {
  const looks: Array<{ readonly at: number; readonly done: number }> = []
  return (status: Progress, now: number): Pace | undefined => {
    const { done, parts, state } = status
    const last = looks.at(-1)
    // One that was paused or begun again is measured anew.
    if (state !== "running" || (last !== undefined && (done < last.done || now < last.at))) looks.length = 0
    if (state !== "running" || parts === null) return undefined
    looks.push({ at: now, done })
    while (looks.length > 2 && now - (looks[1]?.at ?? now) >= span) looks.shift()
    const [first] = looks
    return first === undefined || now - first.at < 1_000 ? undefined : paceOf(status, done - first.done, now - first.at)
  }
}

export const textOf = (pace: Pace | undefined): string => {
  if (pace === undefined) return ""
  const { left, partsPerSecond } = pace
  const rate =
    partsPerSecond >= 1 ? `${partsPerSecond.toFixed(1)} parts/s` : `${(60 * partsPerSecond).toFixed(1)} parts/min`
  return `, ${rate}${left === null ? "" : `, ${Amount.duration(left)} left`}`
}
