import { assert, describe, it } from "@effect/vitest"
import { QuotaStore } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { State } from "../../src/internal/shared/State.ts"
import * as Transition from "../../src/internal/shared/Transition.ts"

/** A store whose clock is told at each step; gives its own time after the step. */
const make = () => {
  let state: State | undefined
  return (clock: number, step: QuotaStore.Step) => {
    const next = Transition.advance(state, step, clock)
    state = next.state
    return { time: state.now, answer: next.answer }
  }
}

const step: QuotaStore.Step = {
  process: "p",
  generation: "n",
  nonce: "n",
  want: 0,
  waited: 0,
  events: [],
  lease: 10_000_000,
  longest: Infinity,
  probeAfter: Infinity
}

const join: QuotaStore.Step = {
  ...step,
  generation: "",
  join: { alone: false, parallel: 10, planned: undefined, policies: [], requests: [] }
}

const began = 1_700_000_000_000

describe("The time of a store", () => {
  it("is the newest reading, however many come a little out of order, as those of processes that wait for a lock", () => {
    const advance = make()
    advance(began, join)
    let newest = began
    for (let nth = 0; nth < 10_000; nth++) {
      const reading = began + nth * 2 - ((nth * 7_919) % 50)
      newest = Math.max(newest, reading)
      assert.strictEqual(advance(reading, step).time, newest)
    }
  })

  it("goes on from where it was when the clock is set back", () => {
    const advance = make()
    advance(began, join)
    assert.strictEqual(advance(began - 3_600_000, step).time, began)
    assert.strictEqual(advance(began - 3_600_000 + 5_000, step).time, began + 5_000)
    assert.strictEqual(advance(began - 3_600_000 + 9_000, step).time, began + 9_000)
  })

  it("does not jump with the clock of a process that knows better, in either direction", () => {
    const advance = make()
    const other = { ...join, process: "q" }
    advance(began, join)
    advance(began, other)
    let time = began
    for (let nth = 1; nth <= 100; nth++) {
      const before = { count: nth, now: time + 50 }
      const wrong = nth < 50 ? 7_200_000 : -7_200_000
      advance(began + nth * 100 + wrong, { ...step, before })
      time = advance(began + nth * 100 + 50, { ...other, generation: "n", join: undefined, before }).time
      assert.isAtMost(time, began + nth * 100 + 50)
      assert.isAtLeast(time, began + nth * 50)
    }
  })

  it.each([500, 2_000, 20_000, 7_200_000])("does not run ahead where clocks of processes differ by %i ms", (apart) => {
    const advance = make()
    advance(began, join)
    advance(began, { ...join, process: "q" })
    let time = began
    for (let nth = 1; nth <= 100; nth++) {
      const now = began + nth * 100
      const told = { ...step, before: { count: nth, now: time + 100 } }
      advance(now + apart, told)
      time = advance(now, { ...told, process: "q" }).time
      assert.isAtMost(time, now + 3_000)
      assert.isAtLeast(time, now - 100)
    }
  })

  it("does not go forward with a clock that is set, by more than a process may have waited", () => {
    const advance = make()
    advance(began, join)
    const { time } = advance(began + 30_100, { ...step, before: { count: 1, now: began + 100 } })
    assert.strictEqual(time, began + 100)
    assert.strictEqual(advance(began + 30_200, { ...step, before: { count: 2, now: began + 200 } }).time, began + 200)
  })

  it.effect("does not follow a wall clock within one process", () =>
    Effect.gen(function* () {
      const store = QuotaStore.make()
      const { granted } = yield* store.step({ ...join, want: 1 })
      yield* store.step({ ...step, events: [{ type: "end", id: granted[0]! }] })
      const clock = yield* Clock.Clock
      const set = {
        ...clock,
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + 3_600_000),
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + 3_600_000
      }
      const later = yield* Effect.provideService(store.step(step), Clock.Clock, set)
      assert.strictEqual(later.state.remaining, 9)
    })
  )

  it("stands still while the clock is a little behind, so that no place is free too early", () => {
    const advance = make()
    const { granted } = advance(began, { ...join, want: 1 }).answer
    assert.lengthOf(granted, 1)
    // The clock is set back by half a second ten times; a window of 6 s has not passed before 6 s of it have.
    advance(began, { ...step, events: [{ type: "end", id: granted[0]! }] })
    for (let nth = 0; nth < 10; nth++) {
      advance(began + 500, step)
      advance(began, step)
    }
    assert.strictEqual(advance(began + 6_000, step).answer.state.remaining, 9)
    assert.strictEqual(advance(began + 6_061, step).answer.state.remaining, 10)
  })
})
