/**
 * What a job computes, and the files of its results (docs/interface.md 13.3): gzip, with a record on each line or one array.
 */
import type { Dialect } from "../../Dialect.ts"
import type * as Listing from "../listing/Listing.ts"

export type Rows = Pick<Listing.Listing, "length" | "rows">

/** What becomes of a job, and how its files are written. */
export const wishes = ["queued", "running", "failed", "expired", "array", "plain"] as const

export type Wish = (typeof wishes)[number]

export interface Task extends Rows {
  readonly wishes: ReadonlySet<Wish>
}

export const wishOf = (name: string): Wish | undefined => wishes.find((wish) => name === `sandbox-${wish}`)

export const size = 5_000

export const count = ({ length }: Rows): number => Math.max(1, Math.ceil(length / size))

export const listing = (rows: Rows, index: number): Listing.Listing => {
  const from = index * size
  return {
    length: Math.min(size, rows.length - from),
    rows: (first, last) => rows.rows(from + first, from + last),
    nameAt: String,
    positionOf: () => undefined
  }
}

/** Writes a file of a record on each line, the last of them with a line feed or without. */
export function* lines(texts: Iterable<string>, { lastLine }: Dialect): Generator<string> {
  let held: string | undefined
  for (const text of texts) {
    if (held !== undefined) yield held
    held = text
  }
  if (held !== undefined) yield lastLine === "open" ? held.replace(/\n$/, "") : held
}
