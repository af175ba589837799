/**
 * The budget of one process: the plan's sliding window, learned from the reply headers, and the ten requests the service
 * runs at once.
 *
 * Source: docs/interface.md 8.1, 7.2, 8.2. Effect's `RateLimiter` knows fixed windows and token buckets; against a
 * sliding window the first wastes and the second overruns, so the window here is a log of times. The parallel requests
 * are shared between lanes (`internal/quota/Permits.ts`).
 */
import type { ConfigError } from "effect/Config"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { Misconfigured } from "./ApiError.ts"
import * as Environment from "./Environment.ts"
import * as Permits from "./internal/quota/Permits.ts"
import * as Window from "./internal/quota/Window.ts"
import * as Monotonic from "./internal/retry/Monotonic.ts"
import * as Waits from "./internal/retry/Waits.ts"
import { Lane, type Permit, type Plan, Quota, type Reply, type State, WaitTooLong } from "./Quota.ts"

/** Settings of {@link layer}. */
export interface Options {
  /** The plan to assume until the first reply tells, the strictest if not given; kept with a service that names none. */
  readonly plan?: Plan | undefined
  /** Requests running at once; the service runs ten and queues more. Default 10. */
  readonly parallel?: number | undefined
  /**
   * The longest wait for the service's sake: for the reset or `Retry-After` of a 429 or 503, after a 429 that names no
   * wait, or for a place in a window longer than a minute. A place in a shorter window, as all published plans have, is
   * always waited for: that is pacing. A call that would have to wait longer fails at once with `RateLimited` or
   * `Unavailable`, which tell how long; one request per longest wait (and at most one a minute) is still sent, to find
   * out whether the wait is over. A wait above ten seconds is logged. Default 5 minutes; Infinity for any.
   */
  readonly longestWait?: Duration.Input | undefined
}

/** The least time between two probes in milliseconds, however short the longest wait. */
const leastProbeInterval = 60_000

type Make = (options?: Options) => Effect.Effect<Quota["Service"], Misconfigured>

/** Builds a budget in memory. Fails with `Misconfigured` when `parallel` or `longestWait` is out of range. */
export const make: Make = Effect.fnUntraced(function* (options: Options = {}) {
  yield* check(options)
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
  // interruptible, waiting is: a place taken is always given back by a permit.
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

  const permit = Effect.fnUntraced(function* (isProbe: boolean) {
    let open = true
    const sent = yield* Monotonic.now
    const leave = (reply: Reply | undefined, status: number) =>
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
    const observe = (reply: Reply) =>
      Effect.suspend(() => {
        known.plan = reply.plan ?? known.plan
        if (reply.status === 429) counts.rejected += 1
        return leave(reply, reply.status)
      })
    return { observe } satisfies Permit
  })

  const queue = (lane: Lane, restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
    Effect.andThen(
      restore(parallel.takeScoped(lane)),
      Effect.scoped(Effect.andThen(restore(gate.takeScoped(1)), place(restore)))
    )

  const acquire = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const lane = yield* Lane
      yield* count("waiting", 1)
      const isProbe = yield* Effect.ensuring(queue(lane, restore), count("waiting", -1))
      yield* count("inFlight", 1)
      return yield* permit(isProbe)
    })
  )

  return Quota.of({ acquire, state, changes, parallel: most, longestWait: longest })
})

/** Settings that would make every call hang or fail are refused once, here. */
const check = Effect.fnUntraced(function* ({ longestWait, parallel = 10 }: Options) {
  if (!Number.isSafeInteger(parallel) || parallel < 1) {
    return yield* new Misconfigured({ setting: "parallel", reason: "expected a whole number from 1 up" })
  }
  if (longestWait !== undefined && Duration.toMillis(longestWait) < 0) {
    return yield* new Misconfigured({ setting: "longestWait", reason: "expected zero or more" })
  }
})

/**
 * Provides a `Quota` that one process keeps for itself.
 *
 * **Details**
 *
 * Permits and places are given first come first served within a `Quota.Lane`. The turn among the program's own requests
 * does not count as a wait. While waits are longer than `longestWait`, one request is let through as a probe once none was
 * sent for that long, and for a minute at least. Its reply confirms or lifts what holds the others back; those that come
 * meanwhile wait for it.
 *
 * **Gotchas**
 *
 * Two processes with one key do not know of each other; what one sends, the other notices in the replies only.
 */
export const layer = (options: Options = {}): Layer.Layer<Quota, Misconfigured> => Layer.effect(Quota, make(options))

/** Provides {@link layer} from `SLUICE_PLAN`, `SLUICE_PARALLEL` and `SLUICE_LONGEST_WAIT`. What `options` names wins. */
export const layerConfig = (options: Options = {}): Layer.Layer<Quota, Misconfigured | ConfigError> =>
  Layer.effect(Quota, Effect.flatMap(fromConfig(options), make))

/** The settings {@link layerConfig} reads, for layers that build on it. */
export const fromConfig = (options: Options = {}): Effect.Effect<Options, Misconfigured | ConfigError> =>
  Effect.map(environment(), (read) => ({
    plan: options.plan ?? read.plan,
    parallel: options.parallel ?? read.parallel,
    longestWait: options.longestWait ?? read.longestWait
  }))

// A function, so that a bundler can leave it out of programs that read no environment.
const environment = () =>
  Effect.all({
    plan: Environment.read("PLAN", "plan", Environment.text),
    parallel: Environment.read("PARALLEL", "parallel", Environment.count),
    longestWait: Environment.read("LONGEST_WAIT", "longestWait", Environment.wait)
  })
