/**
 * One budget of requests for all streams of a client: the plan's sliding window, learned from the reply headers, and
 * the ten requests the service runs at once.
 *
 * Source: interface.md 8 and 7.1, facts.md 1.4. Effect's `RateLimiter` knows fixed windows and token buckets; against a
 * sliding window the first wastes and the second overruns, so the window here is a log of times. The parallel requests
 * are shared between lanes (`internal/Permits.ts`).
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Permits from "./internal/Permits.ts"
import { parse, type Policy, type RateLimitHeaders } from "./internal/RateLimitHeaders.ts"

/** A published plan, or the name of one published later. */
export type Plan = "community" | "trial" | "default" | "download" | (string & {})

/** The published plans: requests per window of so many milliseconds, sliding. Source: interface.md 8. */
const plans: Readonly<Record<string, Policy>> = {
  community: { limit: 10, window: 6_000 },
  trial: { limit: 10, window: 6_000 },
  default: { limit: 6_000, window: 20_000 },
  download: { limit: 6_000, window: 20_000 }
}

const planOf = (name: string | undefined) =>
  name !== undefined && Object.hasOwn(plans, name) ? plans[name] : undefined

/** Until the first reply tells, the strictest plan is assumed. */
const strictest: Policy = { limit: 10, window: 6_000 }

const unlimited: Policy = { limit: Infinity, window: 6_000 }

/** For a limit of no known plan whose header names no window. */
const unknownWindow = 60_000

/** What the client knows of its budget at one moment. */
export interface State {
  /** `X-RateLimit-Plan` of the newest reply; absent before the first. */
  readonly plan: Plan | undefined
  /** Requests per window; `Infinity` when the service names no limit. */
  readonly limit: number
  /** Length of the sliding window. */
  readonly window: Duration.Duration
  /** Requests that may start now. */
  readonly remaining: number
  /** How long until the next request may start; zero when one may start now. */
  readonly reset: Duration.Duration
  /** Requests running now, each until the end of its body. */
  readonly inFlight: number
  /** Requests that wait for the window or for one of the parallel permits. */
  readonly waiting: number
  /** Requests sent so far. */
  readonly sent: number
  /** Replies with 429 so far. */
  readonly rejected: number
}

/** A place in the window, held by one request. */
export interface Ticket {
  /**
   * Notes that the reply's head has arrived: from now its place is free again one window later.
   *
   * Returns what the headers say, with the wait a 429 asks for.
   */
  readonly settle: (reply: {
    readonly status: number
    readonly headers: Readonly<Record<string, string | undefined>>
  }) => Effect.Effect<RateLimitHeaders>
}

/** The budget of one client. */
export interface Quota {
  /**
   * Waits for one of the parallel permits and for a place in the window, first come first served within a {@link Lane}.
   *
   * The permit is held until the scope closes, which is when the reply's body has ended.
   */
  readonly admit: Effect.Effect<Ticket, never, Scope.Scope>
  /** What is known now. */
  readonly state: Effect.Effect<State>
  /** The state now and after every change; a slow reader sees the newest, not all. */
  readonly changes: Stream.Stream<State>
}

/** Streams that share permits as one. */
export interface Lane {
  /** Names it to people who look. */
  readonly name: string
}

/**
 * The lane of the requests of a program. All that name none share one.
 *
 * A permit that comes free goes to the lane that waits and holds the fewest, so that of two downloads each gets half
 * however many parts either runs at once. Within a lane requests are served as they come.
 */
export const Lane = Context.Reference<Lane>("@sluice/core/Quota/Lane", { defaultValue: () => common })

const common: Lane = { name: "common" }

/** Runs a stream, and all that run inside of it, in a lane of their own. */
export const inOwnLane = <A, E, R>(self: Stream.Stream<A, E, R>, name = "own"): Stream.Stream<A, E, R> =>
  Stream.suspend(() => Stream.provideService(self, Lane, { name }))

/** Options of {@link make}. */
export interface Options {
  /** Requests running at once. The service runs ten and queues more. Default 10. */
  readonly parallel?: number | undefined
  /** The plan to assume until a reply tells; kept throughout with a service that sends no rate-limit headers. */
  readonly plan?: Plan | undefined
}

/** Builds the budget of one client. */
export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const parallel = Permits.make<Lane>(options.parallel ?? 10)
  const gate = yield* Semaphore.make(1)
  const published = yield* PubSub.sliding<State>(16)
  const window = makeWindow(planOf(options.plan))
  const counts = { inFlight: 0, waiting: 0, sent: 0, rejected: 0 }
  const known = { plan: options.plan as Plan | undefined }
  let readers = 0
  let wake = Deferred.makeUnsafe<void>()

  const state = Effect.map(Clock.currentTimeMillis, (now): State => {
    const { limit, window: length } = window.tightest()
    return {
      plan: known.plan,
      limit,
      window: Duration.millis(length),
      remaining: window.remaining(now),
      reset: Duration.millis(Math.max(0, window.nextAt(now) - now)),
      ...counts
    }
  })
  // Every request changes the state several times; nothing is made of it unless somebody reads.
  const publish = Effect.suspend(() =>
    readers === 0 ? Effect.void : Effect.flatMap(state, (now) => PubSub.publish(published, now))
  )
  const reading = Effect.acquireRelease(
    Effect.sync(() => {
      readers += 1
    }),
    () =>
      Effect.sync(() => {
        readers -= 1
      })
  )
  const changes = Stream.unwrap(
    Effect.gen(function* () {
      const subscription = yield* PubSub.subscribe(published)
      yield* reading
      return Stream.concat(Stream.fromEffect(state), Stream.fromSubscription(subscription))
    })
  )
  const count = (name: "inFlight" | "waiting", by: 1 | -1) =>
    Effect.andThen(
      Effect.sync(() => {
        counts[name] += by
      }),
      publish
    )
  const settled = Effect.suspend(() => {
    const waking = wake
    wake = Deferred.makeUnsafe<void>()
    return Effect.andThen(Deferred.succeed(waking, undefined), publish)
  })

  // Only the holder of the gate looks at the window, so requests leave in the order they came. Entering is not
  // interruptible, waiting is: a place taken is always given back by a ticket.
  const place = Effect.fnUntraced(function* (restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>) {
    while (true) {
      const now = yield* Clock.currentTimeMillis
      const at = window.nextAt(now)
      if (at <= now) break
      const changed = Deferred.await(wake)
      // Nothing is known to come free but by a reply: wait for one. Otherwise until the known time, or earlier news.
      yield* restore(at === Infinity ? changed : Effect.asVoid(Effect.timeoutOption(changed, Math.ceil(at - now))))
    }
    window.enter()
    counts.sent += 1
  })

  const ticket = Effect.gen(function* () {
    let open = true
    const sent = yield* Clock.currentTimeMillis
    const leave = (reply: RateLimitHeaders | undefined, status: number) =>
      Effect.suspend(() => {
        if (!open) return Effect.void
        open = false
        return Effect.flatMap(Clock.currentTimeMillis, (now) => {
          window.leave({ sent, now, reply, status })
          return settled
        })
      })
    // A request that ends without a reply may still have been counted by the service.
    yield* Effect.addFinalizer(() => Effect.andThen(leave(undefined, 0), count("inFlight", -1)))
    const settle: Ticket["settle"] = ({ status, headers }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const reply = parse(headers, now)
        known.plan = reply.plan ?? known.plan
        if (status === 429) counts.rejected += 1
        return Effect.as(leave(reply, status), reply)
      })
    return { settle }
  })

  const queue = (lane: Lane, restore: <A, R>(effect: Effect.Effect<A, never, R>) => Effect.Effect<A, never, R>) =>
    Effect.andThen(
      restore(parallel.takeScoped(lane)),
      Effect.scoped(Effect.andThen(restore(gate.takeScoped(1)), place(restore)))
    )

  const admit = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const lane = yield* Lane
      yield* count("waiting", 1)
      yield* Effect.ensuring(queue(lane, restore), count("waiting", -1))
      yield* count("inFlight", 1)
      return yield* ticket
    })
  )

  return { admit, state, changes } satisfies Quota
})

/**
 * The sliding window, as a log of the times at which replies arrived.
 *
 * The service counts a request when it arrives there, which is some time before its reply is here. A place is therefore
 * taken from sending until one window after the reply: never sooner than the service frees it. A hundredth of the
 * window on top keeps clear of the border itself.
 */
const makeWindow = (planned: Policy | undefined) => {
  let policies: ReadonlyArray<Policy> = [planned ?? strictest]
  let isKnown = planned !== undefined
  let unsettled = 0
  let replies: Array<number> = []
  let blockedUntil = 0
  let strikes = 0
  let others = nobody

  const othersIn = ({ window }: Policy) => (window >= others.window ? others : nobody)
  const countSince = (time: number) => replies.length - lowerBound(replies, time)
  const taken = (policy: Policy, now: number) =>
    unsettled + countSince(now - length(policy)) + foreign(othersIn(policy), now)

  const freeAt = (policy: Policy, now: number): number => {
    if (taken(policy, now) < policy.limit) return now
    const places = policy.limit - unsettled - foreign(othersIn(policy), now)
    const own = places > 0 ? replies[replies.length - places]! + length(policy) : Infinity
    return Math.min(own, nextFade(othersIn(policy), now))
  }

  return {
    tightest: () => policies.reduce((a, b) => (b.limit / b.window < a.limit / a.window ? b : a)),
    remaining: (now: number) =>
      now < blockedUntil ? 0 : Math.max(0, Math.min(...policies.map((policy) => policy.limit - taken(policy, now)))),
    /** The time at which one more request fits, as far as is known; `Infinity` when only a reply can tell. */
    nextAt: (now: number) => Math.max(blockedUntil, ...policies.map((policy) => freeAt(policy, now))),
    enter: () => {
      unsettled += 1
    },
    leave: ({ sent, now, reply, status }: Left) => {
      unsettled -= 1
      // What was refused holds no place. A service that counts it all the same shows it as a request of others.
      if (status !== 429) replies.push(now)
      if (reply !== undefined) {
        const learned = learn(policies, reply)
        // A service that names no limit with a good reply has none to keep: only its 429s hold us. A reply of something
        // on the way, such as an error page without headers, unlearns nothing; nor does silence the plan we were told.
        if (learned !== undefined || (!isKnown && status < 300)) policies = learned ?? [unlimited]
        isKnown ||= learned !== undefined
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
        const isAwaited = others.first !== undefined && sent >= others.first
        if (heard.window !== others.window || heard.count >= foreign(others, now) || isAwaited) others = heard
        strikes = status === 429 ? strikes + 1 : 0
        if (status === 429) {
          // Without a word from the service: one second, two, four … up to the window.
          const wait = asked !== undefined && asked > 0 ? asked : Math.min(1_000 * 2 ** (strikes - 1), unknownWindow)
          blockedUntil = Math.max(blockedUntil, now + wait)
        }
      }
      const oldest = now - 2 * Math.max(...policies.map(length))
      const expired = lowerBound(replies, oldest)
      if (expired > 1_000 || expired === replies.length) replies = replies.slice(expired)
    }
  }
}

/** A request that no longer waits for its reply. */
interface Left {
  readonly sent: number
  readonly now: number
  readonly reply: RateLimitHeaders | undefined
  readonly status: number
}

/** Requests of others with the same key or address, as far as the newest reply gives them away. */
interface Others {
  readonly count: number
  /** When all of those counted have left the window. */
  readonly until: number
  /** The window the reply spoke of: they are in every longer one too, of a shorter one it says nothing. */
  readonly window: number
  /** When the first of them leaves it, where the reply tells. */
  readonly first: number | undefined
}

const nobody: Others = { count: 0, until: 0, window: 1, first: undefined }

// Those who have used the window will most likely go on: forgotten all at once, two clients would both burst into the
// same places. So what is not heard of again fades, over one more window.
const foreign = ({ count, until, window, first }: Others, now: number): number => {
  const rest = first !== undefined && now >= first ? count - 1 : count
  return now <= until ? rest : Math.max(0, Math.ceil(rest * (1 - (now - until) / window) - 1e-9))
}

/** When there will be one less of them, should no reply come. */
const nextFade = (others: Others, now: number): number => {
  const { count, until, window, first } = others
  if (first !== undefined && now < first) return first
  const left = foreign(others, now)
  const rest = first === undefined ? count : count - 1
  return left === 0 ? Infinity : until + window * (1 - (left - 1) / rest)
}

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
