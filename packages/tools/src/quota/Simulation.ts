/**
 * Many processes with one key, on the virtual clock: how much of the service's window they use together, and how it is shared.
 *
 * The service is written from docs/interface.md 8: it logs arrivals in a window that slides and answers 429 to one too many. The
 * processes are quotas over one journal in memory, as they are over one in Redis or in a file.
 */
import { Quota, QuotaStore, SharedQuota } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as Draw from "../../../core/test/Draw.ts"
import * as MemoryJournal from "../../../core/test/quota/MemoryJournal.ts"

/** What is simulated. */
export interface Scenario {
  readonly processes: number
  /** Requests that each process has under way or waiting at once. */
  readonly requests: number
  readonly limit: number
  /** In milliseconds. */
  readonly window: number
  readonly plan: string
  /** Milliseconds from sending a request to its reply. */
  readonly latency: (nth: number) => number
  /** All requests, or the time after which no more are sent in milliseconds. */
  readonly parts?: number | undefined
  readonly millis?: number | undefined
  /** A process is killed, and another takes its place, so many milliseconds after the last one. */
  readonly churn?: number | undefined
  /** The store cannot be reached for a while, and may have lost what it held. In milliseconds after the start. */
  readonly outage?: { readonly from: number; readonly to: number; readonly isLost: boolean } | undefined
  /** What the processes do meanwhile. */
  readonly whenUnavailable?: SharedQuota.WhenUnavailable | undefined
  /** A busy machine, at random from a seed. */
  readonly busy?: Busy | undefined
  /** Milliseconds to the store, and as many back. */
  readonly distance?: number | undefined
}

/** What a busy machine does. The parts are chances. */
export interface Busy {
  readonly seed: number
  /** A process stands still so often, wherever it is, for as many milliseconds. */
  readonly pauses: { readonly part: number; readonly from: number; readonly to: number }
  /** A message takes so much longer. */
  readonly delays: { readonly part: number; readonly most: number }
  /** How old the time of a step may be, as where it is read before a lock is waited for. In milliseconds. */
  readonly lag: number
}

/** How it went. */
export interface Outcome {
  /** Milliseconds from the first request to the last. */
  readonly elapsed: number
  readonly accepted: number
  readonly rejected: number
  /** Mean part of the limit that is in the service's window, from one window after the start until the last request. */
  readonly fill: number
  /** Accepted requests of each process, in the order of joining. */
  readonly perProcess: ReadonlyArray<number>
  /** Exchanges with the store. */
  readonly steps: number
  readonly killed: number
  /** Requests that were not sent because the store was gone. */
  readonly unavailable: number
  /** Requests that the service accepted during the outage. */
  readonly meanwhile: number
  /** Most requests at once, as the service sees them. */
  readonly most: number
}

/** What delays messages and processes. */
const makeDelays = (busy: Busy | undefined) => {
  const { next } = Draw.from(busy?.seed ?? 0)
  const message = Effect.suspend(() => {
    if (busy === undefined || next() >= busy.delays.part) return Effect.void
    return Effect.sleep(busy.delays.most * next() ** 4)
  })
  /** A point at which a process may stand still: all of it does, so its other points wait too. */
  const makeProcess = () => {
    let until = 0
    return Effect.gen(function* () {
      if (busy === undefined) return
      const { from, part, to } = busy.pauses
      const now = yield* Clock.currentTimeMillis
      if (next() < part) until = Math.max(until, now + from + (to - from) * next())
      if (until > now) yield* Effect.sleep(until - now)
    })
  }
  const lag = () => (busy === undefined ? 0 : Math.floor(busy.lag * next()))
  return { lag, message, makeProcess }
}

type Delays = ReturnType<typeof makeDelays>

const behind = (clock: Clock.Clock, millis: number): Clock.Clock => {
  const nanos = BigInt(millis) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() - millis,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now - millis),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() - nanos,
    currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now - nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/** A service with one key. */
const makeService = ({ latency, limit, plan, window }: Scenario, { message }: Delays) => {
  const log: Array<number> = []
  let head = 0
  const counts = { accepted: 0, rejected: 0, running: 0, most: 0, nth: 0, last: 0 }
  const ask = Effect.gen(function* () {
    const wait = latency(counts.nth++)
    yield* Effect.sleep(wait / 2)
    yield* message
    const now = yield* Clock.currentTimeMillis
    while (head < log.length && log[head]! <= now - window) head++
    const isFull = log.length - head >= limit
    if (isFull) counts.rejected += 1
    else {
      log.push(now)
      counts.accepted += 1
      counts.last = now
    }
    const remaining = Math.max(0, limit - (log.length - head))
    const reset = Math.max(1, Math.ceil(((log[head] ?? now) + window - now) / 1000)) * 1000
    yield* Effect.sleep(wait / 2)
    yield* message
    const policies = [{ limit, window }]
    return { status: isFull ? 429 : 200, plan, limit, policies, remaining, reset, retryAfter: undefined }
  })
  return {
    counts,
    fill: (began: number) => {
      const from = began + window
      // Each request is in the window for its length.
      const time = log.reduce(
        (sum, at) => sum + Math.max(0, Math.min(at + window, counts.last) - Math.max(at, from)),
        0
      )
      return time / (limit * (counts.last - from))
    },
    request: Effect.suspend(() => {
      counts.running += 1
      counts.most = Math.max(counts.most, counts.running)
      return Effect.ensuring(
        ask,
        Effect.sync(() => {
          counts.running -= 1
        })
      )
    })
  }
}

/** How long the answer of a store is awaited, as by the store in Redis. */
const patience = 2_000

const gone = new QuotaStore.QuotaStoreUnavailable({
  place: "memory",
  reason: "the quota store is gone",
  transient: true
})

/** A store that is out of reach for a while. */
const makeStore = ({ outage }: Scenario, began: number) => {
  let journal = MemoryJournal.make()
  let hasLost = false
  const isGone = (now: number) => outage !== undefined && now >= began + outage.from && now < began + outage.to
  const current = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (isGone(now)) return Effect.fail(gone)
    if (outage?.isLost === true && !hasLost && now >= began + outage.to) {
      hasLost = true
      journal = MemoryJournal.make()
    }
    return Effect.succeed(journal)
  })
  return { current, awaitWake: (process: string) => Effect.suspend(() => journal.awaitWake(process)), isGone }
}

/** A connection that counts what is appended, and does nothing any more for a process that was killed. */
const connection = (
  { awaitWake, current }: ReturnType<typeof makeStore>,
  { lag, message }: Delays,
  awake: Effect.Effect<void>,
  isDead: () => boolean,
  count: () => void,
  distance = 0
) => {
  const way = distance > 0 ? Effect.andThen(message, Effect.sleep(distance)) : message
  const append = Effect.fnUntraced(function* (next: QuotaStore.Next) {
    if (isDead()) return yield* Effect.never
    count()
    yield* awake
    const began = yield* Clock.currentTimeMillis
    yield* way
    const clock = behind(yield* Clock.Clock, lag())
    const there = Effect.flatMap(current, (journal) => journal.append(next))
    const found = yield* Effect.provideService(there, Clock.Clock, clock)
    yield* way
    yield* awake
    // A process that stood still finds its timer first, and the answer after it.
    return (yield* Clock.currentTimeMillis) - began < patience ? found : yield* gone
  })
  const wake = (processes: ReadonlyArray<string>) =>
    isDead()
      ? Effect.never
      : Effect.andThen(way, current).pipe(
          Effect.flatMap((journal) => journal.wake(processes)),
          Effect.ignore
        )
  return QuotaStore.over({
    place: "memory",
    append,
    wake,
    awaitWake: (process) => Effect.andThen(awaitWake(process), distance > 0 ? Effect.sleep(distance) : Effect.void)
  })
}

const simulate = Effect.fnUntraced(function* (scenario: Scenario) {
  const delays = makeDelays(scenario.busy)
  const service = makeService(scenario, delays)
  const began = yield* Clock.currentTimeMillis
  const store = makeStore(scenario, began)
  const perProcess: Array<number> = []
  let steps = 0
  let killed = 0
  let left = scenario.parts ?? Infinity
  let unavailable = 0
  let meanwhile = 0
  const end = began + (scenario.millis ?? Infinity)

  /** Starts a process; gives what kills it. */
  const start = Effect.gen(function* () {
    const index = perProcess.push(0) - 1
    let isDead = false
    const scope = yield* Scope.make()
    const awake = delays.makeProcess()
    const to = connection(
      store,
      delays,
      awake,
      () => isDead,
      () => {
        steps += 1
      },
      scenario.distance
    )
    const quota = yield* SharedQuota.make({ longestWait: Infinity, whenUnavailable: scenario.whenUnavailable }).pipe(
      Effect.provideService(QuotaStore.QuotaStore, to),
      Scope.provide(scope),
      Effect.orDie
    )
    const one = Effect.gen(function* () {
      const permit = yield* quota.acquire
      const reply = yield* service.request
      yield* awake
      yield* permit.observe(reply)
      if (reply.status !== 200) return false
      perProcess[index]! += 1
      if (store.isGone(yield* Clock.currentTimeMillis)) meanwhile += 1
      return true
    }).pipe(
      Effect.scoped,
      Effect.catch(() => {
        unavailable += 1
        return Effect.as(Effect.sleep(1_000), false)
      })
    )
    const loop = Effect.gen(function* () {
      while (left > 0 && (yield* Clock.currentTimeMillis) < end) {
        left -= 1
        if (!(yield* one)) left += 1
      }
    })
    const lane: Quota.Lane = { name: `${index}` }
    const loops = Effect.provideService(
      Effect.all(
        Array.from({ length: scenario.requests }, () => loop),
        { concurrency: "unbounded", discard: true }
      ),
      Quota.Lane,
      lane
    )
    const fiber = yield* Effect.forkChild(loops)
    // A kill says nothing to the store: its permits stay until their lease ends, and what it was reading is read again.
    const kill = Effect.gen(function* () {
      isDead = true
      const running = Math.min(scenario.requests, left === Infinity ? 0 : scenario.requests)
      yield* Fiber.interrupt(fiber)
      yield* Scope.close(scope, Exit.void)
      left += running
      killed += 1
    })
    return { fiber, kill }
  })

  const alive = yield* Effect.all(Array.from({ length: scenario.processes }, () => start))
  const { churn } = scenario
  if (churn !== undefined) {
    let next = 0
    while (true) {
      yield* Effect.sleep(churn)
      if (left <= 0) break
      const at = next++ % alive.length
      yield* alive[at]!.kill
      alive[at] = yield* start
    }
  }
  yield* Effect.forEach(alive, ({ fiber }) => Fiber.await(fiber), { discard: true })
  const { accepted, last, most, rejected } = service.counts
  const elapsed = last - began
  const fill = service.fill(began)
  const outcome: Outcome = {
    elapsed,
    accepted,
    rejected,
    fill,
    perProcess,
    steps,
    killed,
    most,
    unavailable,
    meanwhile
  }
  return outcome
}, Effect.scoped)

/** Runs a scenario while the virtual clock goes on. */
export const run = (scenario: Scenario): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    let outcome: Outcome | undefined
    const fiber = yield* Effect.forkChild(
      Effect.delay(simulate(scenario), 1).pipe(
        Effect.tap((found) =>
          Effect.sync(() => {
            outcome = found
          })
        )
      ),
      { startImmediately: true }
    )
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("10 seconds")
    yield* Fiber.join(fiber)
    return outcome!
  }).pipe(
    Effect.provide(TestClock.layer({ warningDelay: "1 hour" }), { local: true }),
    Effect.scoped,
    // The names of processes are the same in each run.
    Random.withSeed("quota")
  )
