/** The windows of plans: what is published, and what a reply names. */
import * as Duration from "effect/Duration"
import type { Policy, RateLimitHeaders } from "../../Quota.ts"

/** Assumed until the first reply. */
export const strictest: Policy = { limit: 10, window: 6_000 }

const widest: Policy = { limit: 6_000, window: 20_000 }

/** The published plans: requests per sliding window in milliseconds (docs/interface.md 8.1). */
const plans: Readonly<Record<string, Policy>> = {
  community: strictest,
  trial: strictest,
  default: widest,
  download: widest
}

/** The published plan of this name, if any. */
export const planOf = (name: string | undefined) =>
  name !== undefined && Object.hasOwn(plans, name) ? plans[name] : undefined

/** The window of a limit that has no window in the header and belongs to no known plan. */
const unknownWindow = 60_000

/** A policy as messages name it. */
export const format = ({ limit, window }: Policy) => `${limit} requests in ${Duration.format(Duration.millis(window))}`

/** The policies that a reply names. The one closest to its limit comes first. */
export const learn = (before: ReadonlyArray<Policy>, reply: RateLimitHeaders): ReadonlyArray<Policy> | undefined => {
  const { limit, plan } = reply
  const published = planOf(plan)
  if (limit === undefined) return published === undefined ? undefined : [published]
  const named = reply.policies
  if (named.some((policy) => policy.limit === limit)) {
    return named.toSorted((a, b) => Number(b.limit === limit) - Number(a.limit === limit))
  }
  const same = [published, ...Object.values(plans), ...before].find((policy) => policy?.limit === limit)
  return [{ limit, window: same?.window ?? unknownWindow }, ...named]
}
