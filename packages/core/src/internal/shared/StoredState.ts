/**
 * A state that was kept as text: read again as it was, or not at all. Others may have changed what holds it, and a state that no
 * step can have left would let requests wait without end.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Log, State } from "./State.ts"
import type { Step } from "./Step.ts"

/** Milliseconds that no lease of a process takes, but for longer ones of tests, and no window of a pace. */
const longest = 60_000

/** Milliseconds since 1970, of which a number is exact; -1 for never. */
const Time = Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1e15 }))
const Size = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const Count = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(1))
const Length = Schema.Finite.check(Schema.isGreaterThan(0))
const Policies = Schema.Array(Schema.Struct({ limit: Count, window: Length }))
const Block = Schema.Struct({ until: Time, isAsked: Schema.Boolean })

const Stored = Schema.Struct({
  generation: Schema.NonEmptyString,
  now: Time,
  /** May be negative. */
  offset: Schema.Finite.check(Schema.isBetween({ minimum: -1e15, maximum: 1e15 })),
  grace: Time,
  share: Count,
  last: Size,
  parallel: Count,
  planned: Schema.optional(Schema.Struct({ limit: Count, window: Length })),
  policies: Policies,
  isKnown: Schema.Boolean,
  isNamed: Schema.Boolean,
  plan: Schema.optional(Schema.String),
  block: Block,
  refusals: Size,
  refusedAt: Time,
  others: Schema.Struct({
    count: Size,
    until: Time,
    window: Length,
    first: Schema.optional(Time)
  }),
  pace: Schema.Struct({
    rates: Schema.optional(Schema.Struct({ current: Length, confirmed: Length, refused: Schema.optional(Length) })),
    kept: Policies,
    parallel: Schema.optional(Count),
    needed: Size,
    refusedAt: Time,
    since: Time,
    accepted: Size,
    seen: Size,
    sinceGrowth: Size,
    isUsedUp: Schema.Boolean
  }),
  probed: Schema.optional(Schema.Struct({ policies: Policies, block: Block })),
  probe: Schema.optional(Schema.String),
  sentAt: Time,
  sent: Schema.Finite,
  rejected: Size,
  processes: Schema.Array(Schema.Struct({ id: Schema.NonEmptyString, lease: Time, want: Size })),
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

/** Whether steps may have left this: nothing ends later than it can, and every permit is that of a process that is known. */
const isPossible = (state: typeof Stored.Type, log: Log, { lease }: Step): boolean => {
  const { grace, others, pace, permits, probe, processes } = state
  const latest = state.now + Math.max(lease, longest)
  const known = new Set(processes.map(({ id }) => id))
  return (
    grace <= latest &&
    others.until <= state.now + others.window &&
    processes.every((process) => process.lease <= latest) &&
    pace.kept.every(({ window }) => window <= longest) &&
    permits.every(({ process }) => known.has(process)) &&
    (probe === undefined || permits.some(({ id }) => id === probe)) &&
    log.countAfter(state.now) === 0
  )
}

/** The state that was kept as this text before a step, with the log beside it; undefined where no step can have left them like this. */
export const read = (text: string, log: Log, step: Step): State | undefined => {
  const state = Option.getOrUndefined(decode(text))
  if (state === undefined || !isPossible(state, log, step)) return undefined
  const { others, permits, processes } = state
  return { ...state, others: { first: undefined, ...others }, processes: [...processes], permits: [...permits] }
}
