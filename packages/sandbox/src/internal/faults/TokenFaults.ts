/** Faults of paging: what a page says about the next one. */
import * as Spec from "./Spec.ts"
import type { Listing } from "../listing/Listing.ts"
import * as Paging from "../listing/Paging.ts"
import { firstKey } from "./RecordFaults.ts"

/** A page that was asked for, and what it would say without a fault. */
export interface Asked {
  readonly binding: string
  readonly from: Paging.From
  readonly listing: Listing
  readonly size: number
  readonly token: string | undefined
  readonly position: Paging.Position
  readonly next: string | undefined
}

// How many pages of this size it took to come here, this one included.
const ordinal = ({ from, listing, position, size }: Asked): number =>
  1 + Math.round(Math.abs(position.at - Paging.first(from, listing.length)) / size)

export const next = (asked: Asked, faults: ReadonlyArray<Spec.Fault>): string | undefined => {
  const token = named(asked, faults)
  return token && Paging.longer(token, Spec.find(faults, "long-token")?.amount ?? 0)
}

const named = (asked: Asked, faults: ReadonlyArray<Spec.Fault>): string | undefined => {
  const { binding, from, listing, next, position, token } = asked
  if (Spec.has(faults, "repeat-token")) return token ?? next ?? Paging.token(binding, from, position, listing)
  const cycle = Spec.find(faults, "cycle-token")
  if (cycle !== undefined && (ordinal(asked) >= cycle.amount || next === undefined)) {
    return Paging.token(binding, from, { at: Paging.first(from, listing.length), empty: 0 }, listing)
  }
  const isForeign = next !== undefined && Spec.has(faults, "foreign-token")
  return isForeign ? Paging.token(`${binding}x`, from, position, listing) : next
}

/** Tells where `next_page_url` points to; `pageUrl` is the address of the endpoint as the caller wrote it. */
export const url = (pageUrl: string, faults: ReadonlyArray<Spec.Fault>): string => {
  const foreign = Spec.find(faults, "foreign-next-url")
  return foreign === undefined ? pageUrl : pageUrl.replace(/^https?:\/\/[^/]*/, foreign.value)
}

const warnings = (count: number, sentence: string): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, n) => ({ type: "sandbox", message: `Warning ${n + 1} of ${count}.${sentence}` }))
  )

/** Writes the members; a warning says, at its end, what is quoted. */
export const members = (
  faults: ReadonlyArray<Spec.Fault>,
  listing: Listing,
  { from, to }: { readonly from: number; readonly to: number },
  sentence: string
): string => {
  const first = from < to ? listing.rows(from, from + 1)[0] : undefined
  const key = firstKey(first ?? "")
  const looksLikeRecords = `[{${key}:"sandbox-first"},{${key}:"sandbox-second"}]`
  const added = new Map<string, string>()
  // Each once, whatever was asked for: a member that stands there twice is a fault of its own.
  for (const { amount, kind, value } of faults) {
    if (kind === "tail") added.set(value, looksLikeRecords)
    if (kind === "second-data") added.set("data", `[${first ?? ""}]`)
    if (kind === "warnings") added.set("warnings", warnings(amount, sentence))
  }
  return [...added].map(([name, value]) => `,"${name}":${value}`).join("")
}
