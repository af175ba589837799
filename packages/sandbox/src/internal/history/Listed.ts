/**
 * Assets and markets that the service begins to list, renames, or drops while time passes.
 *
 * **Details**
 *
 * Half of those that are new have their whole past with them, the others begin a day before they are listed. What programs
 * are likely to name in tests stays as it is: the largest assets, and markets between them.
 */
import { DAY, HOUR } from "../time/Calendar.ts"
import { below } from "../random/Noise.ts"
import * as History from "./History.ts"

export type Kind = "asset" | "market"

/** What happens to a name. */
export interface Change {
  readonly what: "added" | "renamed" | "dropped"
  /** When, in milliseconds since 1970. */
  readonly at: number
  /** When its data begins, where it does not have its whole past. */
  readonly from: number | undefined
}

/** One name in so many is added, renamed or dropped. */
const rarity: Readonly<Record<Kind, number>> = { asset: 12, market: 24 }

/** What happens to a name in the two months after the history begins; nothing to most. */
export const change = (self: History.History, kind: Kind, name: string): Change | undefined => {
  const key = History.keyOf(self, `${kind} ${name}`)
  if (below(key, 1, rarity[kind]) !== 0) return undefined
  const at = self.since + below(key, 2, 60) * DAY + below(key, 3, 24) * HOUR
  const drawn = below(key, 4, 8)
  // Names of markets tell what they are of, and are never changed.
  if (drawn === 0) return { what: "dropped", at, from: undefined }
  if (drawn < 3 && kind === "asset") return { what: "renamed", at, from: undefined }
  return { what: "added", at, from: drawn % 2 === 0 ? at - DAY : undefined }
}

/** The name that an asset had before it was renamed. */
export const formerly = (name: string): string => `${name}old`

export const isShown = (view: History.View, kind: Kind, name: string): boolean => {
  const found = change(view, kind, name)
  if (found === undefined) return true
  if (found.what === "renamed") return true
  return found.what === "added" ? view.now >= found.at : view.now < found.at
}

/** The first instant of which there is data, where a name does not have its whole past. */
export const begins = (view: History.View, kind: Kind, name: string): number | undefined =>
  change(view, kind, name)?.from
