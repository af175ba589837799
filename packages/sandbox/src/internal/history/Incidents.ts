/** Stretches of a series that are missing: for some time, for good, or from some day on, when they are taken back. */
import { DAY, HOUR, MINUTE } from "../time/Calendar.ts"
import { below, pick, unit } from "../random/Noise.ts"
import * as History from "./History.ts"

/** A stretch of time in milliseconds; its start belongs to it, its end does not. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

interface Incident extends Stretch {
  /** Seen from this instant on, and until another. */
  readonly from: number
  readonly until: number
}

const never = Number.POSITIVE_INFINITY

type Kind = "late" | "missing" | "taken back"

const shares: ReadonlyArray<readonly [share: number, kind: Kind, isWholeDay: boolean]> = [
  [0.06, "late", true],
  [0.02, "missing", true],
  [0.03, "taken back", true],
  [0.2, "late", false],
  [0.04, "missing", false],
  [0.06, "taken back", false]
]

const draw = (key: number, n: number) => {
  let left = unit(key, n)
  return shares.find(([share]) => (left -= share) < 0)
}

/** What happens to a series on a day; days are numbered since 1970. */
const ofDay = (self: History.History, key: number, day: number): Incident | undefined => {
  const place = 8 * day
  const [, kind, isWholeDay] = draw(key, place) ?? []
  if (kind === undefined) return undefined
  const midnight = day * DAY
  const start = isWholeDay === true ? midnight : midnight + below(key, place + 1, 1440) * MINUTE
  const length = isWholeDay === true ? DAY : pick(key, place + 2, [1, 20, 90, 240]) * MINUTE
  const end = Math.min(midnight + DAY, start + length)
  const within = (last: number) => Math.min(start + last, end + HOUR + Math.floor(unit(key, place + 3) * last))
  switch (kind) {
    case "missing":
      return { start, end, from: never, until: never }
    case "taken back":
      return { start, end, from: Number.NEGATIVE_INFINITY, until: within(self.settles) }
    case "late": {
      // Some come only after everything else has settled.
      const isVeryLate = below(key, place + 4, 3) === 0
      return { start, end, from: within(isVeryLate ? self.fills : self.settles), until: never }
    }
  }
}

/** The stretches of a series that are not seen, ascending. */
export const hidden = (view: History.View, name: string): ReadonlyArray<Stretch> => {
  const key = History.keyOf(view, name)
  const stretches: Array<Stretch> = []
  for (let day = Math.ceil(view.since / DAY); day * DAY <= view.now; day++) {
    const incident = ofDay(view, key, day)
    if (incident === undefined || (incident.from <= view.now && view.now < incident.until)) continue
    stretches.push({ start: incident.start, end: incident.end })
  }
  return stretches
}
