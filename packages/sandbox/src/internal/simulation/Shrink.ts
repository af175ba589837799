/**
 * Finds the few choices that a failure needs.
 */
import * as Effect from "effect/Effect"
import type { Deviations } from "./Choices.ts"

/**
 * Takes deviations away, halves first and single ones last, as long as the run fails without them. `fails` gives the deviations
 * that a run really had, or nothing where it did not fail.
 */
export const shrink = Effect.fnUntraced(function* <R>(
  found: Deviations,
  most: number,
  fails: (deviations: Deviations) => Effect.Effect<Deviations | undefined, never, R>
) {
  let left = found
  let runs = 0
  for (let size = left.size; size >= 1 && runs < most; size = Math.floor(size / 2)) {
    // From the end: what is taken there does not move what comes before.
    for (let end = left.size; end > 0 && runs < most; end -= size) {
      const entries = [...left]
      runs++
      const failed = yield* fails(new Map(entries.toSpliced(Math.max(0, end - size), Math.min(size, end))))
      if (failed !== undefined && failed.size < left.size) left = failed
    }
  }
  return left
})
