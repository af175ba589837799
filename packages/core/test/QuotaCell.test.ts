import { assert, describe, it } from "@effect/vitest"
import { QuotaStore } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as State from "../src/internal/shared/State.ts"
import * as StoredState from "../src/internal/shared/StoredState.ts"
import * as Transition from "../src/internal/shared/Transition.ts"
import * as Draw from "./Draw.ts"
import * as MemoryCell from "./MemoryCell.ts"
import * as RandomSteps from "./RandomSteps.ts"
import { step } from "./QuotaStep.ts"
import { seeds, times } from "./TestMode.ts"
import * as Virtual from "./Virtual.ts"

const join = { alone: false, parallel: 10, planned: undefined, policies: [], requests: [] }

describe("A quota store over a text", () => {
  it.effect("loses no step of twenty processes that come at once, and permits no more than there are places", () =>
    Effect.gen(function* () {
      const store = QuotaStore.over(MemoryCell.make(Effect.sleep(1)))
      const processes = Array.from({ length: 20 }, (_, index) => ({ ...step, process: `p${index}`, join }))
      const answers = yield* Virtual.run(Effect.all(processes.map(store.step), { concurrency: "unbounded" }))
      const granted = answers.flatMap(({ granted }) => granted)
      assert.lengthOf(new Set(granted), 10)
      const last = yield* Virtual.run(store.step({ ...step, process: "p0", generation: "n", want: 0 }))
      assert.strictEqual(last.processes, 20)
      assert.deepInclude(last.state, { inFlight: 10, sent: 10 })
    })
  )

  it("takes no state for lost that steps have left, whatever processes tell and services answer", () => {
    let granted = 0
    for (const seed of seeds(10, 200)) {
      const random = Draw.from(seed)
      const processes = RandomSteps.make(random)
      let now = 1_700_000_000_000
      let text = ""
      for (let nth = 0; nth < times(100, 600); nth++) {
        now += processes.pause()
        const { learn, step } = processes.next(now)
        const next = Transition.advance(StoredState.read(text, step.lease), step, now - processes.lag())
        text = StoredState.write(next.state)
        assert.strictEqual(next.answer.generation, "n0", `seed ${seed}, step ${nth}: ${JSON.stringify(step)}`)
        granted += next.answer.granted.length
        learn(next.answer)
      }
    }
    assert.isAbove(granted, 100)
  })

  it.effect("counts once what a process has sent without it, however often the process joins", () =>
    Effect.gen(function* () {
      const store = QuotaStore.over(MemoryCell.make())
      const requests = [1, 2, 3].map((nth) => ({ id: `elsewhere-${nth}`, nth, age: 0, held: false }))
      const joining = { ...step, want: 0, join: { ...join, requests } }
      yield* store.step(joining)
      const again = yield* store.step(joining)
      assert.strictEqual(again.state.remaining, 7)
    })
  )

  it.effect("notes no reply as earlier than it was, however late the answers of the store are", () =>
    Effect.gen(function* () {
      const cell = MemoryCell.make()
      const late = {
        ...cell,
        exchange: (next?: QuotaStore.Next) => Effect.tap(cell.exchange(next), Effect.sleep(1_500))
      }
      const store = QuotaStore.over(late)
      const { granted } = yield* Virtual.run(store.step({ ...step, join }))
      yield* TestClock.adjust("1 minute")
      const end = { type: "end", id: granted[0] ?? "" } as const
      const now = yield* Clock.currentTimeMillis
      yield* Effect.forkChild(store.step({ ...step, generation: "n", want: 0, events: [end] }))
      yield* TestClock.adjust("10 seconds")
      const { text } = yield* cell.exchange()
      assert.isAtLeast(StoredState.read(text, 6_000)?.replies.times.at(-1) ?? 0, now)
    })
  )

  it.effect("gives up in words when other processes are always faster", () =>
    Effect.gen(function* () {
      const cell = MemoryCell.make()
      const store = QuotaStore.over({ ...cell, exchange: () => cell.exchange() })
      const error = yield* Virtual.run(Effect.flip(store.step({ ...step, join })))
      assert.isTrue(error.transient)
      assert.include(error.message, "the quota store memory cannot be used: other processes were faster 50 times")
    })
  )

  it.effect("keeps a log of a hundred thousand replies in some kilobytes, and frees no place too early", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 day")
      const now = 86_400_000
      const state = State.make("n", now)
      const count = 100_000
      for (let nth = 1; nth <= count; nth++) {
        state.replies.times.push(now - (count - nth) * 50)
        state.replies.totals.push(nth)
      }
      const text = StoredState.write(state)
      assert.isBelow(text.length, 30_000)
      const { replies } = StoredState.read(text, 6_000) ?? state
      const { times: kept, totals } = replies
      assert.strictEqual(totals.at(-1), count)
      assert.strictEqual(kept.at(-1), now)
      for (let at = 1; at < kept.length; at++) {
        const [from, to] = [state.replies.times[totals[at - 1]! + 1]!, state.replies.times[totals[at]!]!]
        assert.isAtLeast(kept[at]!, to)
        assert.isAtMost(kept[at]! - from, (now - from) / 64)
      }
    })
  )

  it("keeps what it reads, however often and whenever it is written again", () => {
    let now = 1_700_000_000_000
    let state = State.make("n", now)
    const exact: Array<number> = []
    for (let nth = 1; nth <= times(1_000, 20_000); nth++) {
      now += (nth * 7_919) % 40
      state.now = now
      state.replies.times.push(now)
      state.replies.totals.push(nth)
      exact.push(now)
      state = StoredState.read(StoredState.write(state), 6_000) ?? State.make("lost", now)
    }
    const { times: kept, totals } = state.replies
    assert.strictEqual(totals.at(-1), exact.length)
    for (let at = 1; at < kept.length; at++) {
      const oldest = exact[totals[at - 1]!]!
      assert.isAtLeast(kept[at]!, exact[totals[at]! - 1]!)
      assert.isAtMost(kept[at]! - oldest, Math.max(1, (now - oldest) / 64))
    }
  })
})
