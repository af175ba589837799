/**
 * The exchanges of one process with the store of its quota, one after the other, for as long as there is anything to
 * tell or to wait for.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Lane, WaitTooLong } from "../../Quota.ts"
import { QuotaStoreUnavailable } from "../../QuotaStore.ts"
import * as Moment from "../retry/Moment.ts"
import * as WaitNotice from "../quota/WaitNotice.ts"
import * as Monotonic from "../retry/Monotonic.ts"
import type * as ProcessPermits from "../shared/ProcessPermits.ts"
import type { Answer } from "../shared/Step.ts"
import * as Fallback from "./Fallback.ts"
import * as Steps from "./Steps.ts"

/** How often a process gives a sign of life while it has requests. */
const heartbeat = 2_000

/** The shortest wait that a store can ask for: one that always asks for none would keep the process busy. */
const shortestWait = 10

/** How often a store that is gone is tried. */
const retryEvery = 500

const partOf = (processes: number) => (processes <= 1 ? "the limit" : `1/${processes} of the limit`)

/** Why requests that wait are refused. */
export type Refusal = WaitTooLong | QuotaStoreUnavailable

/** What exchanges are made with. */
export interface Settings extends Steps.Settings {
  readonly store: Steps.Store
  readonly grants: ProcessPermits.ProcessPermits<Lane>
  /** The longest wait, as errors tell it. */
  readonly longestWait: Duration.Duration
  readonly whenUnavailable: "share" | "fail"
  /** Is called after each answer. */
  readonly onAnswer: (answer: Answer) => void
}

/** Builds the exchanges of a process. The scope runs them; when it closes, the store is told that the process is gone. */
export const make = Effect.fnUntraced(function* (settings: Settings) {
  const { grants, longestWait, onAnswer, process, store, whenUnavailable } = settings
  const scope = yield* Effect.scope
  const steps = Steps.make(settings, grants)
  const fallback = Fallback.make(process, settings.parallel)
  const logWait = WaitNotice.make()
  let answer: Answer | undefined
  let isGone = false
  let isTriedAgain = false
  let isRunning = false
  let isStepping = false
  let signal = Deferred.makeUnsafe<void>()
  let stepped = Deferred.makeUnsafe<void>()
  let refused = Deferred.makeUnsafe<never, Refusal>()

  const poke = Effect.suspend(() => Deferred.succeed(signal, undefined))

  const refuse = (error: Refusal) => {
    const refusing = refused
    refused = Deferred.makeUnsafe()
    return Deferred.fail(refusing, error)
  }

  const learn = Effect.fnUntraced(function* (next: Answer, from: Steps.Store) {
    const now = yield* Monotonic.now
    answer = next
    grants.hear()
    steps.hear(next, from === store, now)
    // If the store has come back meanwhile, it has to be told what was sent without it.
    if (from !== (fallback.current() ?? store)) return
    steps.settle(from === store)
    grants.forget(now, next.policies)
    grants.add(next.granted, now)
    if (next.tooLong !== undefined) {
      const { by, limit, until } = next.tooLong
      const wait = Duration.seconds(Math.ceil(until / 1000))
      yield* refuse(new WaitTooLong({ wait, longest: longestWait, plan: next.state.plan, heldBy: by, limit }))
    } else if (grants.wanted() > 0 && next.reason !== undefined) {
      yield* logWait(now + Duration.toMillis(next.state.reset), next.reason, now)
    }
    onAnswer(next)
  })

  /** Tries the store until it answers, and then returns to it. */
  const awaitStore = Effect.gen(function* () {
    while (true) {
      yield* Effect.sleep(retryEvery)
      const found = yield* Effect.exit(store.step(steps.look()))
      if (found._tag === "Success") break
    }
    yield* Effect.logInfo(`The quota store ${store.place} can be reached again`)
    isGone = false
    fallback.end()
    steps.join()
    yield* poke
  })

  const lose = Effect.fnUntraced(function* (error: QuotaStoreUnavailable) {
    const now = yield* Monotonic.now
    steps.join()
    if (!isGone) {
      isGone = true
      const last = whenUnavailable === "fail" ? undefined : answer
      const part = last === undefined ? "" : `; requests go on within ${partOf(last.processes)}`
      yield* Effect.logWarning(`${error.reason}${part}`)
      if (last !== undefined) {
        steps.goAlone()
        fallback.begin(last, grants.list(now), now)
      }
      yield* Effect.forkIn(awaitStore, scope)
    }
    if (fallback.current() === undefined) yield* refuse(error)
    else yield* poke
  })

  // A defect would leave everybody waiting who asks for a permit.
  const broken = (defect: unknown) => {
    const reason = `the quota store ${store.place} failed: ${String(defect)}`
    return Effect.fail(new QuotaStoreUnavailable({ place: store.place, reason, transient: false }))
  }

  /** Waits until something has happened, here or elsewhere, or until it is time for a sign of life. */
  const awaitNext = (current: Steps.Store, isFailed: boolean) => {
    const wanted = Math.min(heartbeat, Math.max(shortestWait, answer?.wait ?? heartbeat))
    const told = Deferred.await(signal)
    const woken = grants.wanted() > 0 ? Effect.raceFirst(told, current.awaitWake(process)) : told
    return Effect.timeoutOption(woken, isFailed ? retryEvery : wanted)
  }

  const run = Effect.gen(function* () {
    while (true) {
      signal = Deferred.makeUnsafe()
      // The end of a small reply comes right after its head: one exchange for both.
      yield* Effect.yieldNow
      const current = fallback.current() ?? store
      isStepping = true
      const next = yield* Effect.result(Effect.catchDefect(steps.exchange(current), broken))
      isStepping = false
      if (next._tag === "Success") {
        isTriedAgain = false
        yield* learn(next.success, current)
      } else if (next.failure.transient && !isTriedAgain) {
        // Perhaps only this process stood still, or one message was lost: others would go on with the store.
        isTriedAgain = true
        steps.join()
        continue
      } else yield* lose(next.failure)
      const told = stepped
      stepped = Deferred.makeUnsafe()
      yield* Deferred.succeed(told, undefined)
      yield* grants.isIdle() ? Deferred.await(signal) : awaitNext(current, next._tag === "Failure")
    }
  })

  const leave = Effect.suspend(() => {
    if (!isRunning || isGone || answer === undefined) return Effect.void
    grants.abandon()
    return Effect.flatMap(Moment.now, (at) =>
      Effect.ignore(Effect.timeoutOption(store.step(steps.last(at)), heartbeat))
    )
  })
  yield* Effect.addFinalizer(() => leave)

  const begin = Effect.suspend((): Effect.Effect<unknown> => {
    if (isRunning) return poke
    isRunning = true
    return Effect.forkIn(run, scope)
  })

  /** Waits for the next answer. */
  const awaitAnswer = Effect.gen(function* () {
    const told = stepped
    yield* begin
    yield* Effect.timeoutOption(Deferred.await(told), heartbeat)
  })
  const refresh = Effect.gen(function* () {
    // A step that is under way does not know of what has just happened.
    const isBehind = isStepping
    yield* awaitAnswer
    if (isBehind) yield* awaitAnswer
  })

  return {
    /** Begins where it has not begun, and tells the store soon that something has happened. */
    begin,
    /** Tells the store soon that something has happened. */
    poke,
    /** Fails when the requests that wait now are refused, and never ends otherwise. */
    refused: (): Effect.Effect<never, Refusal> => Deferred.await(refused),
    /** Waits for an answer that knows of all that has happened, or for as long as one may take. */
    refresh,
    answer: () => answer,
    /** Whether the store can be reached, as far as is known. */
    isReached: () => !isGone
  }
})
