/**
 * How the past of the data changes while time passes: a service publishes later than at the instant of a record, fills
 * holes, corrects what it has published, and takes some of it back. Nothing is stored: what is seen at an instant is a
 * function of the seed, the entity, the record and that instant.
 *
 * What a record ends as is the record of a stand-in without a history, but for those that stay away or are taken back.
 */
import { MINUTE, SECOND } from "../time/Calendar.ts"
import { below, mix, seed } from "../random/Noise.ts"

export interface History {
  readonly seed: number
  /** Everything before this instant has come to its end; in milliseconds since 1970. */
  readonly since: number
  /** How long after its own time a record may be corrected or taken back, in milliseconds. */
  readonly settles: number
  /** How long after its own time a record that was missing may come, in milliseconds. */
  readonly fills: number
  /** What the old name of a renamed asset is: another name of it, or unknown. */
  readonly renamed: "alias" | "unknown"
  /** Metrics that are refused from these instants on. */
  readonly retired: ReadonlyMap<string, number>
}

export interface View extends History {
  readonly now: number
}

/** The number from which everything about a name is drawn. */
export const keyOf = (self: History, name: string): number => mix(self.seed, seed(name))

/**
 * How long after its own time what has this name is published at a frequency, as a rule: days by the hour, hours by the
 * minute, and what has no frequency within seconds.
 */
export const delay = (self: History, name: string, frequency: string): number => {
  const key = keyOf(self, name)
  if (frequency.startsWith("1d")) return 20 * MINUTE + below(key, 1, 600) * MINUTE
  if (frequency === "1b") return below(key, 2, 600) * SECOND
  if (frequency.endsWith("h")) return MINUTE + below(key, 3, 900) * SECOND
  if (frequency.endsWith("m")) return 5 * SECOND + below(key, 4, 60) * SECOND
  return below(key, 5, 5) * SECOND
}
