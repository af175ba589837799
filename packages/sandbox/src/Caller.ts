/**
 * Who asks, and what they may read.
 */
import type { Licence } from "./Plan.ts"

/** What the key may read, and whether the community root was used. */
export interface Caller {
  readonly isCommunity: boolean
  readonly licence: Licence
}

/** A caller from whom nothing is kept, as the full catalog takes everybody to be (interface.md 4.7). */
export const unlimited: Caller = { isCommunity: false, licence: {} }

/** Tells whether a metric may be read at a frequency; at the community root, what is marked so, by the day. */
export const mayRead = (
  self: Caller,
  metric: { readonly metric: string; readonly community: boolean },
  frequency: string
): boolean =>
  self.isCommunity
    ? metric.community && frequency === "1d"
    : !(self.licence.withoutMetrics ?? []).includes(metric.metric)
