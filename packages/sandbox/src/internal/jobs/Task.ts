/**
 * What a job computes, and what becomes of it.
 */
import type { Rows } from "./File.ts"

/** What becomes of a job, and how its files are written. */
export const wishes = ["queued", "running", "failed", "expired", "array", "plain"] as const

/** One of {@link wishes}. */
export type Wish = (typeof wishes)[number]

/** What a job computes. */
export interface Task extends Rows {
  readonly wishes: ReadonlySet<Wish>
}

/** The wish that a name stands for, such as `sandbox-failed`. */
export const wishOf = (name: string): Wish | undefined => wishes.find((wish) => name === `sandbox-${wish}`)
