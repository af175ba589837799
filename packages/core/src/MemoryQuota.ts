/**
 * The quota of one process: the sliding window of the plan, learned from the reply headers, and the ten requests that the
 * service runs at once (docs/interface.md 8.1, 7.2, 8.2).
 *
 * Effect's `RateLimiter` has fixed windows and token buckets. Against a sliding window the first waits too long and the second
 * overruns, so this window is a log of times. The parallel permits are shared between lanes (`internal/quota/Permits.ts`).
 */
import type { ConfigError } from "effect/Config"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Misconfigured } from "./ApiError.ts"
import * as Defaults from "./Defaults.ts"
import * as Environment from "./Environment.ts"
import * as Settings from "./internal/account/Settings.ts"
import * as Followers from "./internal/quota/Followers.ts"
import * as Pace from "./internal/quota/Pace.ts"
import * as Permits from "./internal/quota/Permits.ts"
import * as WaitNotice from "./internal/quota/WaitNotice.ts"
import * as Window from "./internal/quota/Window.ts"
import * as Wait from "./internal/observe/Wait.ts"
import * as Monotonic from "./internal/retry/Monotonic.ts"
import { Lane, type Permit, type Plan, Quota, type Reply, type State, WaitTooLong } from "./Quota.ts"

/** Settings of {@link layer}. */
export interface Options {
  /** The plan to assume until the first reply names one; by default the strictest. Kept if the service names none. */
  readonly plan?: Plan | undefined
  /** The most requests that run at once. The service runs ten and queues more. Default {@link Defaults.parallel}. */
  readonly parallel?: number | undefined
  /**
   * The longest wait that the service may require: for the reset or `Retry-After` of a 429 or 503, after a 429 that names no
   * wait, or for a place in a window longer than a minute. All published plans have shorter windows; waiting for a place in
   * those is pacing and always done. A call that requires a longer wait fails at once with `RateLimited` or `Unavailable`,
   * which tell how long. One request per longest wait, and at most one a minute, is still sent to learn whether the wait is
   * over. A wait above ten seconds is logged. Default {@link Defaults.longestWait}; Infinity for any.
   */
  readonly longestWait?: Duration.Input | undefined
}

/** The minimum time between two probes in milliseconds, even if the longest wait is shorter. */
const minProbeInterval = 60_000

type Make = (options?: Options) => Effect.Effect<Quota["Service"], Misconfigured>

/** Builds a quota in memory. Fails with `Misconfigured` when `parallel` or `longestWait` is out of range. */
export const make: Make = Effect.fnUntraced(function* (options: Options = {}) {
  yield* check(options)
  const maxParallel = options.parallel ?? Defaults.parallel
  const longestWait = Duration.fromInputUnsafe(options.longestWait ?? Defaults.longestWait)
  const longest = Duration.toMillis(longestWait)
  const patience = { longest, probeAfter: Math.max(longest, minProbeInterval) }
  const parallel = Permits.make<Lane>(maxParallel)
  const line = Permits.make<void>(1)
  const window = Window.make(options.plan, maxParallel)
  const counts = { inFlight: 0, waiting: 0 }
  const logWait = WaitNotice.make()
  let wake = Deferred.makeUnsafe<void>()

  const stateAt = (now: number): State => ({ ...Window.stateOf(window, now), ...counts })
  const state = Effect.map(Monotonic.now, stateAt)
  const followers = Followers.make(state)
  // Every request changes the state several times, so it is computed only while somebody follows it. No effects for the same
  // reason.
  const publish = (now: number) => {
    if (followers.isAny()) followers.tell(stateAt(now))
  }
  const count = (name: "inFlight" | "waiting", by: 1 | -1, now: number) => {
    counts[name] += by
    publish(now)
  }

  // Only the first in line enters the window, so requests are sent in order. Entering is uninterruptible, waiting is not:
  // a place that was taken is always released by its permit.
  const enterWindow = Effect.fnUntraced(function* (restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>) {
    const began = yield* Monotonic.now
    while (true) {
      const now = yield* Monotonic.now
      const verdict = Window.judge(window, patience, began, now)
      if (verdict === "probe") return Window.send(window, true, now)
      if (typeof verdict !== "number") {
        const { by, limit, until } = verdict
        const wait = Duration.seconds(Math.ceil((until - now) / 1000))
        return yield* new WaitTooLong({ wait, longest: longestWait, plan: window.plan, heldBy: by, limit })
      }
      if (verdict <= now) return Window.send(window, false, now)
      const changed = Deferred.await(wake)
      // Where only a reply can tell, it has a timeout of its own.
      if (verdict < Infinity) yield* logWait(verdict, Window.reasonOf(window, Window.waitOf(window, now)), now)
      // Until that time, or until an earlier change.
      yield* restore(Effect.asVoid(Effect.timeoutOption(changed, Math.ceil(verdict - now))))
    }
  })

  const queue = (lane: Lane, restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
    const taken = restore(parallel.takeScoped(lane))
    const inLine = Effect.scoped(Effect.andThen(restore(line.takeScoped()), enterWindow(restore)))
    const inTurn = Effect.flatMap(Monotonic.now, (now) => {
      const cause = Window.causeOf(Window.waitOf(window, now), now)
      // A wait in line is for what the first in the line waits for.
      const isDue = cause === undefined && line.isFree()
      return isDue ? Effect.succeed(Window.send(window, false, now)) : Wait.during(cause ?? "window", inLine)
    })
    return Effect.andThen(parallel.isFree() ? taken : Wait.during("permit", taken), inTurn)
  }

  const acquire = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const lane = yield* Lane
      count("waiting", 1, yield* Monotonic.now)
      const counted = Effect.map(Monotonic.now, (now) => count("waiting", -1, now))
      const sent = yield* Effect.ensuring(queue(lane, restore), counted)
      count("inFlight", 1, yield* Monotonic.now)
      let isOpen = true
      const finish = (now: number, reply?: Reply) => {
        if (!isOpen) return
        isOpen = false
        Window.finish(window, sent, now, reply)
        parallel.resize(Pace.parallelOf(window))
        const waking = wake
        wake = Deferred.makeUnsafe()
        Deferred.doneUnsafe(waking, Exit.void)
        publish(now)
      }
      const end = Effect.map(Monotonic.now, (now) => {
        finish(now)
        count("inFlight", -1, now)
      })
      yield* Scope.addFinalizer(yield* Effect.scope, end)
      const observe = (reply: Reply) => Effect.map(Monotonic.now, (now) => finish(now, reply))
      return { observe } satisfies Permit
    })
  )

  return Quota.of({ acquire, state, changes: followers.changes, parallel: maxParallel, longestWait })
})

/** Refuses settings that would make every call hang or fail. */
export const check = ({ longestWait = 0, parallel = Defaults.parallel }: Options) =>
  Settings.check([
    ["parallel", Number.isSafeInteger(parallel) && parallel > 0, "expected a whole number from 1 up"],
    ["longestWait", Duration.toMillis(longestWait) >= 0, "expected zero or more"]
  ])

/**
 * Provides a `Quota` for one process.
 *
 * **Details**
 *
 * Permits and places are given first come, first served within a `Quota.Lane`. Waiting for the program's own requests does
 * not count towards `longestWait`. While waits are longer than that, one request is sent as a probe when none was sent for
 * `longestWait`, and for at least a minute. Its reply confirms or ends the wait. Requests that come meanwhile wait for it.
 *
 * **Gotchas**
 *
 * Two processes with one key do not know of each other. Each notices the requests of the other only in its replies.
 */
export const layer = (options: Options = {}): Layer.Layer<Quota, Misconfigured> => Layer.effect(Quota, make(options))

/**
 * Provides {@link layer} from `SLUICE_PLAN`, `SLUICE_PARALLEL` and `SLUICE_LONGEST_WAIT`. Values in `options` take
 * precedence.
 */
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
