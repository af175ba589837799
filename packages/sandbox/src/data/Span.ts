/** From when to when data exists, as the catalogs write it (docs/interface.md 4.5). */
import { nanos } from "../internal/time/Calendar.ts"
import * as Frequency from "./Frequency.ts"

export interface Span {
  readonly from: number
  readonly to: number
  /** Nanoseconds beyond the two, where there are any. */
  readonly fromNanos?: number
  readonly toNanos?: number
}

export interface Times {
  readonly min_time: string
  readonly max_time: string
}

/** A span at a frequency as it is sent; the last five only where a metric of an asset has them. */
export interface Entry extends Times {
  readonly frequency: string
  readonly min_height?: string
  readonly max_height?: string
  readonly min_hash?: string
  readonly max_hash?: string
  readonly community?: boolean
}

export const times = ({ from, fromNanos, to, toNanos }: Span): Times => ({
  min_time: nanos(from, fromNanos),
  max_time: nanos(to, toNanos)
})

export const union = (a: Span | undefined, b: Span): Span =>
  a === undefined ? b : { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) }

/** Narrows a span to the steps of a clock that starts at 1970; undefined when none is left. */
export const snap = ({ from, to }: Span, step: number): Span | undefined => {
  const snapped = { from: Math.ceil(from / step) * step, to: Math.floor(to / step) * step }
  return snapped.from < snapped.to ? snapped : undefined
}

/** Writes a span at each frequency that has a row within it. */
export const entries = ({ from, to }: Span, frequencies: ReadonlyArray<string>): ReadonlyArray<Entry> =>
  frequencies.flatMap((frequency) => {
    const grid = Frequency.find(frequency)
    if (grid === undefined) return []
    const first = grid.from(Math.max(from, grid.since))
    const last = grid.from(to + 1) - 1
    return first > last ? [] : [{ frequency, ...times({ from: grid.at(first), to: grid.at(last) }) }]
  })
