/**
 * A state as text: read again as it was, or not at all. Others may have changed what holds it, and a state that no step can have
 * left would let requests wait without end.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Replies } from "../quota/Window.ts"
import { type State, underway } from "./State.ts"

/** Milliseconds that no lease of a process takes. */
const longest = 60_000

/** A lease in milliseconds. */
export const Lease = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: longest }))

/** Milliseconds since 1970, of which a number is exact; -1 for never. */
const Time = Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1e15 }))
/** A number of things, or milliseconds. */
export const Size = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
/** A number of things of which there is one at least. */
export const Count = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(1))
/** Milliseconds of a year: no header names a longer window or wait. */
export const year = 366 * 86_400_000
const Length = Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: year }))
const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 1e-6, maximum: 1e6 }))
/** A window with its limit. */
export const Policy = Schema.Struct({ limit: Count, window: Length })

const Stored = Schema.Struct({
  planned: Schema.optional(Policy),
  policies: Schema.Array(Policy),
  isNamed: Schema.optional(Schema.Boolean),
  plan: Schema.optional(Schema.String),
  parallel: Count,
  running: Size,
  replies: Schema.Unknown,
  blockedUntil: Time,
  isAsked: Schema.optional(Schema.Boolean),
  refusals: Size,
  refusedAt: Time,
  others: Schema.Struct({ count: Size, until: Time, window: Length, first: Schema.optional(Time) }),
  pace: Schema.Struct({
    rates: Schema.optional(Schema.Tuple([Rate, Rate, Rate])),
    parallel: Schema.optional(Count),
    needed: Size,
    since: Time,
    accepted: Size,
    seen: Size,
    sinceGrowth: Size,
    isUsedUp: Schema.Boolean
  }),
  probed: Schema.optional(Schema.Struct({ policies: Schema.Array(Policy), until: Time })),
  sentAt: Time,
  sent: Schema.Finite,
  rejected: Size,
  generation: Schema.NonEmptyString,
  now: Time,
  /** May be negative. */
  offset: Schema.Finite.check(Schema.isBetween({ minimum: -1e15, maximum: 1e15 })),
  grace: Time,
  last: Size,
  processes: Schema.Array(
    Schema.Struct({ id: Schema.NonEmptyString, made: Size, nth: Size, lease: Time, want: Size, told: Size })
  ),
  permits: Schema.Array(
    Schema.Struct({
      id: Schema.NonEmptyString,
      process: Schema.String,
      sent: Time,
      isProbe: Schema.Boolean,
      isTold: Schema.Boolean,
      isReplied: Schema.Boolean
    })
  ),
  tickAt: Time,
  ticker: Schema.String
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Stored))

/**
 * How exactly the time of a reply is kept: to one in so many parts of its age. A place is free that much later, and the longest
 * log takes some kilobytes.
 */
const exactness = 128

/** The times of replies as pairs of the milliseconds since the last and of their number. Those that are nearly equal are one. */
const pack = ({ times, totals }: Replies, now: number): ReadonlyArray<number> => {
  const pairs: Array<number> = []
  let last = -1
  let step = 2 ** 40
  for (let at = 1; at < times.length; at++) {
    const time = times[at]!
    // Times of one age are rounded up to multiples of one power of two, so that it makes no difference how often they are.
    while (step > 1 && now - time < step * exactness) step /= 2
    const rounded = Math.max(0, last, Math.ceil(time / step) * step)
    if (rounded > last) pairs.push(rounded - last, 0)
    last = rounded
    pairs[pairs.length - 1]! += totals[at]! - totals[at - 1]!
  }
  return pairs
}

const unpack = (pairs: ReadonlyArray<unknown>): Replies | undefined => {
  const times = [-Infinity]
  const totals = [0]
  let time = -1
  let total = 0
  for (let at = 0; at < pairs.length; at += 2) {
    const gap = pairs[at]
    const count = pairs[at + 1]
    if (typeof gap !== "number" || typeof count !== "number" || gap < 1 || count < 1) return undefined
    times.push((time += gap))
    totals.push((total += count))
  }
  return { times, totals }
}

/** Whether steps may have left this: nothing ends later than it can, and every permit is that of a process that is known. */
const isPossible = (state: State): boolean => {
  const { grace, now, others, permits, probed, processes, replies, running } = state
  const latest = now + longest
  const known = new Set(processes.map(({ id }) => id))
  const waited = permits.filter(({ isReplied }) => !isReplied)
  return (
    grace <= latest &&
    others.until <= now + others.window &&
    processes.every(({ lease }) => lease <= latest) &&
    permits.every(({ process }) => known.has(process)) &&
    running === waited.length &&
    (probed === undefined || waited.some(({ isProbe }) => isProbe)) &&
    replies.times.at(-1)! <= now + underway
  )
}

export const write = (state: State): string =>
  JSON.stringify({ ...state, replies: pack(state.replies, state.now) } satisfies typeof Stored.Encoded)

/** The state of this text; undefined where no step can have left it like this. */
export const read = (text: string): State | undefined => {
  const stored = Option.getOrUndefined(decode(text))
  const replies = Array.isArray(stored?.replies) ? unpack(stored.replies) : undefined
  if (stored === undefined || replies === undefined) return undefined
  const { others, pace, permits, processes } = stored
  const state: State = {
    ...stored,
    replies,
    others: { first: undefined, ...others },
    pace: { ...pace },
    processes: processes.map((process) => ({ ...process })),
    permits: permits.map((permit) => ({ ...permit }))
  }
  return isPossible(state) ? state : undefined
}
