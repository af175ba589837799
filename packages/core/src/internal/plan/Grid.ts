/** The times at which a series at a frequency has its records. */
import * as Parameter from "../../Parameter.ts"
import type { Span } from "./Coverage.ts"

/** Times that are a step apart. */
export interface Grid {
  readonly step: bigint
  /** One of its times; where it is undefined, the first record of an entity is one. */
  readonly anchor: bigint | undefined
}

const hour = 3_600_000_000_000n

/** The grid of a frequency; nothing for `1b`, of blocks, and for other words. */
export const of = (frequency: string): Grid | undefined => {
  const step = Parameter.stepOf(frequency)
  if (step === undefined) return undefined
  const [, opening] = /^1d-(\d\d):00$/.exec(frequency) ?? []
  return { step: step.nanos, anchor: opening !== undefined ? BigInt(opening) * hour : step.isEven ? 0n : undefined }
}

/** Whether the times are the same whatever the entity, and not those of the clocks of a place, which are moved by an hour. */
export const isEven = ({ anchor }: Grid): boolean => anchor !== undefined

const floor = (value: bigint, step: bigint) => (value >= 0n ? value / step : -((-value + step - 1n) / step))

/** The last time within a span; undefined where there is none. */
export const lastIn = ({ anchor = 0n, step }: Grid, { first, last }: Span): bigint | undefined => {
  const time = floor(last - anchor, step) * step + anchor
  return time < first ? undefined : time
}

/** How many of its times are within a span. */
export const countIn = ({ anchor = 0n, step }: Grid, { first, last }: Span): number =>
  last < first ? 0 : Number(floor(last - anchor, step) - floor(first - 1n - anchor, step))
