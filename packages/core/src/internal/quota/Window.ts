/**
 * The sliding window of a plan, as a log of the times at which replies arrived, learned from their headers.
 */
import * as Duration from "effect/Duration"
import * as Pace from "./Pace.ts"
import type { Policy, RateLimitHeaders } from "../../Quota.ts"

/** The published plans: requests per window of so many milliseconds, sliding. Source: docs/interface.md 8.1. */
const plans: Readonly<Record<string, Policy>> = {
  community: { limit: 10, window: 6_000 },
  trial: { limit: 10, window: 6_000 },
  default: { limit: 6_000, window: 20_000 },
  download: { limit: 6_000, window: 20_000 }
}

/** What is published of a plan of this name. */
export const planOf = (name: string | undefined) =>
  name !== undefined && Object.hasOwn(plans, name) ? plans[name] : undefined

/** Until the first reply tells, the strictest plan is assumed. */
const strictest: Policy = { limit: 10, window: 6_000 }

const unlimited: Policy = { limit: Infinity, window: 6_000 }

/** For a limit of no known plan whose header names no window. */
const unknownWindow = 60_000

/** The longest wait after a 429 that names none. */
const longestStrike = 60_000

/**
 * To wait for a place in a window up to this length is ordinary pacing: all published plans have such windows, and the
 * client's own requests fill them all the time.
 */
const longestOrdinary = 60_000

const isLong = ({ window }: Policy) => window > longestOrdinary

/** What keeps a request from being sent at once. */
export interface Hold {
  /** Until when, as far as is known. */
  readonly until: number
  /** A full window, a 429 that asked for a wait, or a 429 that named none. */
  readonly by: "window" | "retryAfter" | "refusal"
  /** Requests in the window that is full. */
  readonly limit: number | undefined
}

/**
 * The sliding window, as a log of the times at which replies arrived.
 *
 * The service counts a request when it arrives there, which is some time before its reply is here. A place is therefore
 * taken from sending until one window after the reply: never sooner than the service frees it. A hundredth of the
 * window on top keeps clear of the border itself.
 */
export const make = (planned: Policy | undefined, parallel: number) => {
  const pace = Pace.make(strictest, parallel)
  let policies: ReadonlyArray<Policy> = [planned ?? strictest]
  let isKnown = planned !== undefined
  let isTold = false
  let unsettled = 0
  let replies: Array<number> = []
  let blocked = notBlocked
  let strikes = 0
  let struckAt = -Infinity
  let otherClients = noOtherClients
  /** What held requests back when the newest probe was sent: its reply confirms or lifts it. */
  let doubted: { readonly policies: ReadonlyArray<Policy>; readonly block: Block } | undefined

  const all = () => (pace.policies().length === 0 ? policies : [...policies, ...pace.policies()])

  const otherClientsIn = ({ window }: Policy) => (window >= otherClients.window ? otherClients : noOtherClients)
  const countSince = (time: number) => replies.length - lowerBound(replies, time)
  const taken = (policy: Policy, now: number) =>
    unsettled + countSince(now - length(policy)) + countAt(otherClientsIn(policy), now)

  const freeAt = (policy: Policy, now: number): number => {
    if (taken(policy, now) < policy.limit) return now
    const others = otherClientsIn(policy)
    // One place is free once there are few enough of both: the fewer of the others are left, the later, and the more of
    // our own may be. When the two times meet, or at the step just before, is the earliest.
    const fades = (left: number) => fadesTo(others, left, now)
    const frees = (left: number) => {
      const places = policy.limit - unsettled - left
      return places > 0 ? Math.max(now, (replies[replies.length - places] ?? -Infinity) + length(policy)) : Infinity
    }
    let low = 0
    let high = countAt(others, now)
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (frees(middle) <= fades(middle)) low = middle
      else high = middle - 1
    }
    const soonest = Math.max(fades(low), frees(low))
    return low < countAt(others, now) ? Math.min(soonest, frees(low + 1)) : soonest
  }

  const tightest = () => all().reduce((a, b) => (b.limit / b.window < a.limit / a.window ? b : a))
  const nextAt = (now: number) => Math.max(blocked.until, ...all().map((policy) => freeAt(policy, now)))

  /** After a 429 without a word from the service: one second, two, four … up to a minute. */
  const strike = (sent: number, now: number) => {
    // Those sent together are refused together: one strike, however many they were.
    if (sent <= struckAt) return
    struckAt = now
    strikes += 1
    block(now + Math.min(1_000 * 2 ** (strikes - 1), longestStrike), false)
  }
  const block = (until: number, isAsked: boolean) => {
    if (until > blocked.until) blocked = { until, isAsked }
  }

  const reject = (sent: number, now: number, { limit, reset, retryAfter }: RateLimitHeaders) => {
    const asked = retryAfter ?? reset
    if (asked !== undefined && asked > 0) return block(now + asked, true)
    strike(sent, now)
    if (limit === undefined && !isTold) pace.refuse(sent, now)
  }

  const forget = (wrong: ReadonlyArray<Policy>) => {
    policies = policies.filter((policy) => !wrong.includes(policy))
    if (policies.length > 0) return
    policies = [planned ?? unlimited]
    isKnown = planned !== undefined
    isTold = false
  }

  return {
    tightest,
    remaining: (now: number) =>
      now < blocked.until ? 0 : Math.max(0, Math.min(...all().map((policy) => policy.limit - taken(policy, now)))),
    /** The time at which one more request fits, as far as is known; `Infinity` when only a reply can tell. */
    nextAt,
    /** Notes that a request waits: a pace that nobody waits for says nothing about the service. */
    noteWait: (now: number): void => {
      if (pace.policies().some((policy) => freeAt(policy, now) > now)) pace.markUsedUp()
    },
    /** What a request waits for now, in words. */
    waitReason: (now: number): string => {
      const latest = all().reduce((a, b) => (freeAt(b, now) > freeAt(a, now) ? b : a))
      if (blocked.until < freeAt(latest, now)) return `for the rate limit (${shown(latest)})`
      return blocked.isAsked ? "because the service asked for it with a 429" : "after a 429 that names no wait"
    },
    /** What holds a request back longest, ordinary pacing left out. */
    hold: (now: number): Hold => {
      const by = blocked.isAsked ? "retryAfter" : "refusal"
      const full = policies
        .filter(isLong)
        .map((policy): Hold => ({ until: freeAt(policy, now), by: "window", limit: policy.limit }))
      return full.reduce((a, b) => (b.until > a.until ? b : a), { until: blocked.until, by, limit: undefined })
    },
    /** Requests that may run at once. */
    parallel: pace.parallel,
    enter: () => {
      unsettled += 1
    },
    /**
     * Enters although a 429 or a long window holds requests back, to find out whether that is still so: one odd reply
     * would hold them for a month, for nothing that is not sent can correct it.
     */
    enterAsProbe: (now: number) => {
      const full = policies.filter((policy) => isLong(policy) && freeAt(policy, now) > now)
      doubted = { policies: full, block: blocked }
      unsettled += 1
    },
    leave: ({ isProbe, sent, now, reply, status }: Left) => {
      unsettled -= 1
      const held = isProbe ? doubted : undefined
      // What was refused holds no place. A service that counts it all the same shows it as a request of others.
      if (status !== 429) replies.push(now)
      if (reply !== undefined) {
        const learned = learn(policies, reply)
        if (held !== undefined && learned === undefined && status < 300) forget(held.policies)
        // A service that names no limit with a good reply has none to keep: only its 429s hold us. A reply of something
        // on the way, such as an error page without headers, unlearns nothing; nor does silence the plan we were told.
        if (learned !== undefined || (!isKnown && status < 300)) policies = learned ?? [unlimited]
        if (learned !== undefined) {
          isKnown = true
          isTold = true
          pace.forget()
        }
        // What the service may have had in its window when it counted, at some time since this request was sent.
        const own = unsettled + countSince(sent - policies[0]!.window)
        const used = reply.limit === undefined || reply.remaining === undefined ? 0 : reply.limit - reply.remaining
        const { window } = policies[0]!
        const until = now + window
        const asked = reply.retryAfter ?? reply.reset
        const count = Math.max(0, used - own)
        const tellsFirst = count > 0 && reply.remaining === 0 && asked !== undefined && asked < window
        const heard = { count, until, window, first: tellsFirst ? now + asked : undefined }
        // A reply early in a burst has seen little of what others send in theirs: more is believed at once, less is not,
        // unless it answers a request sent when the service had promised a place.
        const isAwaited = otherClients.first !== undefined && sent >= otherClients.first
        const isMore = heard.window !== otherClients.window || heard.count >= countAt(otherClients, now)
        // To a probe a fault of the server, or a 429 without a wait, says nothing; all else is the service's newest word.
        const isNews = held !== undefined && status < 500 && (status !== 429 || asked !== undefined)
        if (isMore || isAwaited || isNews) otherClients = heard
        if (isNews && held.block === blocked) blocked = notBlocked
        if (status === 429) reject(sent, now, reply)
        else if (sent > struckAt) {
          strikes = 0
          if (status < 500) pace.accept(sent, now)
        }
      }
      const oldest = now - 2 * Math.max(...all().map(length))
      const expired = lowerBound(replies, oldest)
      if (expired > 1_000 || expired === replies.length) replies = replies.slice(expired)
    }
  }
}

/** Nothing is sent before. */
interface Block {
  readonly until: number
  /** Whether the service named the wait. */
  readonly isAsked: boolean
}

const notBlocked: Block = { until: -Infinity, isAsked: false }

/** A request that no longer waits for its reply. */
interface Left {
  /** Whether it entered as a probe. */
  readonly isProbe: boolean
  readonly sent: number
  readonly now: number
  readonly reply: RateLimitHeaders | undefined
  readonly status: number
}

/** Requests of other clients with the same key or address, as far as the newest reply gives them away. */
interface OtherClients {
  readonly count: number
  /** When all of those counted have left the window. */
  readonly until: number
  /** The window the reply spoke of: they are in every longer one too, of a shorter one it says nothing. */
  readonly window: number
  /** When the first of them leaves it, where the reply tells. */
  readonly first: number | undefined
}

const noOtherClients: OtherClients = { count: 0, until: 0, window: 1, first: undefined }

// Those who have used the window will most likely go on: forgotten all at once, two clients would both burst into the
// same places. So what is not heard of again fades, over one more window.
const countAt = ({ count, until, window, first }: OtherClients, now: number): number => {
  const rest = first !== undefined && now >= first ? count - 1 : count
  return now <= until ? rest : Math.max(0, Math.ceil(rest * (1 - (now - until) / window) - 1e-9))
}

/** When no more than so many of them will be left, should no reply come. */
const fadesTo = (otherClients: OtherClients, left: number, now: number): number => {
  const { count, until, window, first } = otherClients
  if (countAt(otherClients, now) <= left) return now
  if (first !== undefined && now < first && count - 1 <= left) return first
  return until + window * (1 - left / (first === undefined ? count : count - 1))
}

const shown = ({ limit, window }: Policy) => `${limit} requests in ${Duration.format(Duration.millis(window))}`

/** How long a place is taken after its reply. */
const length = (policy: Policy) => policy.window * 1.01

/** The policies a reply names, the one closest to being hit first. */
const learn = (before: ReadonlyArray<Policy>, reply: RateLimitHeaders): ReadonlyArray<Policy> | undefined => {
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

/** Index of the first time later than `time`, in a list that only grows. */
const lowerBound = (times: ReadonlyArray<number>, time: number): number => {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle]! <= time) low = middle + 1
    else high = middle
  }
  return low
}
