/**
 * Messages that say the same: each is shown once, and again when another hour went by, with how often it came meanwhile.
 */
import * as Duration from "effect/Duration"
import * as Amount from "./Amount.ts"

/** How long the same is not shown again, in milliseconds. */
const silence = Duration.toMillis("1 hour")

/** The most messages that are remembered: a message may quote anything. Of more, the one that was shown first is forgotten. */
const most = 1_000

/** Begins without any. Times are milliseconds, of any clock. */
export const make = () => {
  const shown = new Map<string, { readonly at: number; repeated: number }>()
  return {
    /** How often a message came since it was shown, this time not counted; nothing where it is not to be shown. */
    see: (message: string, now: number): number | undefined => {
      const before = shown.get(message)
      // The clock may be set back.
      if (before !== undefined && Math.abs(now - before.at) < silence) {
        before.repeated += 1
        return undefined
      }
      shown.delete(message)
      const [oldest] = shown.keys()
      if (shown.size >= most && oldest !== undefined) shown.delete(oldest)
      shown.set(message, { at: now, repeated: 0 })
      return before?.repeated ?? 0
    }
  }
}

/** Says how often a message came since it was shown. */
export const textOf = (repeated: number): string =>
  repeated === 0 ? "" : ` (${Amount.some(repeated, "more time")} since this was said)`
