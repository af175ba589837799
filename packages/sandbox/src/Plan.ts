/**
 * Rate-limit plans and the keys tied to them (docs/interface.md 5 and 8.1).
 */
import * as Duration from "effect/Duration"

/** The name of a plan, as X-RateLimit-Plan reports it. */
export type Name = "community" | "trial" | "default" | "download"

/** The plans a key can have; `community` belongs to addresses. */
export type Paid = Exclude<Name, "community">

/** How many requests may arrive within a sliding window. */
export interface Plan {
  /** Its name at the service. */
  readonly name: Name
  /** The requests that it allows in a window. */
  readonly limit: number
  /** The length of the window. */
  readonly window: Duration.Duration
}

const make = (name: Name, limit: number, seconds: number): Plan => ({ name, limit, window: Duration.seconds(seconds) })

/** The four plans (docs/interface.md 8.1). */
export const plans: Readonly<Record<Name, Plan>> = {
  community: make("community", 10, 6),
  trial: make("trial", 10, 6),
  default: make("default", 6000, 20),
  download: make("download", 6000, 20)
}

/** How many REST requests of one caller run at once; more of them wait (docs/interface.md 8.1, rule 2). */
export const PARALLEL = 10

/** What a key may read. */
export interface Licence {
  /** Metrics that are answered with 403 and stand in no catalog of the key; none when absent. */
  readonly withoutMetrics?: ReadonlyArray<string>
  /** Paths that are answered with 403, such as `/reference-data/protocols`; none when absent. */
  readonly withoutPaths?: ReadonlyArray<string>
}

/** A key's plan and licence. */
export interface Key {
  /** The plan of the key. */
  readonly plan: Paid
  /** Everything when absent. */
  readonly licence?: Licence
}

/** The metrics that `sandbox-limited` may not read. */
export const restricted: ReadonlyArray<string> = ["SplyBMXNtv", "FlowInExUSD", "FlowOutExUSD", "NVTAdj", "CapRealUSD"]

/** The keys that always exist, beside `demo-key`. */
export const keys: Readonly<Record<string, Key>> = {
  "sandbox-trial": { plan: "trial" },
  "sandbox-default": { plan: "default" },
  "sandbox-download": { plan: "download" },
  "sandbox-limited": { plan: "default", licence: { withoutMetrics: restricted } }
}
