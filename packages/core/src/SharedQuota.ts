/**
 * The quota of several processes with one account: the window and the permits of `MemoryQuota`, held in a `QuotaStore`.
 *
 * Each process asks the store for permits as its requests ask for them, and tells it of heads and ends of replies. One exchange
 * carries everything that happened since the last. What a process holds is a lease: it ends when nothing is heard of the
 * process, and the requests it had sent keep their places in the window.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import type { Misconfigured } from "./ApiError.ts"
import * as Followers from "./internal/quota/Followers.ts"
import * as Permits from "./internal/quota/Permits.ts"
import * as Window from "./internal/quota/Window.ts"
import * as Wait from "./internal/observe/Wait.ts"
import * as Monotonic from "./internal/retry/Monotonic.ts"
import * as Waits from "./internal/retry/Waits.ts"
import * as Ledger from "./internal/shared/Ledger.ts"
import * as Share from "./internal/shared/Share.ts"
import type { Answer, Event, Step } from "./internal/shared/Step.ts"
import * as MemoryQuota from "./MemoryQuota.ts"
import { Lane, type Permit, Quota, type Reply, type State, WaitTooLong } from "./Quota.ts"
import * as QuotaStore from "./QuotaStore.ts"

/** Settings of {@link layer}. `parallel` is the number of requests of all processes at once. */
export interface Options extends MemoryQuota.Options {
  /**
   * What to do while the store cannot be reached. `share`: each process goes on with its part of the limit and of the permits,
   * by the number of processes last seen. `fail`: requests fail with `Unavailable`, which the client's retry policy repeats.
   * A process that has not reached the store yet does not know its share, and fails in both. Default `share`.
   */
  readonly whenUnavailable?: WhenUnavailable | undefined
}

/** What to do while the store cannot be reached. */
export type WhenUnavailable = "share" | "fail"

/** How long a process is kept without a sign of life, and how often it gives one while it has requests. */
const lease = 6_000
const heartbeat = 2_000

/** How often a store that is gone is tried. */
const retryEvery = 500

const minProbeInterval = 60_000

const partOf = (processes: number) => (processes <= 1 ? "the limit" : `1/${processes} of the limit`)

type Store = QuotaStore.QuotaStore["Service"]

const hex = Effect.map(Random.nextIntBetween(0, 0xffffffff), (number) => number.toString(16).padStart(8, "0"))
const name = Effect.map(Effect.all([hex, hex]), (parts) => parts.join(""))

/** Builds a quota over the store. Fails with `Misconfigured` when `parallel` or `longestWait` is out of range. */
export const make = Effect.fnUntraced(function* (options: Options = {}) {
  yield* MemoryQuota.check(options)
  const store = yield* QuotaStore.QuotaStore
  const maxParallel = options.parallel ?? 10
  const longest = Duration.fromInputUnsafe(options.longestWait ?? Waits.defaultLongest)
  const probeAfter = Math.max(Duration.toMillis(longest), minProbeInterval)
  const process = yield* name
  const nonce = yield* name
  const permits = Permits.make<Lane>(0)
  const ledger = Ledger.make()
  const scope = yield* Effect.scope
  /** What stands in for the store while it is gone. */
  let share: Store | undefined
  let shares = 0
  let wasAlone = false
  let answer: Answer | undefined
  /** Permits that nobody has taken yet, and the size of `permits`. */
  let granted: Array<string> = []
  let size = 0
  let waiting = 0
  let waitingSince = 0
  let events: Array<Event> = []
  let generation = ""
  let mustJoin = true
  let isGone = false
  let loggedUntil = -Infinity
  let isRunning = false
  let isStepping = false
  let signal = Deferred.makeUnsafe<void>()
  let stepped = Deferred.makeUnsafe<void>()
  let refused = Deferred.makeUnsafe<never, WaitTooLong | QuotaStore.QuotaStoreUnavailable>()

  const stateOf = (answer: Answer | undefined): State => {
    const planned = Window.planOf(options.plan)
    const tightest = answer === undefined ? (planned ?? { limit: 10, window: 6_000 }) : answer.tightest
    const { limit, window } = tightest ?? { limit: Infinity, window: 6_000 }
    const { inFlight = 0, plan = options.plan, rejected = 0, remaining = limit, reset = 0, sent = 0 } = answer ?? {}
    return {
      plan,
      limit,
      window: Duration.millis(window),
      remaining: limit === Infinity ? limit : remaining,
      reset: reset < 0 ? Duration.infinity : Duration.millis(reset),
      inFlight,
      waiting: Math.max(waiting, answer?.waiting ?? 0),
      sent,
      rejected,
      shared: { store: store.place, processes: answer?.processes ?? 0, isReached: answer !== undefined && !isGone }
    }
  }

  const poke = Effect.suspend(() => Deferred.succeed(signal, undefined))

  const resize = (to: number) => {
    size = to
    permits.resize(to)
  }

  /** Gives back permits that nobody waits for any more. */
  const giveBack = () => {
    while (granted.length > waiting) {
      events.push({ type: "unused", id: granted.pop()! })
      resize(size - 1)
    }
  }

  const stepOf = (now: number, isJoin: boolean): Step => {
    giveBack()
    const step = {
      process,
      generation,
      nonce,
      want: waiting - granted.length,
      waited: waiting > granted.length ? Math.floor(now - waitingSince) : 0,
      lease,
      longest: Duration.isFinite(longest) ? Duration.toMillis(longest) : -1,
      probeAfter: Number.isFinite(probeAfter) ? probeAfter : -1
    }
    const sent = isJoin ? ledger.list(now, granted) : []
    const reported = events
    events = []
    if (!isJoin) return { ...step, events: reported }
    // The list of requests says the same.
    const planned = Window.planOf(options.plan)
    const policies = answer?.policies ?? []
    return { ...step, events: [], join: { alone: wasAlone, parallel: maxParallel, planned, policies, requests: sent } }
  }

  const exchange = Effect.fnUntraced(function* (to: Store) {
    const first = yield* to.step(stepOf(yield* Monotonic.now, mustJoin))
    if (!first.isUnknown) return first
    mustJoin = true
    return yield* to.step(stepOf(yield* Monotonic.now, true))
  })

  const logWait = (next: Answer, now: number) => {
    const { cause, isAsked, reset, tightest } = next
    if (cause === undefined || cause === "permit" || reset <= Waits.logThreshold) return Effect.void
    if (now + reset - loggedUntil < 1_000) return Effect.void
    loggedUntil = now + reset
    const window = tightest === undefined ? "" : ` (${Window.format(tightest)})`
    const after = isAsked ? "because the service asked for it with a 429" : "after a 429 that names no wait"
    return Effect.logInfo(`Waits ${Waits.format(reset)} ${cause === "window" ? `for the rate limit${window}` : after}`)
  }

  const refuse = (error: WaitTooLong | QuotaStore.QuotaStoreUnavailable) => {
    const refusing = refused
    refused = Deferred.makeUnsafe()
    return Deferred.fail(refusing, error)
  }

  const learn = Effect.fnUntraced(function* (next: Answer, from: Store) {
    const now = yield* Monotonic.now
    answer = next
    if (from === store) generation = next.generation
    // If the store has come back meanwhile, it has to be told what was sent without it.
    if (from !== (share ?? store)) return
    mustJoin = false
    if (from === store) wasAlone = false
    ledger.forget(now, next.policies)
    if (next.granted.length > 0) {
      granted.push(...next.granted)
      waitingSince = now
      resize(size + next.granted.length)
    }
    if (next.tooLong !== undefined) {
      const { by, limit, until } = next.tooLong
      const wait = Duration.seconds(Math.ceil(until / 1000))
      yield* refuse(new WaitTooLong({ wait, longest, plan: next.plan, heldBy: by, limit }))
    } else if (waiting > granted.length) yield* logWait(next, now)
    if (followers.isAny()) followers.tell(stateOf(next))
  })

  /** Tries the store until it answers, and then returns to it. */
  const awaitStore = Effect.gen(function* () {
    const look: Step = {
      process: `${process}-`,
      generation: "",
      nonce,
      want: 0,
      waited: 0,
      events: [],
      lease,
      longest: -1,
      probeAfter: -1
    }
    while (true) {
      yield* Effect.sleep(retryEvery)
      const found = yield* Effect.exit(store.step(look))
      if (found._tag === "Success") break
    }
    yield* Effect.logInfo(`The quota store ${store.place} can be reached again`)
    isGone = false
    share = undefined
    mustJoin = true
    yield* poke
  })

  /** A quota of this process alone. It takes the process as new, whatever it knows of the store. */
  const alone = (last: Answer, now: number, clock: number): Store => {
    shares += 1
    wasAlone = true
    const name = `${process}-${shares}`
    const own = QuotaStore.make(Share.make(name, last, ledger.list(now, granted), clock))
    const parallel = Math.max(1, Math.floor(maxParallel / Math.max(1, last.processes)))
    return {
      ...own,
      step: (step) =>
        own.step({
          ...step,
          generation: name,
          ...(step.join === undefined ? {} : { join: { ...step.join, parallel, alone: false } })
        })
    }
  }

  const lose = Effect.fnUntraced(function* (error: QuotaStore.QuotaStoreUnavailable) {
    const now = yield* Monotonic.now
    mustJoin = true
    if (!isGone) {
      isGone = true
      const last = options.whenUnavailable === "fail" ? undefined : answer
      const part = last === undefined ? "" : `; requests go on within ${partOf(last.processes)}`
      yield* Effect.logWarning(`${error.reason}${part}`)
      if (last !== undefined) share = alone(last, now, yield* Clock.currentTimeMillis)
      yield* Effect.forkIn(awaitStore, scope)
    }
    if (share === undefined) yield* refuse(error)
    else yield* poke
  })

  // A defect would leave everybody waiting who asks for a permit.
  const broken = (defect: unknown) => {
    const reason = `the quota store ${store.place} failed: ${String(defect)}`
    return Effect.fail(new QuotaStore.QuotaStoreUnavailable({ place: store.place, reason, transient: false }))
  }

  /** Exchanges with the store until nothing waits, runs or has to be told. */
  const run = Effect.gen(function* () {
    while (true) {
      signal = Deferred.makeUnsafe()
      // The end of a small reply comes right after its head: one exchange for both.
      yield* Effect.yieldNow
      const current = share ?? store
      isStepping = true
      const next = yield* Effect.result(Effect.catchDefect(exchange(current), broken))
      isStepping = false
      if (next._tag === "Success") yield* learn(next.success, current)
      else yield* lose(next.failure)
      const told = stepped
      stepped = Deferred.makeUnsafe()
      yield* Deferred.succeed(told, undefined)
      const isIdle = waiting === 0 && granted.length === 0 && ledger.running() === 0 && events.length === 0
      if (isIdle) {
        yield* Deferred.await(signal)
        continue
      }
      const wanted = answer === undefined || answer.wait < 0 ? heartbeat : Math.min(heartbeat, answer.wait)
      const until = next._tag === "Failure" ? retryEvery : wanted
      const isWaiting = waiting > granted.length
      const woken = isWaiting
        ? Effect.raceFirst(Deferred.await(signal), current.awaitWake(process))
        : Deferred.await(signal)
      yield* Effect.timeoutOption(woken, until)
    }
  })

  /** Tells the store that the process is gone, so that nothing is kept for it. */
  const leave = Effect.suspend(() => {
    if (!isRunning || isGone || answer === undefined) return Effect.void
    waiting = 0
    return Effect.flatMap(Monotonic.now, (now) =>
      Effect.ignore(Effect.timeoutOption(store.step({ ...stepOf(now, mustJoin), lease: 0 }), heartbeat))
    )
  })
  yield* Effect.addFinalizer(() => leave)

  const begin = Effect.suspend((): Effect.Effect<unknown> => {
    if (isRunning) return poke
    isRunning = true
    return Effect.forkIn(run, scope)
  })

  /** Waits for the next answer, or for as long as one may take. */
  const refresh = Effect.gen(function* () {
    const told = stepped
    yield* begin
    yield* Effect.timeoutOption(Deferred.await(told), heartbeat)
  })
  const state = Effect.gen(function* () {
    // A step that is under way does not know of what has just happened.
    const isBehind = isStepping
    yield* refresh
    if (isBehind) yield* refresh
    return stateOf(answer)
  })

  const followers = Followers.make(state)

  /** Waits for a permit; the part that waits can be interrupted. */
  const take = (lane: Lane, restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
    const taken = restore(Effect.raceFirst(permits.takeScoped(lane), Deferred.await(refused)))
    return Effect.andThen(begin, Wait.during(answer?.cause ?? "permit", taken))
  }

  const acquire = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const lane = yield* Lane
      const began = yield* Monotonic.now
      if (waiting === 0) waitingSince = began
      waiting += 1
      yield* Effect.ensuring(
        take(lane, restore),
        Effect.suspend(() => {
          waiting -= 1
          // A permit that came too late goes back.
          return granted.length > waiting ? poke : Effect.void
        })
      )
      const id = granted.shift()!
      ledger.send(id)
      yield* Effect.addFinalizer(() =>
        Effect.flatMap(Monotonic.now, (now) => {
          ledger.end(id, now)
          events.push({ type: "end", id })
          // First, so that the place of this request is not taken by another.
          resize(size - 1)
          return poke
        })
      )
      const observe = (reply: Reply) =>
        Effect.flatMap(Monotonic.now, (now) => {
          if (!ledger.reply(id, now)) return Effect.void
          events.push({ type: "head", id, reply })
          return poke
        })
      return { observe } satisfies Permit
    })
  )

  return Quota.of({ acquire, state, changes: followers.changes, parallel: maxParallel, longestWait: longest })
})

/**
 * Provides a `Quota` over a `QuotaStore`: all processes with a quota over the same store share one window and one set of permits.
 *
 * **Details**
 *
 * Processes are served first come, first served, one permit a turn, so each that always waits gets an equal part however
 * many requests it has. Within a process permits are shared between lanes as in `MemoryQuota`. Plans, windows and waits that the
 * reply to one process names hold for all. `state` tells of all processes, except that `waiting` is no less than the process's own.
 *
 * **Gotchas**
 *
 * A process that is cut off from a store which others still reach goes on within its share, while they use all of the window.
 */
export const layer = (options: Options = {}): Layer.Layer<Quota, Misconfigured, QuotaStore.QuotaStore> =>
  Layer.effect(Quota, make(options))
