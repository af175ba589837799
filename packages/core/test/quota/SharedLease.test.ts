import { assert, describe, it } from "@effect/vitest"
import { QuotaStore, SharedQuota } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as QuotaStep from "./QuotaStep.ts"
import * as Ledger from "../../src/internal/shared/Ledger.ts"
import * as Virtual from "../Virtual.ts"

type Store = QuotaStore.QuotaStore["Service"]

/** A quota in a scope of its own, over a store that does something else for one of its steps. */
const start = Effect.fnUntraced(function* (inner: Store, instead: (nth: number, step: QuotaStore.Step) => Instead) {
  const steps: Array<QuotaStore.Step> = []
  const granted: Array<string> = []
  const store: Store = {
    ...inner,
    step: (step) =>
      Effect.suspend(() => {
        steps.push(step)
        return instead(steps.length, step) ?? inner.step(step)
      }).pipe(Effect.tap((answer) => Effect.sync(() => granted.push(...answer.granted))))
  }
  const scope = yield* Scope.make()
  const quota = yield* SharedQuota.make({ plan: "trial" }).pipe(
    Effect.provideService(QuotaStore.QuotaStore, store),
    Scope.provide(scope)
  )
  return { quota, steps, granted, close: Scope.close(scope, Exit.void) }
})

type Instead = Effect.Effect<QuotaStore.Answer, QuotaStore.QuotaStoreUnavailable> | undefined

const lost = new QuotaStore.QuotaStoreUnavailable({ place: "memory", reason: "no answer", transient: true })

/** The same state, second after second. */
const lasting = (seconds: number, state: readonly [inFlight: number, remaining: number]) =>
  Array.from({ length: seconds }, () => state)

describe("A process that shares a quota", () => {
  it("forgets requests that are over for long, also those behind one that goes on for hours", () => {
    const ledger = Ledger.make()
    ledger.send("long")
    for (let nth = 1; nth <= 10_000; nth++) {
      ledger.send(`${nth}`)
      ledger.end(`${nth}`, nth * 1_000)
      ledger.forget(nth * 1_000, [])
    }
    // The long one, and those of two windows.
    assert.lengthOf(ledger.list(10_000_000, []), 1 + 40)
  })

  it.effect("leaves no places taken by permits that it has not learned of when it was killed", () =>
    Effect.gen(function* () {
      const store = QuotaStore.make()
      const join = { alone: false, parallel: 10, requests: [], policies: [] }
      const { granted } = yield* store.step({ ...QuotaStep.step, want: 10, join })
      yield* store.step({ ...QuotaStep.step, process: "killed", want: 4, join })
      const known = { ...QuotaStep.step, generation: "n", want: 0 }
      yield* store.step({ ...known, events: granted.map((id) => ({ type: "end", id }) as const) })
      yield* TestClock.adjust("4 seconds")
      yield* store.step({ ...QuotaStep.step, process: "killed", generation: "n", want: 4 })
      yield* TestClock.adjust("2100 millis")
      assert.deepInclude((yield* store.step({ ...known, join })).state, { inFlight: 4, remaining: 6 })
      yield* TestClock.adjust("4 seconds")
      assert.deepInclude((yield* store.step(known)).state, { inFlight: 0, remaining: 10 })
    })
  )

  it.effect(
    "may have sent with permits of an answer that was lost before it was killed, so its requests arrive and a window passes",
    () =>
      Effect.gen(function* () {
        const store = QuotaStore.make()
        const join = { alone: false, parallel: 10, requests: [], policies: [] }
        assert.lengthOf((yield* store.step({ ...QuotaStep.step, process: "killed", want: 4, join })).granted, 4)
        const states: Array<readonly [number, number | undefined]> = []
        let step: QuotaStore.Step = { ...QuotaStep.step, want: 0, join }
        for (let seconds = 0; seconds < 20; seconds++) {
          const { state } = yield* store.step(step)
          states.push([state.inFlight, state.remaining])
          step = { ...QuotaStep.step, generation: "n", want: 0 }
          yield* TestClock.adjust("1 second")
        }
        assert.deepStrictEqual(states, [...lasting(6, [4, 6]), ...lasting(12, [0, 6]), ...lasting(2, [0, 10])])
      })
  )

  it.effect("sends nothing with permits that it learns of after its lease, since others may have them", () =>
    Effect.gen(function* () {
      const inner = QuotaStore.make()
      // It stands still while the first answer comes.
      const late = yield* start(inner, (nth, step) =>
        nth === 1 ? inner.step(step).pipe(Effect.tap(Effect.sleep("13 seconds"))) : undefined
      )
      const other = yield* start(inner, () => undefined)
      const sent: Array<number> = []
      const began = yield* Clock.currentTimeMillis
      const send = (quota: typeof other.quota) =>
        Effect.scoped(
          Effect.andThen(
            quota.acquire,
            Effect.map(Clock.currentTimeMillis, (now) => sent.push(now - began))
          )
        )
      const ten = Effect.all(
        Array.from({ length: 10 }, () => send(other.quota)),
        { concurrency: "unbounded" }
      )
      const others = Effect.andThen(Effect.delay(send(other.quota), "6200 millis"), Effect.delay(ten, "6300 millis"))
      yield* Virtual.run(Effect.all([send(late.quota), others], { concurrency: "unbounded" }))
      // At 6.2 s its place is still taken, and at 12.5 s the others have all ten.
      const times = sent.toSorted((a, b) => a - b)
      assert.isAtLeast(times[11]! - times[1]!, 6_000)
      assert.lengthOf(late.granted, 2)
      yield* Effect.all([late.close, other.close])
    })
  )

  it.effect(
    "tries a step again before it goes on without the store, and leaks no permit of the step that was lost",
    () =>
      Effect.gen(function* () {
        const inner = QuotaStore.make()
        const { close, granted, quota, steps } = yield* start(inner, (nth, step) =>
          nth === 2 ? Effect.andThen(inner.step(step), lost) : undefined
        )
        const began = yield* Clock.currentTimeMillis
        const waited = yield* Virtual.run(
          Effect.gen(function* () {
            yield* Effect.scoped(quota.acquire)
            yield* Effect.sleep("100 millis")
            yield* Effect.scoped(quota.acquire)
            return (yield* Clock.currentTimeMillis) - began
          })
        )
        assert.isBelow(waited, 1_000)
        const { inFlight, shared } = yield* Virtual.run(quota.state)
        assert.deepInclude(shared, { isReached: true, processes: 1 })
        assert.strictEqual(inFlight, 0)
        assert.isDefined(steps[2]?.join)
        assert.isFalse(steps.some(({ join }) => join?.alone === true))
        assert.lengthOf(granted, 2)
        yield* close
      })
  )
})
