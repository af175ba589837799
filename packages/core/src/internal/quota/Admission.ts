/**
 * One budget of requests for all streams of a client: the plan's sliding window, learned from the reply headers, and
 * the ten requests the service runs at once.
 *
 * Source: docs/interface.md 8.1, 7.2, 8.2. Effect's `RateLimiter` knows fixed windows and token buckets; against a
 * sliding window the first wastes and the second overruns, so the window here is a log of times. The parallel requests
 * are shared between lanes (`Permits.ts`).
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { Lane, type Plan, type State } from "../../Quota.ts"
import * as Monotonic from "../retry/Monotonic.ts"
import * as Permits from "./Permits.ts"
import { parse, type RateLimitHeaders } from "./RateLimitHeaders.ts"
import * as Waits from "../retry/Waits.ts"
import * as Window from "./Window.ts"

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

/** The service, or a window of more than a minute, wants a longer wait than the client's longest: nothing was sent. */
export class WaitTooLong extends Data.TaggedError("WaitTooLong")<{
  /** How long until the next request may start. */
  readonly wait: Duration.Duration
  /** The client's longest wait. */
  readonly longest: Duration.Duration
  readonly plan: Plan | undefined
  /** What is waited for: a full window, a 429 that asked for a wait, or a 429 that named none. */
  readonly heldBy: "window" | "retryAfter" | "refusal"
  /** Requests allowed in the window that is full. */
  readonly limit: number | undefined
}> {}

/** The budget of one client. */
export interface Admission {
  /**
   * Waits for one of the parallel permits and for a place in the window, first come first served within a {@link Lane}.
   *
   * The permit is held until the scope closes, which is when the reply's body has ended. Fails at once with
   * {@link WaitTooLong} when the next in turn would have to wait longer for the service than the longest wait. The turn
   * among requests of this client does not count, nor does a place in a window of up to a minute: that is pacing.
   *
   * While waits are too long, one request is let through as a probe once none was sent for the longest wait, and for a
   * minute at least. Its reply confirms or lifts what holds the others back; those that come meanwhile wait for it.
   */
  readonly admit: Effect.Effect<Ticket, WaitTooLong, Scope.Scope>
  /** What is known now. */
  readonly state: Effect.Effect<State>
  /** The state now and after every change; a slow reader sees the newest, not all. */
  readonly changes: Stream.Stream<State>
}

/** Options of {@link make}. */
export interface Options {
  /** Requests running at once. The service runs ten and queues more. Default 10. */
  readonly parallel?: number | undefined
  /** The plan to assume until a reply tells; kept throughout with a service that sends no rate-limit headers. */
  readonly plan?: Plan | undefined
  /**
   * The longest wait for the service's sake; a request that would have to wait longer fails. To wait for a place in a
   * window of up to a minute is pacing, and always done. Default 5 minutes.
   */
  readonly longestWait?: Duration.Input | undefined
}

/** The least time between two probes in milliseconds, however short the longest wait. */
const leastProbeInterval = 60_000

/** Builds the budget of one client. */
export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const most = options.parallel ?? 10
  const longest = Duration.fromInputUnsafe(options.longestWait ?? Waits.longest)
  const probeAfter = Math.max(Duration.toMillis(longest), leastProbeInterval)
  const parallel = Permits.make<Lane>(most)
  const gate = yield* Semaphore.make(1)
  const published = yield* PubSub.sliding<State>(16)
  const window = Window.make(Window.planOf(options.plan), most)
  const counts = { inFlight: 0, waiting: 0, sent: 0, rejected: 0 }
  const known = { plan: options.plan as Plan | undefined }
  let readers = 0
  /** Up to when it has been said that requests wait. */
  let saidUntil = -Infinity
  let wake = Deferred.makeUnsafe<void>()
  let sentAt = -Infinity
  /** Whether a probe waits for its reply. */
  let isProbing = false

  const state = Effect.map(Monotonic.now, (now): State => {
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

  const say = (why: string, now: number, at: number) => {
    if (at - now <= Waits.silent || at - saidUntil < 1_000) return Effect.void
    saidUntil = at
    return Effect.logInfo(`Waits ${Waits.shown(at - now)} ${why}`)
  }

  const tooLong = ({ by, limit, until }: Window.Hold, now: number) =>
    new WaitTooLong({
      wait: Duration.seconds(Math.ceil((until - now) / 1000)),
      longest,
      plan: known.plan,
      heldBy: by,
      limit
    })

  // Only the holder of the gate looks at the window, so requests leave in the order they came. Entering is not
  // interruptible, waiting is: a place taken is always given back by a ticket.
  const place = Effect.fnUntraced(function* (restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>) {
    const began = yield* Monotonic.now
    let isProbe = false
    while (true) {
      const now = yield* Monotonic.now
      const at = window.nextAt(now)
      if (at <= now) break
      const changed = Deferred.await(wake)
      const hold = window.hold(now)
      window.noteWait(now)
      const isTooLong = hold.until - began > Duration.toMillis(longest)
      if (at === Infinity || (isTooLong && isProbing)) {
        // Nothing is known to come free but by a reply, which has a limit of its own.
        yield* restore(changed)
      } else if (isTooLong) {
        if (now - sentAt < probeAfter) return yield* tooLong(hold, now)
        isProbing = true
        isProbe = true
        break
      } else {
        yield* say(window.waitReason(now), now, at)
        // Until the known time, or earlier news.
        yield* restore(Effect.asVoid(Effect.timeoutOption(changed, Math.ceil(at - now))))
      }
    }
    sentAt = yield* Monotonic.now
    if (isProbe) window.enterAsProbe(sentAt)
    else window.enter()
    counts.sent += 1
    return isProbe
  })

  const ticket = Effect.fnUntraced(function* (isProbe: boolean) {
    let open = true
    const sent = yield* Monotonic.now
    const leave = (reply: RateLimitHeaders | undefined, status: number) =>
      Effect.suspend(() => {
        if (!open) return Effect.void
        open = false
        return Effect.flatMap(Monotonic.now, (now) => {
          window.leave({ isProbe, sent, now, reply, status })
          if (isProbe) isProbing = false
          parallel.resize(window.parallel())
          return settled
        })
      })
    // A request that ends without a reply may still have been counted by the service.
    yield* Effect.addFinalizer(() => Effect.andThen(leave(undefined, 0), count("inFlight", -1)))
    const settle: Ticket["settle"] = ({ status, headers }) =>
      Effect.flatMap(Clock.currentTimeMillis, (date) => {
        const reply = parse(headers, date)
        known.plan = reply.plan ?? known.plan
        if (status === 429) counts.rejected += 1
        return Effect.as(leave(reply, status), reply)
      })
    return { settle }
  })

  const queue = (lane: Lane, restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
    Effect.andThen(
      restore(parallel.takeScoped(lane)),
      Effect.scoped(Effect.andThen(restore(gate.takeScoped(1)), place(restore)))
    )

  const admit = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const lane = yield* Lane
      yield* count("waiting", 1)
      const isProbe = yield* Effect.ensuring(queue(lane, restore), count("waiting", -1))
      yield* count("inFlight", 1)
      return yield* ticket(isProbe)
    })
  )

  return { admit, state, changes } satisfies Admission
})
