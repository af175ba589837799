/**
 * The sliding window of a plan, learned from the headers of replies, as a log of the times at which they arrived.
 */
import * as Duration from "effect/Duration"
import * as OtherClients from "./OtherClients.ts"
import * as Pace from "./Pace.ts"
import type { Policy, RateLimitHeaders } from "../../Quota.ts"

/** Assumed until the first reply. */
const strictest: Policy = { limit: 10, window: 6_000 }

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

const unlimited: Policy = { limit: Infinity, window: 6_000 }

/** The window of a limit that has no window in the header and belongs to no known plan. */
const unknownWindow = 60_000

/** The longest wait after a 429 that names no wait. */
const maxBackOff = 60_000

/**
 * Waiting for a place in a window up to this length is pacing: all published plans have such windows, and the client's own
 * requests fill them all the time.
 */
const maxPacingWindow = 60_000

const isLong = ({ window }: Policy) => window > maxPacingWindow

/** What prevents a request from being sent now. */
export interface Hold {
  /** The known end of the wait. */
  readonly until: number
  /** A full window, a 429 that asked for a wait, or a 429 that named none. */
  readonly by: "window" | "retryAfter" | "refusal"
  /** Requests in the window that is full. */
  readonly limit: number | undefined
}

/**
 * The sliding window, as a log of the times at which replies arrived.
 *
 * The service counts a request when it arrives, which is before the reply reaches us. So a place is taken from sending until
 * one window after the reply, and is never free sooner than at the service. A hundredth of the window is added as a margin.
 */
export const make = (planned: Policy | undefined, parallel: number) => {
  const pace = Pace.make(strictest, parallel)
  let policies: ReadonlyArray<Policy> = [planned ?? strictest]
  let isKnown = planned !== undefined
  let isNamed = false
  let inFlight = 0
  let replies: Array<number> = []
  let blocked = notBlocked
  let refusals = 0
  let refusedAt = -Infinity
  let otherClients = OtherClients.none
  /** What held requests back when the newest probe was sent. Its reply confirms or ends it. */
  let probed: { readonly policies: ReadonlyArray<Policy>; readonly block: Block } | undefined

  const all = () => (pace.policies().length === 0 ? policies : [...policies, ...pace.policies()])

  const otherClientsIn = ({ window }: Policy) => (window >= otherClients.window ? otherClients : OtherClients.none)
  const countSince = (time: number) => replies.length - lowerBound(replies, time)
  const taken = (policy: Policy, now: number) =>
    inFlight + countSince(now - length(policy)) + OtherClients.countAt(otherClientsIn(policy), now)

  const freeAt = (policy: Policy, now: number): number => {
    if (taken(policy, now) < policy.limit) return now
    const others = otherClientsIn(policy)
    const frees = (left: number) => {
      const places = policy.limit - inFlight - left
      return places > 0 ? Math.max(now, (replies[replies.length - places] ?? -Infinity) + length(policy)) : Infinity
    }
    return OtherClients.freeAt(others, frees, now)
  }

  const tightest = () => all().reduce((a, b) => (b.limit / b.window < a.limit / a.window ? b : a))
  const nextAt = (now: number) => Math.max(blocked.until, ...all().map((policy) => freeAt(policy, now)))

  /** Waits after a 429 that names no wait: one second, two, four … up to a minute. */
  const backOff = (sent: number, now: number) => {
    // Requests sent together are refused together, which counts as one refusal.
    if (sent <= refusedAt) return
    refusedAt = now
    refusals += 1
    block(now + Math.min(1_000 * 2 ** (refusals - 1), maxBackOff), false)
  }
  const block = (until: number, isAsked: boolean) => {
    if (until > blocked.until) blocked = { until, isAsked }
  }

  const reject = (sent: number, now: number, { limit, reset, retryAfter }: RateLimitHeaders) => {
    const asked = retryAfter ?? reset
    if (asked !== undefined && asked > 0) return block(now + asked, true)
    backOff(sent, now)
    if (limit === undefined && !isNamed) pace.refuse(sent, now)
  }

  const removePolicies = (wrong: ReadonlyArray<Policy>) => {
    policies = policies.filter((policy) => !wrong.includes(policy))
    if (policies.length > 0) return
    policies = [planned ?? unlimited]
    isKnown = planned !== undefined
    isNamed = false
  }

  /** Takes the policies that a reply names. */
  const observePolicies = ({ isProbe, status }: Finished, reply: RateLimitHeaders) => {
    const learned = learn(policies, reply)
    if (isProbe && probed !== undefined && learned === undefined && status < 300) removePolicies(probed.policies)
    // A service that names no limit in a successful reply has none: only its 429s hold requests back. An error page of a
    // proxy, which has no such headers, changes nothing. Nor do missing headers change a plan that was configured or named.
    if (learned !== undefined || (!isKnown && status < 300)) policies = learned ?? [unlimited]
    if (learned === undefined) return
    isKnown = true
    isNamed = true
    pace.reset()
  }

  /** The requests of others that a reply shows: what the service has counted beyond what we can have caused. */
  const othersIn = ({ now, sent }: Finished, reply: RateLimitHeaders): OtherClients.OtherClients => {
    const { window } = policies[0]!
    // The requests of ours that the service may have counted, at some time since this request was sent.
    const own = inFlight + countSince(sent - window)
    const used = reply.limit === undefined || reply.remaining === undefined ? 0 : reply.limit - reply.remaining
    const asked = reply.retryAfter ?? reply.reset
    const count = Math.max(0, used - own)
    const tellsFirst = count > 0 && reply.remaining === 0 && asked !== undefined && asked < window
    return { count, until: now + window, window, first: tellsFirst ? now + asked : undefined }
  }

  const observeOthers = (finished: Finished, reply: RateLimitHeaders, isCurrent: boolean) => {
    const { now, sent } = finished
    const heard = othersIn(finished, reply)
    // A reply early in a burst shows only few of the requests that others send at the same time. So a higher count is
    // believed at once, a lower one only if the request was sent when the service had promised a place.
    const isAwaited = otherClients.first !== undefined && sent >= otherClients.first
    const isMore = heard.window !== otherClients.window || heard.count >= OtherClients.countAt(otherClients, now)
    if (isMore || isAwaited || isCurrent) otherClients = heard
  }

  /** Learns from a reply: first the policies, by which all else is measured. */
  const observe = (finished: Finished, reply: RateLimitHeaders) => {
    const { isProbe, now, sent, status } = finished
    observePolicies(finished, reply)
    // For a probe, a server error or a 429 without a wait tells nothing. Any other reply is the current state.
    const namesWait = (reply.retryAfter ?? reply.reset) !== undefined
    const held = isProbe && status < 500 && (status !== 429 || namesWait) ? probed : undefined
    observeOthers(finished, reply, held !== undefined)
    if (held !== undefined && held.block === blocked) blocked = notBlocked
    if (status === 429) return reject(sent, now, reply)
    if (sent <= refusedAt) return
    refusals = 0
    if (status < 500) pace.accept(sent, now)
  }

  const forgetReplies = (now: number) => {
    const oldest = now - 2 * Math.max(...all().map(length))
    const expired = lowerBound(replies, oldest)
    if (expired > 1_000 || expired === replies.length) replies = replies.slice(expired)
  }

  return {
    tightest,
    remaining: (now: number) =>
      now < blocked.until ? 0 : Math.max(0, Math.min(...all().map((policy) => policy.limit - taken(policy, now)))),
    /** The known time at which one more request fits; `Infinity` when only a reply can tell. */
    nextAt,
    /** Notes that a request waits, which shows that the pace is used up. */
    noteWait: (now: number): void => {
      if (pace.policies().some((policy) => freeAt(policy, now) > now)) pace.markUsedUp()
    },
    /** What a request waits for now, if for anything. */
    waitCause: (now: number): "window" | "service" | undefined => {
      if (nextAt(now) <= now) return undefined
      return all().some((policy) => freeAt(policy, now) > Math.max(now, blocked.until)) ? "window" : "service"
    },
    /** A text of what a request waits for now. */
    waitReason: (now: number): string => {
      const latest = all().reduce((a, b) => (freeAt(b, now) > freeAt(a, now) ? b : a))
      if (blocked.until < freeAt(latest, now)) return `for the rate limit (${format(latest)})`
      return blocked.isAsked ? "because the service asked for it with a 429" : "after a 429 that names no wait"
    },
    /** What holds a request back longest, except for pacing. */
    hold: (now: number): Hold => {
      const by = blocked.isAsked ? "retryAfter" : "refusal"
      const full = policies
        .filter(isLong)
        .map((policy): Hold => ({ until: freeAt(policy, now), by: "window", limit: policy.limit }))
      return full.reduce((a, b) => (b.until > a.until ? b : a), { until: blocked.until, by, limit: undefined })
    },
    /** Requests that may run at once. */
    parallel: pace.parallel,
    start: () => {
      inFlight += 1
    },
    /**
     * Sends a request although a 429 or a long window holds requests back, to learn whether that is still so. Otherwise one
     * wrong reply could hold them back for a month.
     */
    startProbe: (now: number) => {
      const full = policies.filter((policy) => isLong(policy) && freeAt(policy, now) > now)
      probed = { policies: full, block: blocked }
      inFlight += 1
    },
    finish: (finished: Finished) => {
      inFlight -= 1
      // A refused request takes no place. A service that counts it reports it, and it is counted as one of others.
      if (finished.status !== 429) replies.push(finished.now)
      if (finished.reply !== undefined) observe(finished, finished.reply)
      forgetReplies(finished.now)
    }
  }
}

/** No request is sent before `until`. */
interface Block {
  readonly until: number
  /** Whether the service named the wait. */
  readonly isAsked: boolean
}

const notBlocked: Block = { until: -Infinity, isAsked: false }

/** A request that got its reply, or ended without one. */
interface Finished {
  /** Whether it was a probe. */
  readonly isProbe: boolean
  readonly sent: number
  readonly now: number
  readonly reply: RateLimitHeaders | undefined
  readonly status: number
}

/** A policy as messages name it. */
export const format = ({ limit, window }: Policy) => `${limit} requests in ${Duration.format(Duration.millis(window))}`

/** How long a place is taken after its reply. */
export const length = (policy: Policy) => policy.window * 1.01

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

/** Index of the first time later than `time`, in a list that ascends from an index on. */
export const lowerBound = (times: ReadonlyArray<number>, time: number, from = 0): number => {
  let low = from
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle]! <= time) low = middle + 1
    else high = middle
  }
  return low
}
