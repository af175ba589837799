/** Reads the `X-RateLimit-*` headers (docs/interface.md 8.1 and 8.2, draft-polli-ratelimit-headers-03). */
import * as Duration from "effect/Duration"
import * as Headers from "effect/http/Headers"
import * as Result from "effect/Result"
import type { Policy, RateLimitHeaders } from "../../Quota.ts"

// Larger values are ignored, as the draft asks: a longer reset is an epoch or a mistake. For shorter ones, the longest wait of
// the client decides.
const longestWindow = 31 * 86_400
const longestWait = longestWindow * 1000
const largestQuota = 10_000_000

/** The most characters and policies of `X-RateLimit-Limit` that are read, because every policy costs time per request. */
const longestLimit = 2_048
const mostPolicies = 16

/** The longest `Retry-After`, a date, has 33 characters; a number of a million digits would take seconds to read. */
const longestRetryAfter = 100

const whole = (text: string | undefined, most: number) => {
  const trimmed = text?.trim() ?? ""
  const value = /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : Number.NaN
  return value <= most ? value : undefined
}

const seconds = (text: string | undefined) => {
  const value = whole(text, longestWait / 1000)
  return value === undefined ? undefined : value * 1000
}

const policy = (text: string): Policy | undefined => {
  const [quota, ...parameters] = text.split(";")
  const windows = parameters.flatMap((parameter) => /^\s*w\s*=(.*)$/is.exec(parameter)?.slice(1) ?? [])
  const limit = whole(quota, largestQuota)
  const window = windows.length === 1 ? whole(windows[0], longestWindow) : undefined
  return limit && window ? { limit, window: window * 1000 } : undefined
}

/** Reads the headers of one reply; `now` is needed for a `Retry-After` that is a date. */
export const parse = (headers: Readonly<Record<string, string | undefined>>, now: number): RateLimitHeaders => {
  const text = (headers["x-ratelimit-limit"] ?? "").slice(0, longestLimit)
  // A quoted comment may hold commas and semicolons, and is removed. A comment without an end extends to the end of the header,
  // which keeps the time linear.
  const [limit, ...policies] = text.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, "").split(",", 1 + mostPolicies)
  return {
    plan: headers["x-ratelimit-plan"]?.trim().toLowerCase().slice(0, 50) || undefined,
    limit: whole(limit, largestQuota) || undefined,
    policies: policies.map(policy).filter((found) => found !== undefined),
    remaining: whole(headers["x-ratelimit-remaining"], largestQuota),
    reset: seconds(headers["x-ratelimit-reset"]),
    retryAfter: waitOf(headers["retry-after"], now)
  }
}

const waitOf = (text: string | undefined, now: number) => {
  const parsed =
    text === undefined || text.length > longestRetryAfter
      ? undefined
      : Result.getOrUndefined(Headers.parseRetryAfter(text))
  if (parsed === undefined) return undefined
  const wait = Duration.toMillis(Headers.retryAfterDelay(parsed, now))
  return wait <= longestWait ? wait : undefined
}
