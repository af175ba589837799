/** The X-RateLimit headers of a reply, in the forms that a client may meet (docs/interface.md 8.2). */
import * as Duration from "effect/Duration"
import type { Plan } from "../../Plan.ts"
import type { WindowState } from "./SlidingWindow.ts"

interface RateLimit {
  readonly limit: number
  readonly seconds: number
  readonly remaining: number
  readonly reset: number
  /** Seconds since 1970. */
  readonly now: number
}

/** Limit, remaining and reset, as they stand in the headers. */
type Values = readonly [limit: string | number, remaining: string | number, reset: string | number]

interface Form {
  readonly doc: string
  /** Absent where there are no headers at all. */
  readonly write?: (facts: RateLimit) => Values
}

const policy = ({ limit, seconds }: RateLimit): string => `${limit}, ${limit};w=${seconds}`

const beyond = "999999999999999999999"

const drafts = {
  standard: { doc: "as usual: `10, 10;w=6`", write: (facts) => [policy(facts), facts.remaining, facts.reset] },
  plain: { doc: "a limit without its policy: `10`", write: ({ limit, remaining, reset }) => [limit, remaining, reset] },
  policies: {
    doc: "a limit with a second policy and a comment",
    write: (facts) => [`${policy(facts)}, ${facts.limit * 100};w=86400;comment="a day"`, facts.remaining, facts.reset]
  },
  none: { doc: "no rate-limit header" },
  malformed: { doc: "nothing that can be read", write: () => ["many;;w=", "-?", "soon"] },
  "malformed-limit": {
    doc: "a limit that cannot be read",
    write: ({ remaining, reset }) => ["many;;w=", remaining, reset]
  },
  empty: { doc: "headers without a value", write: () => ["", "", ""] },
  doubled: {
    doc: "every value twice, as a proxy joins two headers",
    write: (facts) => [
      `${policy(facts)}, ${policy(facts)}`,
      `${facts.remaining}, ${facts.remaining}`,
      `${facts.reset}, ${facts.reset}`
    ]
  },
  zero: {
    doc: "nothing remaining, though the window has room",
    write: (facts) => [policy(facts), "0", Math.max(1, facts.reset)]
  },
  "zero-now": { doc: "nothing remaining, and a reset of 0", write: (facts) => [policy(facts), "0", "0"] },
  "zero-limit": { doc: "a limit of 0", write: ({ reset, seconds }) => [`0, 0;w=${seconds}`, "0", Math.max(1, reset)] },
  month: { doc: "a window of 31 days, of which nothing remains", write: () => ["10, 10;w=2678400", "0", "2678400"] },
  far: { doc: "nothing remaining, for a year", write: (facts) => [policy(facts), "0", "31536000"] },
  absurd: { doc: "numbers beyond reason", write: () => [`${beyond}, ${beyond};w=${beyond}`, beyond, beyond] },
  negative: { doc: "numbers below zero", write: () => ["-10, -10;w=-6", "-1", "-5"] },
  fraction: { doc: "numbers that are not whole", write: (facts) => [policy(facts), "0.5", "1.5"] },
  epoch: {
    doc: "nothing remaining, and a reset in seconds since 1970",
    write: (facts) => [policy(facts), "0", facts.now + Math.max(1, facts.reset)]
  }
} satisfies Record<string, Form>

export type Name = keyof typeof drafts

export const forms: Readonly<Record<Name, Form>> = drafts

// Type boundary: Object.keys forgets the keys of the literal above.
export const names: ReadonlyArray<Name> = Object.keys(drafts) as Array<Name>

export const isName = (text: string): text is Name => Object.hasOwn(drafts, text)

/** Writes the headers; `now` is in milliseconds. */
export const make = (plan: Plan, standing: WindowState, now: number, name: Name): Record<string, string> => {
  const { write } = forms[name]
  if (write === undefined) return {}
  const seconds = Duration.toSeconds(plan.window)
  const { remaining, reset } = standing
  const values = write({ limit: plan.limit, seconds, remaining, reset, now: Math.floor(now / 1000) })
  return {
    "X-RateLimit-Plan": plan.name,
    "X-RateLimit-Limit": String(values[0]),
    "X-RateLimit-Remaining": String(values[1]),
    "X-RateLimit-Reset": String(values[2])
  }
}
