import { assert, describe, it } from "@effect/vitest"
import type { QuotaStore } from "@sluice/core"
import type { State } from "../src/internal/shared/State.ts"
import * as Transition from "../src/internal/shared/Transition.ts"

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
    for (let nth = 1; nth <= 100; nth++) {
      const before = { count: nth, age: 100 }
      const wrong = nth < 50 ? 7_200_000 : -7_200_000
      advance(began + nth * 100 + wrong, { ...step, before })
      const { time } = advance(began + nth * 100 + 50, { ...other, generation: "n", join: undefined, before })
      assert.isAtMost(time, began + nth * 100 + 50)
      assert.isAtLeast(time, began + nth * 50)
    }
  })

  it("stands still while the clock is behind by less than a second, so that no place is free too early", () => {
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
