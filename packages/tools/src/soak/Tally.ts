/**
 * What the loops have seen so far.
 */
import type { ApiError } from "@sluice/core"

/** Counts of the whole run. */
export interface Counts {
  readonly records: number
  /** Records that are not the undisturbed ones. */
  readonly wrong: number
  /** Records missing from calls that said they were complete. */
  readonly missing: number
  /** Calls that gave everything. */
  readonly complete: number
  /** Calls that were abandoned by their reader. */
  readonly abandoned: number
  /** Calls that failed, by tag. */
  readonly failed: Readonly<Record<string, number>>
  /** Errors of calls that another attempt would have spared. */
  readonly spared: ReadonlyArray<string>
}

/** Counts as they grow. */
export interface Tally {
  readonly saw: (isRight: boolean) => void
  readonly ended: (missing: number) => void
  readonly failed: (error: ApiError.ApiError, isExplained: boolean) => void
  readonly abandoned: () => void
  readonly read: () => Counts
}

/** Begins to count. */
export const make = (): Tally => {
  const failed: Record<string, number> = {}
  const spared: Array<string> = []
  let records = 0
  let wrong = 0
  let missing = 0
  let complete = 0
  let abandoned = 0
  return {
    saw: (isRight) => {
      records += 1
      if (!isRight) wrong += 1
    },
    ended: (left) => {
      complete += 1
      missing += left
    },
    failed: ({ _tag, message }, isExplained) => {
      failed[_tag] = (failed[_tag] ?? 0) + 1
      if (!isExplained) spared.push(message)
    },
    abandoned: () => {
      abandoned += 1
    },
    read: () => ({ records, wrong, missing, complete, abandoned, failed: { ...failed }, spared: [...spared] })
  }
}
