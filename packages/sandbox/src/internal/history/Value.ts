/** One value of a record: when it is published, how it is reviewed, corrected, and taken back. */
import { HOUR, MINUTE } from "../time/Calendar.ts"
import { below, mix } from "../random/Noise.ts"
import * as History from "./History.ts"

export interface Known {
  /** How many corrections are still to come; 0 is the value that stays. */
  readonly left: number
  /** Whether there is no value: not yet, or no longer. */
  readonly isMissing: boolean
  /** How far it has been reviewed; nothing where it was not published yet. */
  readonly status: "flash" | "reviewed" | "revised" | undefined
  /** Since when it has been that. */
  readonly since: number
}

const notYet: Known = { left: 0, isMissing: true, status: undefined, since: 0 }

/**
 * Tells what is known of the values of a name, such as `btc PriceUSD`, at a frequency: of the record at `ms`, whose interval ends at
 * `end`; nothing where it has settled.
 */
export const knower = (
  view: History.View,
  entity: string,
  metric: string,
  frequency: string,
  isReviewed: boolean
): ((ms: number, end: number) => Known | undefined) => {
  const key = History.keyOf(view, `${entity} ${metric} ${frequency}`)
  const delay = History.delay(view, metric, frequency)
  return (ms, end) => {
    if (ms < view.since) return undefined
    const { now, settles } = view
    const place = Math.floor(ms / MINUTE)
    const salt = mix(key, place)
    const last = Math.max(ms + settles, end + delay)
    const hours = (n: number, from: number, count: number) => from * HOUR + below(salt, n, count * 60) * MINUTE
    const isLate = below(salt, 1, 12) === 0
    const published = Math.min(last, end + delay + (isLate ? hours(2, 1, 40) : 0))
    if (now < published) return notYet
    const isTakenBack = below(salt, 3, 60) === 0
    const reviewed = Math.min(last, published + hours(4, 4, 26))
    const revised = Math.min(last, reviewed + hours(5, 4, 30))
    const isRevised = below(salt, 6, isReviewed ? 5 : 9) === 0
    if (isTakenBack && now >= revised) return { left: 0, isMissing: true, status: "revised", since: revised }
    if (isRevised && now >= revised) return { left: 0, isMissing: false, status: "revised", since: revised }
    // A review corrects one value in three.
    const isCorrected = below(salt, 7, 3) === 0
    const left = (isRevised ? 1 : 0) + (isReviewed && isCorrected && now < reviewed ? 1 : 0)
    return now < reviewed
      ? { left, isMissing: false, status: "flash", since: published }
      : { left, isMissing: false, status: "reviewed", since: reviewed }
  }
}

/** Writes a number otherwise than it ends: its last digits are others. */
export const corrected = (text: string, left: number, salt: number): string => {
  const digits = Math.min(4, text.length - 1 - (text.startsWith("-") ? 1 : 0))
  if (left === 0 || digits < 1) return text
  const size = 10 ** digits
  const kept = text.slice(0, -digits)
  const own = text.slice(-digits)
  // The point of a decimal may be among the last four.
  if (own.includes(".")) return text
  const other = (Number(own) + 1 + (mix(salt, left) % (size - 1))) % size
  return `${kept}${String(other).padStart(digits, "0")}`
}
