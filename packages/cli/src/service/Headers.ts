/** Reads the `X-RateLimit-*` headers of a reply. Apart from what core reads, so that a mistake there does not hide. */
import type { RateLimitHeaders } from "@sluice/core/Quota"

type Headers = Readonly<Record<string, string | undefined>>

/** The form of `X-RateLimit-Limit`: a word of the dialect. */
export const form = (headers: Headers): string => {
  const text = headers["x-ratelimit-limit"]?.trim()
  if (text === undefined) return "none"
  if (/^\d+$/.test(text)) return "plain"
  return /^\d+(\s*,\s*\d+\s*;\s*w=\d+.*)+$/.test(text) ? "standard" : "malformed"
}

export const limits = (headers: Headers): RateLimitHeaders => {
  const [limit, ...policies] = (headers["x-ratelimit-limit"] ?? "").split(",")
  return {
    plan: headers["x-ratelimit-plan"]?.trim().toLowerCase(),
    limit: whole(limit) || undefined,
    policies: policies.flatMap((policy) => {
      const [, amount, seconds] = /^\s*(\d{1,7});w=(\d{1,7})/.exec(policy) ?? []
      return amount === undefined ? [] : [{ limit: Number(amount), window: Number(seconds) * 1_000 }]
    }),
    remaining: whole(headers["x-ratelimit-remaining"]),
    reset: millis(headers["x-ratelimit-reset"]),
    retryAfter: millis(headers["retry-after"])
  }
}

const whole = (text: string | undefined) => (/^\d{1,7}$/.test(text?.trim() ?? "") ? Number(text) : undefined)

const millis = (seconds: string | undefined) => {
  const amount = whole(seconds)
  return amount === undefined ? undefined : amount * 1_000
}
