/**
 * The sliding window of a plan, learned from the headers of replies, as a log of the times at which they arrived.
 *
 * The service counts a request when it arrives, which is before the reply reaches us. So a place is taken from sending until
 * one window after the reply, and is never free sooner than at the service. A hundredth of the window is added as a margin.
 */
import * as Duration from "effect/Duration"
import type { Policy, Reply, State } from "../../Quota.ts"
import * as OtherClients from "./OtherClients.ts"
import * as Pace from "./Pace.ts"
import * as Plans from "./Plans.ts"

/** The window as data, which a process keeps for itself or a store for several. */
export interface Window extends Pace.Paced {
  /** The window of the plan that was configured. */
  planned?: Policy | undefined
  policies: ReadonlyArray<Policy>
  /** Whether a reply has named them. */
  isNamed?: boolean | undefined
  /** The plan that was configured, or that the newest reply has named. */
  plan?: string | undefined
  /** Requests without the head of a reply. */
  running: number
  /** When replies came, of the last two windows and perhaps before. */
  replies: Replies
  /** Until then no request is sent. */
  blockedUntil: number
  /** Whether the service named that wait. */
  isAsked?: boolean | undefined
  refusals: number
  refusedAt: number
  others: OtherClients.OtherClients
  /** While a probe waits for its reply: what held requests back when it was sent. The reply confirms or ends it. */
  probed?: { readonly policies: ReadonlyArray<Policy>; readonly until: number } | undefined
  sentAt: number
  sent: number
  /** Replies with 429. */
  rejected: number
}

/** Times that ascend, and how many replies came until each of them. The first time is before all that counts. */
export interface Replies {
  readonly times: Array<number>
  readonly totals: Array<number>
}

/** A request that was sent. */
export interface Sent {
  /** Whether it is a probe. */
  readonly isProbe: boolean
  readonly sent: number
}

/** What prevents a request from being sent now. */
export interface Hold {
  /** The known end of the wait. */
  readonly until: number
  /** A full window, a 429 that asked for a wait, or a 429 that named none. */
  readonly by: "window" | "retryAfter" | "refusal"
  /** Requests in the window that is full. */
  readonly limit: number | undefined
}

/** The waits of a client, in milliseconds. */
export interface Patience {
  /** The longest that the service may require. */
  readonly longest: number
  /** The time after which a probe may be sent during a longer one. */
  readonly probeAfter: number
}

/** A moment that has never been. */
export const never = -1

/** Stands where no limit is known. */
const unlimited: Policy = { limit: Infinity, window: 6_000 }

/** The longest wait after a 429 that names no wait. */
const maxBackOff = 60_000

/**
 * Waiting for a place in a window up to this length is pacing: all published plans have such windows, and the client's own
 * requests fill them all the time.
 */
const maxPacingWindow = 60_000

const isLong = ({ window }: Policy) => window > maxPacingWindow

/** How long a place is taken after its reply. */
const length = ({ window }: Policy) => window * 1.01

/** Builds a window in which nothing was sent. */
export const make = (plan: string | undefined, parallel: number): Window => ({
  plan,
  planned: Plans.planOf(plan),
  policies: [Plans.planOf(plan) ?? Plans.strictest],
  parallel,
  running: 0,
  replies: { times: [-Infinity], totals: [0] },
  blockedUntil: never,
  refusals: 0,
  refusedAt: never,
  others: OtherClients.none,
  pace: Pace.none(),
  sentAt: never,
  sent: 0,
  rejected: 0
})

/** All windows that are kept. */
const all = (state: Window): ReadonlyArray<Policy> => [...state.policies, ...Pace.policiesOf(state)]

/** Index of the first number above this one, in a list that ascends. */
const firstAbove = (list: ReadonlyArray<number>, number: number): number => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (list[middle]! <= number) low = middle + 1
    else high = middle
  }
  return low
}

const countAfter = ({ replies }: Window, time: number): number =>
  replies.totals.at(-1)! - replies.totals[Math.max(1, firstAbove(replies.times, time)) - 1]!

const left = (state: Window, policy: Policy, now: number) => {
  const { others, running } = state
  const theirs = policy.window >= others.window ? OtherClients.countAt(others, now) : 0
  return policy.limit - running - countAfter(state, now - length(policy)) - theirs
}

/** When one more request fits into a window: now, or so many whole milliseconds later; `Infinity` when only a reply can tell. */
const freeAt = (state: Window, policy: Policy, now: number): number => {
  if (state.running >= policy.limit) return Infinity
  // All that is in the window leaves it at some time, and until then it only gets emptier.
  let high = 0
  while (left(state, policy, now + high) <= 0) high = 2 * high + 1
  let low = -1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (left(state, policy, now + middle) > 0) high = middle
    else low = middle
  }
  return now + high
}

/** What a request waits for. */
export interface Wait {
  /** The known end; `Infinity` when only a reply can tell. */
  readonly at: number
  /** The window that is full until then; absent where the service asked for the wait, or nothing is waited for. */
  readonly full: Policy | undefined
}

/** What a request waits for, of these windows and what the service asks for. */
export const waitOf = (state: Window, now: number, policies = all(state)): Wait => {
  let at = Math.max(now, state.blockedUntil)
  let full: Policy | undefined
  for (const policy of policies) {
    const free = freeAt(state, policy, now)
    if (free <= at) continue
    at = free
    full = policy
  }
  return { at, full }
}

/** What a request waits for now, if for anything. */
export const causeOf = ({ at, full }: Wait, now: number): "window" | "service" | undefined =>
  at <= now ? undefined : full === undefined ? "service" : "window"

/** The same as a text. */
export const reasonOf = ({ isAsked }: Window, { full }: Wait): string => {
  if (full !== undefined) return `for the rate limit (${Plans.format(full)})`
  return isAsked ? "because the service asked for it with a 429" : "after a 429 that names no wait"
}

/** What users see of the tightest window. */
export const stateOf = (state: Window, now: number): Omit<State, "inFlight" | "waiting"> => {
  const { limit, window } = all(state).reduce((a, b) => (b.limit / b.window < a.limit / a.window ? b : a), unlimited)
  return {
    plan: state.plan,
    limit,
    window: Duration.millis(window),
    remaining:
      now < state.blockedUntil ? 0 : Math.max(0, Math.min(...all(state).map((policy) => left(state, policy, now)))),
    reset: Duration.millis(waitOf(state, now).at - now),
    sent: state.sent,
    rejected: state.rejected
  }
}

/** Notes that a request waits, which shows whether the pace is used up. */
export const noteWait = (state: Window, now: number): void => {
  if (Pace.policiesOf(state).some((policy) => freeAt(state, policy, now) > now)) state.pace.isUsedUp = true
}

/**
 * Judges a request that waits since `began`: the time at which it may be sent, which is past or now where it fits and `Infinity`
 * where only a reply can tell; what holds it back for longer than it may wait; or that it is to be sent as a probe.
 *
 * A probe is sent although a 429 or a long window holds requests back, to learn whether that is still so. Otherwise one wrong
 * reply could hold them back for a month.
 */
export const judge = (
  state: Window,
  { longest, probeAfter }: Patience,
  began: number,
  now: number
): number | Hold | "probe" => {
  const { at } = waitOf(state, now)
  if (at <= now) return at
  noteWait(state, now)
  // What holds it back longest, except for pacing.
  const { at: until, full } = waitOf(state, now, state.policies.filter(isLong))
  if (at === Infinity || until - began <= longest) return at
  if (state.probed !== undefined) return Infinity
  if (now - state.sentAt >= probeAfter) return "probe"
  const by = full !== undefined ? "window" : state.isAsked ? "retryAfter" : "refusal"
  return { until, by, limit: full?.limit }
}

/** Sends a request. */
export const send = (state: Window, isProbe: boolean, now: number): Sent => {
  if (isProbe) {
    const full = state.policies.filter((policy) => isLong(policy) && freeAt(state, policy, now) > now)
    state.probed = { policies: full, until: state.blockedUntil }
  }
  state.running += 1
  state.sent += 1
  state.sentAt = now
  return { isProbe, sent: now }
}

/** Notes the head of a reply, or the end of a request without one, which the service may have counted. */
export const finish = (state: Window, sent: Sent, now: number, reply?: Reply): void => {
  state.running -= 1
  // A refused request takes no place. A service that counts it reports it, and it is counted as one of others.
  if (reply?.status !== 429) insert(state, now)
  if (reply !== undefined) observe(state, sent, now, reply)
  if (sent.isProbe) state.probed = undefined
  // Replies that have left every window for long are dropped when they are many.
  const { times, totals } = state.replies
  const last = firstAbove(times, now - 2 * Math.max(unlimited.window, ...all(state).map(length))) - 1
  if (last > times.length / 2) {
    times.splice(1, last)
    totals.splice(0, last)
  }
}

/** Notes a reply at any time, whether or not its request is known. */
export const insert = (state: Window, time: number): void => {
  const { times, totals } = state.replies
  let at = firstAbove(times, time)
  times.splice(at, 0, time)
  totals.splice(at, 0, totals[at - 1]!)
  while (at < totals.length) totals[at++]! += 1
}

/** Notes that nothing was sent with a permit, or that its place is noted by {@link insert}. */
export const cancel = (state: Window, { isProbe }: Sent): void => {
  state.running -= 1
  if (isProbe) state.probed = undefined
}

const askedOf = ({ reset, retryAfter }: Reply) => retryAfter ?? reset

const block = (state: Window, until: number, isAsked: boolean) => {
  if (until <= state.blockedUntil) return
  state.blockedUntil = until
  state.isAsked = isAsked
}

const reject = (state: Window, { sent }: Sent, now: number, reply: Reply) => {
  const asked = askedOf(reply) ?? 0
  if (asked > 0) return block(state, now + asked, true)
  // Requests sent together are refused together, which counts as one refusal.
  if (sent <= state.refusedAt) return
  state.refusedAt = now
  // One second, two, four … up to a minute.
  block(state, now + Math.min(1_000 * 2 ** state.refusals++, maxBackOff), false)
  if (reply.limit === undefined && !state.isNamed) Pace.refuse(state, now)
}

const removePolicies = (state: Window, wrong: ReadonlyArray<Policy>) => {
  state.policies = state.policies.filter(
    ({ limit, window }) => !wrong.some((policy) => policy.limit === limit && policy.window === window)
  )
  if (state.policies.length > 0) return
  state.policies = state.planned === undefined ? [] : [state.planned]
  state.isNamed = false
}

/** Takes the policies that a reply names. */
const observePolicies = (state: Window, { isProbe }: Sent, reply: Reply) => {
  const learned = Plans.learn(state.policies, reply)
  if (learned !== undefined) {
    state.policies = learned
    state.isNamed = true
    state.pace = Pace.none()
  } else if (reply.status < 300) {
    if (isProbe && state.probed !== undefined) removePolicies(state, state.probed.policies)
    // A service that names no limit in a successful reply has none: only its 429s hold requests back. An error page of a
    // proxy, which has no such headers, changes nothing. Nor do missing headers change a plan that was configured or named.
    if (!state.isNamed && state.planned === undefined) state.policies = []
  }
}

/** The requests of others that a reply shows: what the service has counted beyond what we can have caused. */
const othersIn = (state: Window, { sent }: Sent, now: number, reply: Reply): OtherClients.OtherClients => {
  const { window } = state.policies[0] ?? Plans.strictest
  // The requests of ours that the service may have counted, at some time since this request was sent.
  const own = state.running + countAfter(state, sent - window)
  const { limit = 0, remaining = limit } = reply
  const asked = askedOf(reply) ?? window
  const count = Math.max(0, limit - remaining - own)
  const tellsFirst = count > 0 && remaining === 0 && asked < window
  return { count, until: now + window, window, first: tellsFirst ? now + asked : undefined }
}

/** Learns from a reply: first the policies, by which all else is measured. */
const observe = (state: Window, sent: Sent, now: number, reply: Reply) => {
  const { status } = reply
  state.plan = reply.plan ?? state.plan
  observePolicies(state, sent, reply)
  // For a probe, a server error or a 429 without a wait tells nothing. Any other reply is the current state.
  const isTelling = status < 500 && (status !== 429 || askedOf(reply) !== undefined)
  const held = sent.isProbe && isTelling ? state.probed : undefined
  const { others } = state
  const heard = othersIn(state, sent, now, reply)
  // A reply early in a burst shows only few of the requests that others send at the same time. So a higher count is
  // believed at once, a lower one only if the request was sent when the service had promised a place.
  const isAwaited = others.first !== undefined && sent.sent >= others.first
  const isMore = heard.window !== others.window || heard.count >= OtherClients.countAt(others, now)
  if (isMore || isAwaited || held !== undefined) state.others = heard
  if (held?.until === state.blockedUntil) state.blockedUntil = never
  if (status === 429) {
    state.rejected += 1
    return reject(state, sent, now, reply)
  }
  if (sent.sent <= state.refusedAt) return
  state.refusals = 0
  if (status < 500) Pace.accept(state, now)
}
