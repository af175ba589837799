import { assert, describe, it } from "@effect/vitest"
import { Client, type Quota, ReferenceData } from "@sluice/core"
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as FakeApi from "../FakeApi.ts"
import * as FakeWindow from "./FakeWindow.ts"
import * as Virtual from "../Virtual.ts"

const read = Stream.runDrain(ReferenceData.assets())

const fork = Effect.forkChild({ startImmediately: true })

const pick = ({ inFlight, waiting, sent, rejected }: Quota.State) => ({ inFlight, waiting, sent, rejected })

describe("Quota state", () => {
  it.effect("assumes the strictest plan before the first reply", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Client.quota, {
        plan: undefined,
        limit: 10,
        window: Duration.seconds(6),
        remaining: 10,
        reset: Duration.zero,
        inFlight: 0,
        waiting: 0,
        sent: 0,
        rejected: 0
      })
    }).pipe(Effect.provide(FakeApi.make([]).layer()))
  )

  it.effect("assumes the plan it is told", () =>
    Effect.gen(function* () {
      const state = yield* Client.quota
      assert.deepInclude(state, { plan: "download", limit: 6_000, remaining: 6_000 })
    }).pipe(Effect.provide(FakeApi.make([]).layer({ plan: "download" })))
  )

  it.effect("tells plan, limit, remaining and the time to wait as replies arrive and windows pass", () =>
    Effect.gen(function* () {
      const api = FakeWindow.make(FakeWindow.trial)
      yield* Effect.gen(function* () {
        yield* Effect.all(Arr.replicate(read, 3))
        const three = yield* Client.quota
        assert.deepInclude(three, { plan: "trial", limit: 10, remaining: 7, sent: 3, rejected: 0, inFlight: 0 })
        assert.deepStrictEqual(three.reset, Duration.zero)
        assert.deepStrictEqual(three.window, Duration.seconds(6))
        yield* Effect.all(Arr.replicate(read, 7))
        const full = yield* Client.quota
        assert.strictEqual(full.remaining, 0)
        assert.isAtLeast(Duration.toMillis(full.reset), 6_000)
        assert.isAtMost(Duration.toMillis(full.reset), 6_100)
        yield* TestClock.adjust("7 seconds")
        const later = yield* Client.quota
        assert.strictEqual(later.remaining, 10)
        assert.deepStrictEqual(later.reset, Duration.zero)
      }).pipe(Effect.provide(api.layer()))
    })
  )

  it.effect("counts requests in flight and waiting, and 429s", () =>
    Effect.gen(function* () {
      const api = FakeApi.serve(() => Effect.as(Effect.sleep("1 second"), FakeApi.assets([])))
      yield* Effect.gen(function* () {
        yield* fork(Effect.all(Arr.replicate(read, 13), { concurrency: "unbounded" }))
        yield* TestClock.adjust(0)
        assert.deepStrictEqual(pick(yield* Client.quota), { inFlight: 10, waiting: 3, sent: 10, rejected: 0 })
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(pick(yield* Client.quota), { inFlight: 0, waiting: 0, sent: 13, rejected: 0 })
      }).pipe(Effect.provide(api.layer()))
    })
  )

  it.effect("tells its changes: the state now, and after every one", () =>
    Effect.gen(function* () {
      const rejecting = { status: 429, headers: FakeApi.limits("10, 10;w=6", 0, 3, "trial") }
      const api = FakeApi.make([rejecting, FakeApi.assets([])])
      yield* Effect.gen(function* () {
        const seen: Array<Quota.State> = []
        const watcher = yield* fork(
          Stream.runForEach(Client.quotaChanges, (state) => Effect.sync(() => seen.push(state)))
        )
        yield* TestClock.adjust(0)
        assert.strictEqual(seen.length, 1)
        assert.deepInclude(seen[0], { plan: undefined, sent: 0 })
        yield* fork(read)
        yield* TestClock.adjust(0)
        const rejected = seen.find((state) => state.rejected === 1)
        assert.deepInclude(rejected, { plan: "trial", remaining: 0 })
        assert.isAtLeast(Duration.toMillis(rejected?.reset ?? 0), 3_000)
        yield* TestClock.adjust("10 seconds")
        assert.deepInclude(seen.at(-1), { sent: 2, rejected: 1, inFlight: 0, waiting: 0 })
        assert.isTrue(seen.some(({ inFlight }) => inFlight === 1))
        yield* Fiber.interrupt(watcher)
      }).pipe(Effect.provide(api.layer()))
    })
  )
})

describe("Quota, interrupted", () => {
  it.effect("gives the place of a waiting request back: 50 interrupted, none left, and the next goes out in time", () =>
    Effect.gen(function* () {
      const api = FakeWindow.make(FakeWindow.trial)
      yield* Effect.gen(function* () {
        yield* Effect.all(Arr.replicate(read, 10), { concurrency: "unbounded" })
        const waiting = yield* Effect.forEach(Arr.replicate(read, 50), fork)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(pick(yield* Client.quota), { inFlight: 0, waiting: 50, sent: 10, rejected: 0 })
        yield* Fiber.interruptAll(waiting)
        assert.deepStrictEqual(pick(yield* Client.quota), { inFlight: 0, waiting: 0, sent: 10, rejected: 0 })
        const next = yield* fork(Effect.all(Arr.replicate(read, 10), { concurrency: "unbounded" }))
        yield* TestClock.adjust("5200 millis")
        assert.isDefined(next.pollUnsafe())
        assert.deepStrictEqual(pick(yield* Client.quota), { inFlight: 0, waiting: 0, sent: 20, rejected: 0 })
      }).pipe(Effect.provide(api.layer()))
      assert.strictEqual(yield* api.rejected, 0)
    })
  )

  it.effect("gives the place of a request in flight back, before its reply and inside its body", () =>
    Effect.gen(function* () {
      let nth = 0
      const api = FakeApi.serve(() => {
        nth += 1
        if (nth > 50) return Effect.succeed(FakeApi.assets([]))
        return nth % 2 === 0 ? Effect.never : Effect.succeed({ body: ['{"data":[', Effect.never] })
      })
      yield* Effect.gen(function* () {
        for (let round = 0; round < 5; round++) {
          const running = yield* Effect.forEach(Arr.replicate(read, 10), fork)
          yield* TestClock.adjust("1 second")
          assert.strictEqual((yield* Client.quota).inFlight, 10)
          yield* Fiber.interruptAll(running)
          assert.deepInclude(pick(yield* Client.quota), { inFlight: 0, waiting: 0 })
        }
        assert.strictEqual(yield* api.open, 0)
        yield* Virtual.run(Effect.all(Arr.replicate(read, 30), { concurrency: "unbounded" }), "1 minute")
        assert.deepStrictEqual(pick(yield* Client.quota), { inFlight: 0, waiting: 0, sent: 80, rejected: 0 })
      }).pipe(Effect.provide(api.layer({ plan: "default" })))
    })
  )

  it.effect("an interrupted first in the queue does not hold up those behind it", () =>
    Effect.gen(function* () {
      const api = FakeWindow.make(FakeWindow.trial)
      yield* Effect.gen(function* () {
        yield* Effect.all(Arr.replicate(read, 10), { concurrency: "unbounded" })
        const first = yield* fork(read)
        const second = yield* fork(read)
        yield* TestClock.adjust("3 seconds")
        yield* Fiber.interrupt(first)
        yield* TestClock.adjust("3100 millis")
        assert.isDefined(second.pollUnsafe())
      }).pipe(Effect.provide(api.layer()))
      assert.strictEqual(yield* api.rejected, 0)
    })
  )
})
