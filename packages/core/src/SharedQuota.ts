/**
 * The quota of several processes with one account: the window and the permits of `MemoryQuota`, held in a `QuotaStore`.
 *
 * Each process asks the store for permits as its requests ask for them, and tells it of heads and ends of replies. One exchange
 * carries everything that happened since the last. What a process holds is a lease: it ends when nothing is heard of the
 * process, and the requests it had sent keep their places in the window.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import type { Misconfigured } from "./ApiError.ts"
import * as StoreLoop from "./internal/store/StoreLoop.ts"
import * as Followers from "./internal/quota/Followers.ts"
import * as Wait from "./internal/observe/Wait.ts"
import * as Monotonic from "./internal/retry/Monotonic.ts"
import * as Moment from "./internal/retry/Moment.ts"
import * as ProcessPermits from "./internal/shared/ProcessPermits.ts"
import * as Summary from "./internal/shared/Summary.ts"
import * as Defaults from "./Defaults.ts"
import * as MemoryQuota from "./MemoryQuota.ts"
import { Lane, type Permit, Quota, type Reply, type State } from "./Quota.ts"
import * as QuotaStore from "./QuotaStore.ts"

/** Settings of {@link layer}. `parallel` is the number of requests of all processes at once. */
export interface Options extends MemoryQuota.Options {
  /**
   * What to do while the store cannot be reached. `share`: each process goes on with its part of the limit and of the permits,
   * by the number of processes last seen. `fail`: requests fail with `Unavailable`, which the client's retry policy repeats.
   * A process that has not reached the store yet does not know its share, and fails in both. Default {@link Defaults.whenUnavailable}.
   */
  readonly whenUnavailable?: WhenUnavailable | undefined
}

/** What to do while the store cannot be reached. */
export type WhenUnavailable = "share" | "fail"

/** How long a process is kept without a sign of life. */
const lease = 6_000

const minProbeInterval = 60_000

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const hex = Effect.map(Random.nextIntBetween(0, 0xffffffff), (number) => number.toString(16).padStart(8, "0"))
const name = Effect.map(Effect.all([hex, hex]), (parts) => parts.join(""))

/** Builds a quota over the store. Fails with `Misconfigured` when `parallel` or `longestWait` is out of range. */
export const make = Effect.fnUntraced(function* (options: Options = {}) {
  yield* MemoryQuota.check(options)
  const store = yield* QuotaStore.QuotaStore
  const parallel = options.parallel ?? Defaults.parallel
  const longestWait = Duration.fromInputUnsafe(options.longestWait ?? Defaults.longestWait)
  const probeAfter = Math.max(Duration.toMillis(longestWait), minProbeInterval)
  const grants = ProcessPermits.make<Lane>(lease)
  const loop = yield* StoreLoop.make({
    store,
    grants,
    process: yield* name,
    nonce: yield* name,
    lease,
    longestWait,
    longest: Duration.toMillis(longestWait),
    probeAfter,
    parallel,
    plan: options.plan,
    whenUnavailable: options.whenUnavailable ?? Defaults.whenUnavailable,
    onAnswer: () => {
      if (followers.isAny()) followers.tell(stateNow())
    }
  })

  const stateNow = (): State =>
    Summary.make(loop.answer(), {
      plan: options.plan,
      waiting: grants.waiting(),
      store: store.place,
      isReached: loop.isReached()
    })
  const state = Effect.map(loop.refresh, stateNow)
  const followers = Followers.make(state)

  /** Waits for a permit; the part that waits can be interrupted. */
  const take = (lane: Lane, restore: Restore) => {
    const taken = restore(Effect.raceFirst(grants.permits.takeScoped(lane), loop.refused()))
    return Effect.andThen(loop.begin, Wait.during(loop.answer()?.cause ?? "permit", taken))
  }

  /** Waits for a permit. Gives its name, or nothing where it came too late to be used. */
  const receive = Effect.fnUntraced(function* (restore: Restore) {
    const lane = yield* Lane
    grants.arrive(yield* Monotonic.now)
    yield* Effect.ensuring(
      take(lane, restore),
      // A permit that came too late goes back.
      Effect.suspend(() => (grants.depart() ? loop.poke : Effect.void))
    )
    return grants.send(yield* Moment.now)
  })

  const acquire = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      let id: string | undefined
      while (id === undefined) {
        const own = yield* Scope.fork(scope)
        id = yield* Scope.provide(receive(restore), own)
        if (id === undefined) yield* Scope.close(own, Exit.void)
      }
      const sent = id
      yield* Scope.addFinalizer(
        scope,
        Effect.flatMap(Monotonic.now, (now) => {
          // First, so that the place of this request is not taken by another.
          grants.end(sent, now)
          return loop.poke
        })
      )
      const observe = (reply: Reply) =>
        Effect.flatMap(Monotonic.now, (now) => (grants.reply(sent, reply, now) ? loop.poke : Effect.void))
      return { observe } satisfies Permit
    })
  )

  return Quota.of({ acquire, state, changes: followers.changes, parallel, longestWait })
})

/**
 * Provides a `Quota` over a `QuotaStore`: all processes with a quota over the same store share one window and one set of permits.
 *
 * **Details**
 *
 * Processes are served first come, first served, one permit a turn, so each that always waits gets an equal part
 * however many requests it has. Within a process permits are shared between lanes as in `MemoryQuota`. Plans, windows
 * and waits that the reply to one process names hold for all. `state` tells of all processes, except that `waiting` is
 * no less than the process's own.
 *
 * **Gotchas**
 *
 * A process that is cut off from a store which others still reach goes on within its share, while they use all of the window.
 */
export const layer = (options: Options = {}): Layer.Layer<Quota, Misconfigured, QuotaStore.QuotaStore> =>
  Layer.effect(Quota, make(options))
