/** Ranges of time that are covered, as many as a chart can show, whatever comes. */
import type { Collector, Covered, Range } from "./Chart.ts"

/** Ranges that are kept of an entity: more than a screen has columns. */
const kept = 2_048

/**
 * Collects ranges, in any order. Those that touch are one. Where there are too many, the shortest holes are closed: none of them is
 * longer than one part in 2,048 of the whole time, since as many that are not shorter stay.
 */
export const make = (): Collector<Range, Required<Pick<Covered, "ranges" | "isCoarse">>> => {
  let held: ReadonlyArray<Range> = []
  let added: Array<Range> = []
  let isCoarse = false
  const join = () => {
    const all = joined([...held, ...added])
    isCoarse ||= all.length > kept
    held = all.length > kept ? closed(all) : all
    added = []
  }
  return {
    add: (range) => {
      added.push(range)
      if (added.length >= kept) join()
    },
    end: () => {
      join()
      return { ranges: held, isCoarse }
    }
  }
}

/** Ranges in the order of time; those that touch are one. */
const joined = (ranges: ReadonlyArray<Range>): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1)
    if (last === undefined || range.from > last.to) found.push(range)
    else found[found.length - 1] = { from: last.from, to: Math.max(last.to, range.to) }
  }
  return found
}

/** Ranges between the longest holes. */
const closed = (ranges: ReadonlyArray<Range>): ReadonlyArray<Range> => {
  const holes = ranges.slice(1).map(({ from }, index) => ({ length: from - ranges[index]!.to, before: index + 1 }))
  const longest = holes.toSorted((a, b) => b.length - a.length).slice(0, kept - 1)
  const starts = [0, ...longest.map(({ before }) => before).toSorted((a, b) => a - b)]
  return starts.map((start, index) => ({
    from: ranges[start]!.from,
    to: ranges[(starts[index + 1] ?? ranges.length) - 1]!.to
  }))
}
