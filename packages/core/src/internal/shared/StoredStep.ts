/**
 * A step as text: read again as it was, or not at all. All processes read the steps of each other, and others may have changed what
 * holds them.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Reply } from "../../Quota.ts"
import type { Event, Step } from "./Step.ts"
import { Count, Lease, Policy, Size, year } from "./StoredState.ts"

/** JSON has no number for ever. */
const Patience = Schema.NullOr(Size)
const Wait = Schema.optional(Size.check(Schema.isLessThanOrEqualTo(year)))
const Id = Schema.NonEmptyString

const Head = Schema.Struct({
  status: Size,
  plan: Schema.optional(Schema.String),
  limit: Schema.optional(Count),
  policies: Schema.Array(Policy),
  remaining: Schema.optional(Size),
  reset: Wait,
  retryAfter: Wait
})

const Happened = Schema.Union([
  Schema.Struct({ type: Schema.Literal("head"), id: Id, reply: Head }),
  Schema.Struct({ type: Schema.Literals(["end", "unused"]), id: Id })
])

const Stored = Schema.Struct({
  process: Id,
  generation: Schema.String,
  nonce: Id,
  nth: Schema.optional(Size),
  before: Schema.optional(Schema.Struct({ count: Size, now: Size })),
  want: Size,
  waited: Size,
  events: Schema.Array(Happened),
  lease: Lease,
  longest: Patience,
  probeAfter: Patience,
  join: Schema.optional(
    Schema.Struct({
      parallel: Count,
      planned: Schema.optional(Policy),
      policies: Schema.Array(Policy),
      alone: Schema.Boolean,
      requests: Schema.Array(Schema.Struct({ id: Id, nth: Size, age: Schema.Finite, held: Schema.Boolean }))
    })
  )
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Stored))

const none = { plan: undefined, limit: undefined, remaining: undefined, reset: undefined, retryAfter: undefined }

const eventOf = (event: typeof Happened.Type): Event =>
  event.type === "head" ? { ...event, reply: { ...none, ...event.reply } satisfies Reply } : event

export const write = (step: Step): string => JSON.stringify(step)

/** The step of this text; undefined where no process can have made it. */
export const read = (text: string): Step | undefined => {
  const stored = Option.getOrUndefined(decode(text))
  if (stored === undefined) return undefined
  const { events, longest, probeAfter } = stored
  return { ...stored, events: events.map(eventOf), longest: longest ?? Infinity, probeAfter: probeAfter ?? Infinity }
}
