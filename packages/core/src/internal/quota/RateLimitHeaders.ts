/**
 * Reads the `X-RateLimit-*` headers (docs/interface.md 8.1 and 8.2, draft-polli-ratelimit-headers-03).
 */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type { Policy, RateLimitHeaders } from "../../Quota.ts"

// Larger values are ignored, as the draft asks: a longer reset is an epoch or a mistake. For shorter ones, the longest wait of
// the client decides.
const longestWindow = 31 * 86_400
const longestWait = longestWindow * 1000
const largestQuota = 10_000_000

/** The most characters and policies of `X-RateLimit-Limit` that are read, because every policy costs time per request. */
const longestLimit = 2_048
const mostPolicies = 16

/** The longest date of HTTP has 33 characters. */
const longestDate = 100

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
  const [quota, ...parameters] = text.split(";").map((part) => part.trim())
  const windows = parameters.filter((parameter) => /^w\s*=/i.test(parameter))
  const limit = whole(quota, largestQuota)
  const window = windows.length === 1 ? whole(windows[0]?.replace(/^w\s*=/i, ""), longestWindow) : undefined
  return limit === undefined || limit === 0 || window === undefined || window === 0
    ? undefined
    : { limit, window: window * 1000 }
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
    retryAfter: seconds(headers["retry-after"]) ?? untilDate(headers["retry-after"], now)
  }
}

const untilDate = (text: string | undefined, now: number) =>
  text === undefined || text.length > longestDate || !/[a-z]{3}/i.test(text)
    ? undefined
    : DateTime.make(text).pipe(
        Option.map((moment) => Math.max(0, moment.epochMilliseconds - now)),
        Option.filter((wait) => wait <= longestWait),
        Option.getOrUndefined
      )
