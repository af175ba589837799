/**
 * `internal/quota/Window.ts` over data that a store can hold, with the replies of all processes. A test compares the two.
 */
import * as OtherClients from "../quota/OtherClients.ts"
import * as Window from "../quota/Window.ts"
import type { Policy, RateLimitHeaders } from "../../Quota.ts"
import * as SharedPace from "./SharedPace.ts"
import { type Block, type Log, notBlocked, type State, strictest } from "./State.ts"

const maxBackOff = 60_000
const maxPacingWindow = 60_000

const isLong = (policy: Policy) => policy.window > maxPacingWindow
const isSame = (a: Policy, b: Policy) => a.limit === b.limit && a.window === b.window

/** All windows that are kept. */
export const all = ({ pace, policies }: State): ReadonlyArray<Policy> =>
  pace.kept.length === 0 ? policies : [...policies, ...pace.kept]

/** What may be used of a limit. */
export const limitOf = ({ share }: State, { limit }: Policy): number =>
  share === 1 ? limit : Math.max(1, Math.floor(limit / share))

/** Requests without the head of a reply. */
export const inFlight = ({ permits }: State): number => permits.filter(({ isReplied }) => !isReplied).length

const othersFor = ({ others }: State, policy: Policy) => (policy.window >= others.window ? others : OtherClients.none)

const taken = (state: State, log: Log, policy: Policy, now: number) =>
  inFlight(state) + log.countAfter(now - Window.length(policy)) + OtherClients.countAt(othersFor(state, policy), now)

/** When one more request fits into a window. */
const freeAt = (state: State, log: Log, policy: Policy, now: number): number => {
  const limit = limitOf(state, policy)
  if (taken(state, log, policy, now) < limit) return now
  const others = othersFor(state, policy)
  const running = inFlight(state)
  const frees = (left: number) => {
    const places = limit - running - left
    if (places <= 0) return Infinity
    const time = log.newest(places)
    return time === undefined ? now : Math.max(now, time + Window.length(policy))
  }
  return OtherClients.freeAt(others, frees, now)
}

/** The tightest window, if there is any. */
export const tightest = (state: State): Policy | undefined => {
  const [first, ...rest] = all(state)
  return first === undefined
    ? undefined
    : rest.reduce((a, b) => (b.limit / b.window < a.limit / a.window ? b : a), first)
}

/** The known time at which one more request fits; `Infinity` when only a reply can tell. */
export const nextAt = (state: State, log: Log, now: number): number =>
  Math.max(state.block.until, state.grace, now, ...all(state).map((policy) => freeAt(state, log, policy, now)))

/** Requests that fit now. */
export const remaining = (state: State, log: Log, now: number): number =>
  now < Math.max(state.block.until, state.grace)
    ? 0
    : Math.max(
        0,
        Math.min(...all(state).map((policy) => limitOf(state, policy) - taken(state, log, policy, now)), 1e15)
      )

/** Notes that a request waits, which shows that the pace is used up. */
export const noteWait = (state: State, log: Log, now: number): void => {
  if (state.pace.kept.some((policy) => freeAt(state, log, policy, now) > now)) state.pace.isUsedUp = true
}

/** What a request waits for now, if for anything. */
export const waitCause = (state: State, log: Log, now: number): "window" | "service" | undefined => {
  if (nextAt(state, log, now) <= now) return undefined
  const full = all(state).some((policy) => freeAt(state, log, policy, now) > Math.max(now, state.block.until))
  return full ? "window" : "service"
}

/** What holds a request back longest, except for pacing. */
export const hold = (state: State, log: Log, now: number) => {
  const by: "retryAfter" | "refusal" = state.block.isAsked ? "retryAfter" : "refusal"
  let longest: { until: number; by: "window" | "retryAfter" | "refusal"; limit: number | undefined } = {
    until: state.block.until,
    by,
    limit: undefined
  }
  for (const policy of state.policies.filter(isLong)) {
    const until = freeAt(state, log, policy, now)
    if (until > longest.until) longest = { until, by: "window", limit: policy.limit }
  }
  return longest
}

/** Notes what holds requests back while a probe is sent. */
export const startProbe = (state: State, log: Log, now: number): void => {
  const full = state.policies.filter((policy) => isLong(policy) && freeAt(state, log, policy, now) > now)
  state.probed = { policies: full, block: state.block }
}

/** Drops what has left every window for long. */
export const forget = (state: State, log: Log, now: number): void =>
  log.trim(now - 2 * Math.max(...all(state).map(Window.length), Window.length(strictest)))

/** A request that got its reply. */
export interface Finished {
  readonly isProbe: boolean
  readonly sent: number
  readonly now: number
  readonly status: number
}

const block = (state: State, until: number, isAsked: boolean) => {
  if (until > state.block.until) state.block = { until, isAsked }
}

const backOff = (state: State, sent: number, now: number) => {
  if (sent <= state.refusedAt) return
  state.refusedAt = now
  state.refusals += 1
  block(state, now + Math.min(1_000 * 2 ** (state.refusals - 1), maxBackOff), false)
}

const reject = (state: State, { now, sent }: Finished, { limit, reset, retryAfter }: RateLimitHeaders) => {
  const asked = retryAfter ?? reset
  if (asked !== undefined && asked > 0) return block(state, now + asked, true)
  backOff(state, sent, now)
  if (limit === undefined && !state.isNamed) SharedPace.refuse(state, sent, now)
}

const removePolicies = (state: State, wrong: ReadonlyArray<Policy>) => {
  state.policies = state.policies.filter((policy) => !wrong.some((one) => isSame(one, policy)))
  if (state.policies.length > 0) return
  state.policies = state.planned === undefined ? [] : [state.planned]
  state.isKnown = state.planned !== undefined
  state.isNamed = false
}

const observePolicies = (state: State, { isProbe, status }: Finished, reply: RateLimitHeaders) => {
  const learned = Window.learn(state.policies, reply)
  if (isProbe && state.probed !== undefined && learned === undefined && status < 300) {
    removePolicies(state, state.probed.policies)
  }
  if (learned !== undefined || (!state.isKnown && status < 300)) state.policies = learned ?? []
  if (learned === undefined) return
  state.isKnown = true
  state.isNamed = true
  SharedPace.reset(state)
}

const othersIn = (state: State, log: Log, { now, sent }: Finished, reply: RateLimitHeaders) => {
  const [policy] = state.policies
  const window = policy?.window ?? strictest.window
  const own = inFlight(state) + log.countAfter(sent - window)
  const used = reply.limit === undefined || reply.remaining === undefined ? 0 : reply.limit - reply.remaining
  // What belongs to the shares of the others is left to them already.
  const left = policy === undefined ? 0 : policy.limit - limitOf(state, policy)
  const asked = reply.retryAfter ?? reply.reset
  const count = Math.max(0, used - own - left)
  const tellsFirst = count > 0 && reply.remaining === 0 && asked !== undefined && asked < window
  return { count, until: now + window, window, first: tellsFirst ? now + asked : undefined }
}

const observeOthers = (state: State, log: Log, finished: Finished, reply: RateLimitHeaders, isCurrent: boolean) => {
  const { now, sent } = finished
  const { others } = state
  const heard = othersIn(state, log, finished, reply)
  const isAwaited = others.first !== undefined && sent >= others.first
  const isMore = heard.window !== others.window || heard.count >= OtherClients.countAt(others, now)
  if (isMore || isAwaited || isCurrent) state.others = heard
}

const isEqual = (a: Block, b: Block) => a.until === b.until && a.isAsked === b.isAsked

/** Learns from the head of a reply. */
export const observe = (state: State, log: Log, finished: Finished, reply: RateLimitHeaders): void => {
  const { isProbe, now, sent, status } = finished
  observePolicies(state, finished, reply)
  const namesWait = (reply.retryAfter ?? reply.reset) !== undefined
  const held = isProbe && status < 500 && (status !== 429 || namesWait) ? state.probed : undefined
  observeOthers(state, log, finished, reply, held !== undefined)
  if (held !== undefined && isEqual(held.block, state.block)) state.block = notBlocked
  if (status === 429) return reject(state, finished, reply)
  if (sent <= state.refusedAt) return
  state.refusals = 0
  if (status < 500) SharedPace.accept(state, sent, now)
}
