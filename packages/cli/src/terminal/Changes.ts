/**
 * What a sync has changed: records that are new, that were held before and came again, and that the service no longer has.
 */
import type * as Dataset from "@sluice/datasets/Dataset"
import * as Amount from "./Amount.ts"

export type Changes = ReturnType<typeof make>

export const make = () => {
  const counts = { added: 0, again: 0, removed: 0, revised: 0 }
  let isWritten = false
  return {
    add: ({ deleted, records, replaced, revised = 0, written }: Dataset.Changed) => {
      counts.added += Math.max(0, records - replaced)
      counts.again += Math.min(records, replaced)
      counts.removed += Math.max(0, replaced - records)
      counts.revised += revised
      isWritten ||= written.length + deleted.length > 0
    },
    /** Whether records came or went, or files were written anew because values differ. */
    isNews: () => isWritten || counts.added + counts.removed > 0,
    text: () =>
      [
        Amount.some(counts.added, "new record"),
        ...(counts.again === 0
          ? []
          : [
              `${Amount.count(counts.again)} read again${counts.revised === 0 ? "" : ` (${Amount.count(counts.revised)} revised)`}`
            ]),
        ...(counts.removed === 0 ? [] : [`${Amount.count(counts.removed)} removed`])
      ].join(", ")
  }
}
