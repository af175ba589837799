/**
 * Members of an envelope that follow its records and tokens, as a fault asks for them.
 */
import type * as Spec from "./Spec.ts"
import type { Listing } from "../listing/Listing.ts"
import { firstKey } from "./RecordFaults.ts"

const warnings = (count: number, sentence: string): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, n) => ({
      type: "sandbox",
      message: `Warning ${n + 1} of ${count}.${sentence}`
    }))
  )

/** Writes the members; a warning says, at its end, what is quoted. */
export const write = (
  faults: ReadonlyArray<Spec.Fault>,
  listing: Listing,
  { from, to }: { readonly from: number; readonly to: number },
  sentence: string
): string => {
  const first = from < to ? listing.rows(from, from + 1)[0] : undefined
  const key = firstKey(first ?? "")
  const looksLikeRecords = `[{${key}:"sandbox-first"},{${key}:"sandbox-second"}]`
  const members = new Map<string, string>()
  // Each once, whatever was asked for: a member that stands there twice is a fault of its own.
  for (const { amount, kind, value } of faults) {
    if (kind === "tail") members.set(value, looksLikeRecords)
    if (kind === "second-data") members.set("data", `[${first ?? ""}]`)
    if (kind === "warnings") members.set("warnings", warnings(amount, sentence))
  }
  return [...members].map(([name, value]) => `,"${name}":${value}`).join("")
}
