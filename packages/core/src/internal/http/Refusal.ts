/**
 * Builds the error of a reply whose status or body is an error, from the status, the headers and the text of the body: of
 * pages, of live handshakes and of files of a job alike.
 */
import * as Duration from "effect/Duration"
import * as ApiError from "../../ApiError.ts"
import type { RateLimitHeaders } from "../../Quota.ts"
import type { ErrorBody } from "../wire/Body.ts"

/** The most characters of an identifier that an error keeps. Real ones are much shorter. */
const maxIdentifier = 200

/** A reply, and how long its client waits at most. */
export interface Reply extends Pick<
  ApiError.Refusal,
  "endpoint" | "root" | "status" | "trace" | "replacement" | "notice"
> {
  /** What its headers say of the rate limit. */
  readonly limits: Partial<RateLimitHeaders>
  readonly longestWait: Duration.Duration
  /** Removes the key from text of the service, and makes it safe to print. */
  readonly scrub: (text: string) => string
}

/** Reads the name under which the edge network knows a reply, from headers without the key. */
export const traceOf = (headers: Readonly<Record<string, string | undefined>>): string | undefined =>
  headers["cf-ray"]?.slice(0, maxIdentifier)

/** Builds the error from what the body of the reply says. */
export const toApiError = (
  { limits, longestWait, scrub, ...reply }: Reply,
  { text, type }: ErrorBody
): ApiError.ApiError => {
  // The reset tells when the window has a place again, which matters only for a 429.
  const millis = limits.retryAfter ?? (reply.status === 429 ? limits.reset : undefined)
  const retryAfter = millis === undefined ? undefined : Duration.millis(millis)
  const isTooLong = retryAfter !== undefined && Duration.isGreaterThan(retryAfter, longestWait)
  return ApiError.fromRefusal({
    ...reply,
    plan: limits.plan,
    limit: limits.limit,
    retryAfter,
    longestWait: isTooLong ? longestWait : undefined,
    type: type === undefined ? undefined : scrub(type).slice(0, maxIdentifier),
    // Truncated after the key is removed, so that no half of it stays.
    text: scrub(text).slice(0, type === undefined ? 200 : 1_000)
  })
}
