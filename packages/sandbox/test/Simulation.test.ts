import { assert, describe, it } from "@effect/vitest"
import { Simulation } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Ref from "effect/Ref"
import * as Semaphore from "effect/Semaphore"

const increment = (count: Ref.Ref<number>) => Effect.flatMap(Ref.get(count), (now) => Ref.set(count, now + 1))

const both = (first: Semaphore.Semaphore, second: Semaphore.Semaphore) =>
  first.withPermits(1)(second.withPermits(1)(Effect.void))

class Http extends Context.Service<Http, HttpClient.HttpClient>()("test/Http") {}

/** Two fibers that add one each, and what is there afterwards has to be two. */
const counting = (around: (one: Effect.Effect<void>) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const count = yield* Ref.make(0)
    const add = around(increment(count))
    yield* Effect.all([add, add], { concurrency: 2 })
    assert.strictEqual(yield* Ref.get(count), 2)
  })

const unguarded = counting((one) => one)

const guarded = Effect.flatMap(Semaphore.make(1), (lock) => counting(lock.withPermits(1)))

describe("Simulation", () => {
  it.live("finds an update that is lost between two fibers, and passes where a lock keeps it", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Simulation.check(unguarded))
      assert.match(error.reason, /expected 1 to equal 2/)
      assert.strictEqual((yield* Simulation.check(guarded)).seeds, 200)
    })
  )

  it.live("fails again with the choices of its message, and in no other way with none of them", () =>
    Effect.gen(function* () {
      const { choices, seed } = yield* Effect.flip(Simulation.check(unguarded))
      assert.isAtMost(choices.split(" ").length, 2)
      const again = yield* Effect.flip(Simulation.check(unguarded, { from: seed, choices }))
      assert.strictEqual(again.choices, choices)
      yield* Simulation.check(unguarded, { from: seed, choices: "none" })
    })
  )

  it.live("has equal choices under equal seeds, and others under others", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const program = Effect.gen(function* () {
        const told: Array<number> = []
        const tell = (n: number) =>
          Effect.forEach([1, 2, 3], () =>
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => told.push(n))
            )
          )
        yield* Effect.forEach([1, 2, 3, 4], tell, { concurrency: "unbounded" })
        seen.push(`${told.join("")} ${yield* Random.nextInt}`)
      })
      yield* Simulation.check(program, { seeds: 60 })
      yield* Simulation.check(program, { seeds: 60 })
      assert.deepStrictEqual(seen.slice(60), seen.slice(0, 60))
      assert.isAbove(new Set(seen.map((text) => text.split(" ")[0])).size, 20)
    })
  )

  it.live("passes hours in no time, and wakes in the order of the instants", () =>
    Effect.gen(function* () {
      const program = Effect.gen(function* () {
        const began = yield* Clock.currentTimeMillis
        const woken: Array<number> = []
        const wait = (hours: number) =>
          Effect.delay(
            Effect.sync(() => woken.push(hours)),
            `${hours} hours`
          )
        yield* Effect.forEach([5, 1, 3], wait, { concurrency: "unbounded" })
        assert.deepStrictEqual(woken, [1, 3, 5])
        assert.strictEqual((yield* Clock.currentTimeMillis) - began, 5 * 3_600_000)
        assert.strictEqual(began, Date.UTC(2027, 0, 1))
      })
      yield* Simulation.check(program, { seeds: 30, start: "2027-01-01" })
    })
  )

  it.live("names a program that is stuck, one that does not end, and one that never waits", () =>
    Effect.gen(function* () {
      const locks = Effect.all([Semaphore.make(1), Semaphore.make(1)])
      const crossed = Effect.flatMap(locks, ([one, other]) =>
        Effect.all([both(one, other), both(other, one)], { concurrency: 2 })
      )
      assert.match((yield* Effect.flip(Simulation.check(crossed, { shrink: 20 }))).reason, /is stuck/)
      const waiting = Effect.forever(Effect.sleep("1 hour"))
      assert.match(
        (yield* Effect.flip(Simulation.check(waiting, { within: "1 day" }))).reason,
        /within 1d of its clock/
      )
      const spinning = Effect.forever(Effect.yieldNow)
      const options = { turns: 1_000, shrink: 0 }
      assert.match((yield* Effect.flip(Simulation.check(spinning, options))).reason, /1000 turns/)
    })
  )

  it.live("says that a program fails in every order", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Simulation.check(Effect.fail("as always")))
      assert.strictEqual(error.choices, "")
      assert.match(error.message, /^seed 1 failed after 0 that passed: Error: as always[^]*It fails in every order\.$/)
      assert.strictEqual(error.cause, "as always")
    })
  )

  it.live("gives a program choices of its own", () =>
    Effect.gen(function* () {
      const chosen = new Set<number>()
      yield* Simulation.check(
        Effect.map(Simulation.below(5), (n) => chosen.add(n)),
        { seeds: 100 }
      )
      assert.deepStrictEqual([...chosen].toSorted(), [0, 1, 2, 3, 4])
      assert.strictEqual(yield* Simulation.below(5), 0)
    })
  )

  it.live("interrupts a run with whoever asked for it", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const released: Array<string> = []
      const program = Effect.onInterrupt(
        Effect.andThen(Deferred.succeed(begun, undefined), Effect.forever(Effect.sleep("1 millis"))),
        () =>
          Effect.delay(
            Effect.sync(() => released.push("closed")),
            "1 second"
          )
      )
      const fiber = yield* Effect.forkChild(Simulation.check(program, { within: "10000 days" }))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(released, ["closed"])
    })
  )

  it.live("gives requests faults, in some runs and not in others", () =>
    Effect.gen(function* () {
      const statuses: Array<number> = []
      const program = Effect.gen(function* () {
        const http = yield* Http
        const { status } = yield* http.get("https://sandbox.invalid/v4/reference-data/assets?api_key=demo-key")
        statuses.push(status)
      })
      const layer = Simulation.layerClient(() => Layer.effect(Http, HttpClient.HttpClient), {
        faults: ["status=503", "status=500"],
        percent: 50
      })
      yield* Simulation.check(Effect.provide(program, layer), { seeds: 60 })
      assert.deepStrictEqual([...new Set(statuses)].toSorted(), [200, 500, 503])
    })
  )
})
