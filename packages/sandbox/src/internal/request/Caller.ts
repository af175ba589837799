/** The caller of a request, and what it may read. */
import { type Dialect, usual } from "../../Dialect.ts"
import type { Licence } from "../../Plan.ts"
import type { View } from "../history/History.ts"
import type { Jitter } from "../random/Jitter.ts"

/** What the key may read, and whether the community root was used. */
export interface Caller {
  readonly isCommunity: boolean
  readonly licence: Licence
  /** How the service speaks where what is published leaves it open. */
  readonly dialect: Dialect
  /** How many markets the full catalog of markets has; undefined where it has those of the reference data. */
  readonly catalogMarkets?: number | undefined
  /** The instant by which a time series has to be published, in milliseconds since 1970; undefined where time stands still. */
  readonly until?: number | undefined
  /** How much later than at their own instants records are published, and shown; not at all where not said. */
  readonly jitter?: Jitter | undefined
  /** How many blocks a chain leaves at once, at most; 1 where not said. */
  readonly forks?: number | undefined
  /** What the past looks like now, where it changes. */
  readonly view?: View | undefined
  readonly jobs?: ((ids: ReadonlyArray<string>) => ReadonlyArray<{ readonly id: string }>) | undefined
}

/** A caller who may read everything, as for the full catalog (docs/interface.md 4.7). */
export const unlimited: Caller = { isCommunity: false, licence: {}, dialect: usual }

/** The caller as one who may read everything, at the same moment. */
export const readingAll = ({ dialect, until, view }: Caller): Caller => ({ ...unlimited, dialect, until, view })

/**
 * Tells whether a metric may be read at a frequency; at the community root, what is marked so: reference rates at each of
 * their frequencies, which programs without a key are known to read by the minute and by the second, all others by the day. Only
 * metrics of assets are marked as community data or not.
 */
export const mayRead = (
  self: Caller,
  metric: { readonly metric: string; readonly community?: boolean },
  frequency: string
): boolean =>
  self.isCommunity
    ? (metric.community ?? true) && (frequency === "1d" || metric.metric.startsWith("ReferenceRate"))
    : !(self.licence.withoutMetrics ?? []).includes(metric.metric)
