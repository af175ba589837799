/**
 * Finds values that stand far off those around them: the distance from the median of eleven values, against the usual distance.
 *
 * A median knows no single spike, and a price that moves and stays is in the middle of its new values at once, so it is none. How
 * far is usual follows from the distances before and behind the value, so a series may be calm at one time and wild at another.
 */
import type { Time } from "../model/Store.ts"

/** Values on each side. */
const side = 5

const width = 2 * side + 1

/** Distances that say what is usual, on each side. */
const memory = 64

/** Values after which what is usual is worked out again. */
const refresh = 8

/** Distances that are needed to say anything at all. */
const fewest = 12

/** How many times the usual distance is too far. */
const factor = 12

/** What is no outlier in any case: a share of the value. */
const least = 0.02

/** A value that stands off. */
export interface Outlier {
  readonly at: Time
  readonly value: number
  /** The median around it. */
  readonly usual: number
}

/** The median of a few values. */
const medianOf = (values: Float64Array): number => {
  // An insertion sort: faster than any other for so few.
  for (let at = 1; at < values.length; at++) {
    const value = values[at]!
    let place = at
    while (place > 0 && values[place - 1]! > value) {
      values[place] = values[place - 1]!
      place -= 1
    }
    values[place] = value
  }
  return values[values.length >>> 1]!
}

interface Suspect extends Outlier {
  readonly distance: number
  readonly before: number
  readonly due: number
}

/** Looks at the values of one column of one entity, one after the other. */
export const make = (by: "ratio" | "difference", tell: (outlier: Outlier) => void) => {
  const values = new Float64Array(width)
  const places: Array<Time> = Array.from({ length: width }, () => "")
  const sorted = new Float64Array(width)
  const edge = new Float64Array(side)
  const distances = new Float64Array(memory)
  const ordered = new Float64Array(memory)
  let seen = 0
  let judged = 0
  let suspects: Array<Suspect> = []
  let [scale, fresh] = [0, 0]

  /** The distance that nine of ten do not exceed of late: it knows of long tails, and a tenth may be outliers. */
  const usual = () => {
    const count = Math.min(judged, memory)
    ordered.set(distances)
    return ordered.subarray(0, count).sort()[Math.floor(0.9 * count)] ?? 0
  }

  /** The same, as of a few values ago: sorting for each value would take most of the time. */
  const recent = () => {
    if (judged >= fresh) {
      fresh = judged + refresh
      scale = judged < memory / 2 ? 0 : usual()
    }
    return scale
  }

  const settle = () => {
    const after = usual()
    for (const { at, before, distance, usual: middle, value } of suspects.filter(({ due }) => due <= judged)) {
      if (distance > factor * Math.max(before, after)) tell({ at, value, usual: middle })
    }
    suspects = suspects.filter(({ due }) => due > judged)
  }

  /** The median of the five values at the end that a value is of: a series that rises or falls there has left the median of eleven. */
  const nearEnd = (back: number) => {
    const first = back > side ? side + 1 : 0
    for (let one = 0; one < side; one++) edge[one] = values[(seen - 1 - first - one) % width]!
    return medianOf(edge)
  }

  /** Judges the value so many places behind the last one. */
  const judge = (back: number) => {
    const place = (seen - 1 - back) % width
    const own = values[place]!
    sorted.set(values)
    const whole = medianOf(sorted)
    const near = back === side ? whole : nearEnd(back)
    const middle = Math.abs(own - near) < Math.abs(own - whole) ? near : whole
    const distance = Math.abs(own - middle)
    const floor = by === "ratio" ? least : least * Math.abs(middle)
    const before = distance > floor ? recent() : Infinity
    if (distance > factor * before) {
      const shown = by === "ratio" ? Math.exp : (value: number) => value
      suspects.push({
        at: places[place]!,
        value: shown(own),
        usual: shown(middle),
        distance,
        before,
        due: judged + memory / 2
      })
    }
    distances[judged % memory] = distance
    judged += 1
    if (suspects.length > 0 && suspects[0]!.due <= judged) settle()
  }

  return {
    /** Adds a value. One that has no ratio, such as 0, is left out. */
    add: (value: number, at: Time) => {
      const own = by === "ratio" ? Math.log(value) : value
      if (!Number.isFinite(own)) return
      values[seen % width] = own
      places[seen % width] = at
      seen += 1
      if (seen < width) return
      // The first values have no values before them: they are compared with the first eleven.
      if (seen === width) for (let back = width - 1; back > side; back--) judge(back)
      judge(side)
    },
    /** Judges the last values. */
    end: () => {
      if (seen >= width) for (let back = side - 1; back >= 0; back--) judge(back)
      for (const one of suspects.splice(0)) {
        if (judged >= fewest && one.distance > factor * Math.max(one.before, usual())) tell(one)
      }
    }
  }
}

/** Looks at one column. */
export type Outliers = ReturnType<typeof make>
