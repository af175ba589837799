/**
 * How a stand-in behaves where the interface leaves room.
 */
import * as Duration from "effect/Duration"
import type * as Plan from "../../Plan.ts"

/** Options of a stand-in; every one has a default. */
export interface Options {
  /** Port to listen on; a free one by default. */
  readonly port?: number
  /** Address to listen on; `127.0.0.1` by default. */
  readonly host?: string
  /** Plan of the key `sandbox-key`; `download` by default. */
  readonly plan?: Plan.Paid
  /** More keys, beside the well-known ones. */
  readonly keys?: Readonly<Record<string, Plan.Key>>
  /** How long every reply takes before its first byte; no time by default. */
  readonly latency?: Duration.Input
  /** Writes each distinct reply once and serves it from memory afterwards; for benchmarks. */
  readonly prepared?: boolean
  /** Form of X-RateLimit-Limit: `10, 10;w=6`, or `10`, or no rate-limit headers, or ones that cannot be read. */
  readonly rateLimitHeaders?: "standard" | "plain" | "none" | "malformed"
  /** Adds Retry-After to every 429; off by default, as the service never mentions it. */
  readonly retryAfter?: boolean
  /** Lets rejected requests count towards the window; off by default. */
  readonly countRejected?: boolean
  /** What happens to a parameter that the endpoint does not know; ignored by default. */
  readonly unknownParameters?: "ignore" | "reject"
  /** Serves an empty last page when the records fill the pages exactly; off by default. */
  readonly emptyLastPage?: boolean
  /** Form of the warning of the protocols endpoint: `warning` as an object or an array, or an array named `warnings`. */
  readonly protocolWarnings?: "object" | "array" | "plural"
  /** Body of a 429. */
  readonly rejectedBody?: "json" | "html"
  /** How many markets `/catalog-all/markets` lists; those of the reference data by default. The service has about 170,000. */
  readonly catalogMarkets?: number
}

/** Options with their defaults filled in. */
export interface Settings extends Required<Omit<Options, "latency" | "keys" | "plan" | "catalogMarkets">> {
  readonly latency: Duration.Duration
  readonly keys: ReadonlyMap<string, Plan.Key>
  readonly catalogMarkets: number | undefined
}

/** Fills in the defaults. */
export const settle = (options: Options, known: Readonly<Record<string, Plan.Key>>): Settings => ({
  port: options.port ?? 0,
  host: options.host ?? "127.0.0.1",
  latency: Duration.fromInputUnsafe(options.latency ?? 0),
  prepared: options.prepared ?? false,
  rateLimitHeaders: options.rateLimitHeaders ?? "standard",
  retryAfter: options.retryAfter ?? false,
  countRejected: options.countRejected ?? false,
  unknownParameters: options.unknownParameters ?? "ignore",
  emptyLastPage: options.emptyLastPage ?? false,
  protocolWarnings: options.protocolWarnings ?? "object",
  rejectedBody: options.rejectedBody ?? "json",
  catalogMarkets: options.catalogMarkets,
  keys: new Map(Object.entries({ ...known, "sandbox-key": { plan: options.plan ?? "download" }, ...options.keys }))
})
