import { assert, describe, it } from "@effect/vitest"
import { Account, Client, Quota, QuotaStore, ReferenceData, Retry, SharedQuota } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as FakeApi from "../FakeApi.ts"
import * as FakeWindow from "./FakeWindow.ts"
import * as Virtual from "../Virtual.ts"

type Store = QuotaStore.QuotaStore["Service"]

/** A client as another process would build it, over a store that both reach. */
const clientOver = (api: FakeApi.FakeApi, store: Store, options: SharedQuota.Options = {}) =>
  Client.layerNoDeps({ retry: Retry.none }).pipe(
    Layer.provideMerge(SharedQuota.layer(options)),
    Layer.provideMerge(Account.layer({ root: FakeApi.root })),
    Layer.provide([Layer.succeed(QuotaStore.QuotaStore, store), api.http])
  )

const read = (assets: string) => Stream.runCount(ReferenceData.assets({ assets }))

/** A store that can be taken away. */
const breakable = () => {
  const inner = QuotaStore.make()
  const control = { isGone: false, steps: 0 }
  const store: Store = {
    ...inner,
    place: "redis://cache.example",
    step: (step) =>
      Effect.suspend(() => {
        control.steps += 1
        const reason = "the quota store redis://cache.example cannot be used: connection refused"
        return control.isGone
          ? Effect.fail(
              new QuotaStore.QuotaStoreUnavailable({ place: "redis://cache.example", reason, transient: true })
            )
          : inner.step(step)
      })
  }
  return { store, control }
}

/** A quota in a scope of its own: closing it is the end of the process. */
const start = (store: Store, options: SharedQuota.Options = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const quota = yield* SharedQuota.make(options).pipe(
      Effect.provideService(QuotaStore.QuotaStore, store),
      Scope.provide(scope)
    )
    return { quota, close: Scope.close(scope, Exit.void) }
  })

/** Lets time pass in so many parts; between them runs what others have woken, which the clock does not wait for. */
const pass = (duration: Duration.Input, parts = 10) =>
  Effect.gen(function* () {
    const part = Duration.toMillis(duration) / parts
    for (let nth = 0; nth < parts; nth++) {
      yield* TestClock.adjust(part)
      for (let turn = 0; turn < 30; turn++) yield* Effect.yieldNow
    }
  })

const slow = (nth: number) => 40 + ((nth * 7_919) % 200)

describe("SharedQuota", () => {
  it.effect("asks a store that always wants to be asked again at once no more than a hundred times in a second", () =>
    Effect.gen(function* () {
      const { control, store } = breakable()
      const { close, quota } = yield* start({
        ...store,
        step: (step) => Effect.map(store.step(step), (answer) => ({ ...answer, granted: [], wait: 0 }))
      })
      const call = yield* Effect.forkChild(Effect.scoped(quota.acquire))
      yield* pass("1 second", 100)
      assert.isAtMost(control.steps, 101)
      yield* Fiber.interrupt(call)
      yield* close
    })
  )

  it.effect("two processes share one window: no 429, equal parts, near the ideal time of the two together", () =>
    Effect.gen(function* () {
      const api = FakeWindow.make({ ...FakeWindow.trial, latency: slow, pages: 4 })
      const store = QuotaStore.make()
      const both = Effect.all(
        ["a", "b"].map((name) =>
          Effect.all(
            Array.from({ length: 5 }, (_, index) => read(`${name}${index}`)),
            { concurrency: "unbounded" }
          ).pipe(Effect.provide(clientOver(api, store)))
        ),
        { concurrency: "unbounded" }
      )
      const { elapsed, exit } = yield* Virtual.timed(both)
      assert.isTrue(Exit.isSuccess(exit))
      assert.strictEqual(yield* api.rejected, 0)
      assert.strictEqual(yield* api.most, 10)
      assert.isAtMost(elapsed, 18_000 * 1.1)
      const order = (yield* api.requests).map((request) => (request.includes("assets=a") ? 1 : -1))
      // One permit a turn, once both are there.
      let lead = 0
      for (const one of order) {
        lead += one
        assert.isAtMost(Math.abs(lead), 6)
      }
    })
  )

  it.effect("a process that begins later knows the plan, and what is left of the window", () =>
    Effect.gen(function* () {
      const api = FakeWindow.make({ policies: [{ limit: 100, window: 20_000 }], plan: "other", latency: () => 10 })
      const store = QuotaStore.make()
      yield* Effect.all(
        Array.from({ length: 15 }, (_, index) => read(`a${index}`)),
        { concurrency: "unbounded" }
      ).pipe(Effect.provide(clientOver(api, store)), Virtual.run)
      const state = yield* Effect.provide(Client.quota, clientOver(api, store))
      assert.deepInclude(state, { plan: "other", limit: 100, remaining: 85, inFlight: 0, waiting: 0, sent: 15 })
    })
  )

  it.effect("a wait that a 429 asked one process for holds for all, and one that is too long fails all", () =>
    Effect.gen(function* () {
      const headers = { ...FakeApi.limits("6000, 6000;w=20", 0, 2, "default"), "retry-after": "900" }
      const api = FakeApi.make([{ status: 429, headers }])
      const store = QuotaStore.make()
      const first = yield* Virtual.run(Effect.flip(Effect.provide(read("a"), clientOver(api, store))))
      assert.deepInclude(first, { _tag: "RateLimited", attempts: 1 } as const)
      const second = yield* Virtual.run(Effect.flip(Effect.provide(read("b"), clientOver(api, store))))
      assert.deepInclude(second, { _tag: "RateLimited", heldBy: "retryAfter", attempts: 0 } as const)
      assert.strictEqual((yield* api.requests).length, 1)
    })
  )

  it.effect(
    "what a process that was killed held comes back when its lease ends, and its places when the last request may have left the window",
    () =>
      Effect.gen(function* () {
        const store = QuotaStore.make()
        // What a killed process leaves: steps, and no more of them.
        const step = { nonce: "n", waited: 0, lease: 6_000, longest: Infinity, probeAfter: Infinity }
        const join = { alone: false, parallel: 10, planned: undefined, policies: [], requests: [] }
        const killed = yield* store.step({ ...step, process: "k", generation: "", want: 10, events: [], join })
        assert.strictEqual(killed.granted.length, 10)
        const { close, quota } = yield* start(store)
        const times: Array<number> = []
        const began = yield* Clock.currentTimeMillis
        const one = Effect.scoped(
          Effect.andThen(
            quota.acquire,
            Effect.map(Clock.currentTimeMillis, (now) => times.push(now - began))
          )
        )
        const fiber = yield* Effect.forkChild(one)
        yield* pass("5900 millis")
        assert.deepStrictEqual(times, [])
        yield* pass("30 seconds", 300)
        yield* Fiber.join(fiber)
        // A request that was sent at the end of the lease may be under way for five seconds.
        assert.isAtLeast(times[0]!, 6_000 + 5_000 + 6_000)
        assert.isAtMost(times[0]!, 6_000 + 5_000 + 6_060 + 300)
        yield* close
      })
  )

  it.effect("interrupted requests leave nothing behind, and the next goes out at once", () =>
    Effect.gen(function* () {
      const store = QuotaStore.make()
      const { close, quota } = yield* start(store, { parallel: 2, plan: "default" })
      const hold = Effect.scoped(Effect.andThen(quota.acquire, Effect.never))
      const holding = yield* Effect.forEach([1, 2], () => Effect.forkChild(hold))
      yield* pass(100, 1)
      const waiting = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(hold))
      yield* pass(100, 1)
      assert.deepInclude(yield* Virtual.run(quota.state), { inFlight: 2, waiting: 3 })
      yield* Fiber.interruptAll(waiting)
      yield* Fiber.interruptAll(holding)
      yield* pass(100, 1)
      assert.deepInclude(yield* Virtual.run(quota.state), { inFlight: 0, waiting: 0, sent: 2 })
      const next = yield* Effect.forkChild(Effect.scoped(quota.acquire))
      yield* pass(0, 1)
      yield* Fiber.join(next)
      yield* close
    })
  )

  it.effect("a process that ends gives everything back at once", () =>
    Effect.gen(function* () {
      const store = QuotaStore.make()
      const first = yield* start(store, { parallel: 1, plan: "default" })
      const second = yield* start(store, { parallel: 1, plan: "default" })
      const holding = yield* Effect.forkChild(Effect.scoped(Effect.andThen(first.quota.acquire, Effect.never)))
      yield* pass(10, 1)
      const next = yield* Effect.forkChild(Effect.scoped(second.quota.acquire))
      yield* pass(10, 1)
      assert.isUndefined(next.pollUnsafe())
      yield* Fiber.interrupt(holding)
      yield* first.close
      yield* pass(0, 1)
      assert.isDefined(next.pollUnsafe())
      yield* second.close
    })
  )

  it.effect("shares permits between lanes, whichever asked first", () =>
    Effect.gen(function* () {
      const store = QuotaStore.make()
      const { close, quota } = yield* start(store, { parallel: 4, plan: "default" })
      const served = new Map<string, number>()
      let nth = 0
      const hold = (name: string) =>
        Effect.scoped(
          Effect.gen(function* () {
            yield* quota.acquire
            yield* Effect.sleep(900 + ((nth++ * 37) % 200))
            served.set(name, (served.get(name) ?? 0) + 1)
          })
        ).pipe(Effect.forever)
      const lane = (name: string, count: number) =>
        Effect.forkChild(
          Effect.provideService(
            Effect.all(
              Array.from({ length: count }, () => hold(name)),
              { concurrency: "unbounded" }
            ),
            Quota.Lane,
            { name }
          )
        )
      const large = yield* lane("large", 20)
      yield* pass("500 millis")
      const small = yield* lane("small", 3)
      yield* pass("1 second")
      served.clear()
      yield* pass("20 seconds", 400)
      // Two of four permits each; first come, first served would give the small one three of 23.
      assert.isAtLeast(served.get("small")!, 34)
      assert.isAtLeast(served.get("large")!, 34)
      yield* Fiber.interruptAll([large, small])
      yield* close
    })
  )
})

describe("SharedQuota, without its store", () => {
  it.effect("fails before the first answer with an error that names the store, whatever is set", () =>
    Effect.gen(function* () {
      const { control, store } = breakable()
      control.isGone = true
      const api = FakeApi.make([])
      const error = yield* Virtual.run(Effect.flip(Effect.provide(read("a"), clientOver(api, store))))
      assert.deepInclude(error, { _tag: "Unavailable", phase: "connect", transient: true } as const)
      assert.include(error.message, "redis://cache.example cannot be used: connection refused")
      assert.deepStrictEqual(yield* api.requests, [])
    })
  )

  it.effect("fails as well where the store has a defect, in place of a wait that never ends", () =>
    Effect.gen(function* () {
      const store: Store = { ...QuotaStore.make(), step: () => Effect.die(new Error("no such table")) }
      const api = FakeApi.make([])
      const error = yield* Virtual.run(Effect.flip(Effect.provide(read("a"), clientOver(api, store))))
      assert.deepInclude(error, { _tag: "Unavailable", transient: false } as const)
      assert.include(error.message, "the quota store memory failed: Error: no such table")
    })
  )

  it.effect("fails where it is set so, lets what runs go on, and is back by itself", () =>
    Effect.gen(function* () {
      const { control, store } = breakable()
      const { close, quota } = yield* start(store, { whenUnavailable: "fail", plan: "default" })
      let isDone = false
      const running = yield* Effect.forkChild(
        Effect.scoped(
          Effect.gen(function* () {
            yield* quota.acquire
            yield* Effect.sleep("5 seconds")
            isDone = true
          })
        )
      )
      yield* pass("1 seconds", 10)
      control.isGone = true
      yield* pass("3 seconds", 30)
      const refused = yield* Effect.forkChild(Effect.flip(Effect.scoped(quota.acquire)))
      yield* pass("1 seconds", 10)
      assert.strictEqual((yield* Fiber.join(refused))._tag, "QuotaStoreUnavailable")
      control.isGone = false
      yield* pass("2 seconds", 20)
      yield* Fiber.join(running)
      assert.isTrue(isDone)
      const next = yield* Effect.forkChild(Effect.scoped(quota.acquire))
      yield* pass("1 seconds", 10)
      yield* Fiber.join(next)
      assert.deepInclude(yield* Virtual.run(quota.state), { inFlight: 0, sent: 2 })
      yield* close
    })
  )

  it.effect("goes on within its part of the window and of the permits, and tells the store what it sent", () =>
    Effect.gen(function* () {
      const { control, store } = breakable()
      const processes = yield* Effect.all([start(store), start(store)])
      const head = {
        status: 200,
        plan: "trial",
        limit: 10,
        policies: [{ limit: 10, window: 6_000 }],
        remaining: undefined,
        reset: undefined,
        retryAfter: undefined
      }
      let sent = 0
      const call = (quota: Quota.Quota["Service"]) =>
        Effect.scoped(
          Effect.gen(function* () {
            const permit = yield* quota.acquire
            sent += 1
            yield* Effect.sleep(100)
            yield* permit.observe(head)
          })
        )
      const loops = yield* Effect.forEach(processes, ({ quota }) =>
        Effect.forkChild(
          Effect.all(
            Array.from({ length: 10 }, () => Effect.forever(call(quota))),
            { concurrency: "unbounded" }
          )
        )
      )
      yield* pass("12 seconds", 120)
      control.isGone = true
      yield* pass("12 seconds", 120)
      sent = 0
      yield* pass("60 seconds", 600)
      // Ten windows of 6 s, less the hundredth and the time of the reply.
      assert.isAtLeast(sent, 90)
      assert.isAtMost(sent, 100)
      control.isGone = false
      yield* pass("1 seconds", 10)
      const { remaining } = yield* Virtual.run(processes[0].quota.state)
      assert.isAtMost(remaining, 5)
      yield* Fiber.interruptAll(loops)
      yield* Effect.all(processes.map(({ close }) => close))
    })
  )

  it.effect("asks the store nothing while nothing is to be done", () =>
    Effect.gen(function* () {
      const { control, store } = breakable()
      const { close, quota } = yield* start(store)
      yield* pass("1 hour", 100)
      assert.strictEqual(control.steps, 0)
      const one = yield* Effect.forkChild(Effect.scoped(quota.acquire))
      yield* pass("10 seconds", 100)
      yield* Fiber.join(one)
      const { steps } = control
      assert.isAtMost(steps, 5)
      yield* pass("1 hour", 100)
      assert.strictEqual(control.steps, steps)
      yield* close
    })
  )
})
