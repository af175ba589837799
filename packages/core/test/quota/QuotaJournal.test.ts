import { assert, describe, it } from "@effect/vitest"
import { QuotaStore, SharedQuota } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as State from "../../src/internal/shared/State.ts"
import * as StoredStep from "../../src/internal/shared/StoredStep.ts"
import * as StoredState from "../../src/internal/shared/StoredState.ts"
import * as Transition from "../../src/internal/shared/Transition.ts"
import { createHash } from "node:crypto"
import * as Draw from "../Draw.ts"
import * as MemoryJournal from "./MemoryJournal.ts"
import * as RandomSteps from "./RandomSteps.ts"
import { step } from "./QuotaStep.ts"
import { seeds, times } from "../TestMode.ts"
import * as Virtual from "../Virtual.ts"

const join = { alone: false, parallel: 10, planned: undefined, policies: [], requests: [] }

describe("A quota store over a journal", () => {
  it.effect("loses no step of twenty processes that come at once, and permits no more than there are places", () =>
    Effect.gen(function* () {
      const store = QuotaStore.over(MemoryJournal.make(Effect.sleep(1)))
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
        const next = Transition.advance(StoredState.read(text), step, now - processes.lag())
        text = StoredState.write(next.state)
        assert.strictEqual(next.answer.generation, "n0", `seed ${seed}, step ${nth}: ${JSON.stringify(step)}`)
        granted += next.answer.granted.length
        learn(next.answer)
      }
    }
    assert.isAbove(granted, 100)
  })

  it("tells that the rule or its texts are others, so that the next release has another version", () => {
    const digest = createHash("sha256")
    for (let seed = 1; seed <= 12; seed++) {
      const random = Draw.from(seed)
      const processes = RandomSteps.make(random)
      let now = 1_700_000_000_000
      let state: State.State | undefined
      for (let nth = 0; nth < 200; nth++) {
        now += processes.pause()
        const { learn, step } = processes.next(now)
        const next = Transition.advance(state, StoredStep.read(StoredStep.write(step)) ?? step, now)
        state = next.state
        learn(next.answer)
      }
      if (state !== undefined) digest.update(StoredState.write(state))
    }
    // Where the digest is another because of more than the random steps, raise the version if there was a release with the last one.
    assert.deepStrictEqual([QuotaStore.version, digest.digest("hex").slice(0, 16)], [1, "07f8579dd2360df6"])
  })

  it("reads again what it has after a process told of requests older than all that others have sent lately", () => {
    const policies = [{ limit: 10, window: 6_000 }]
    let now = 1_700_000_000_000
    let { answer, state } = Transition.advance(undefined, { ...step, join: { ...join, policies, requests: [] } }, now)
    for (let seconds = 0; seconds < 80; seconds++) {
      const events = answer.granted.map((id) => ({ type: "end", id }) as const)
      now += 1_000
      ;({ answer, state } = Transition.advance(state, { ...step, generation: answer.generation, events }, now))
    }
    const requests = [30_000, 20_000].map((age, nth) => ({ id: `alone-${nth}`, nth: nth + 1, age, held: false }))
    const back = { ...step, process: "back", want: 0, join: { ...join, policies, requests } }
    const next = Transition.advance(state, back, now)
    assert.deepStrictEqual(
      next.state.replies.totals,
      next.state.replies.totals.toSorted((a, b) => a - b)
    )
    assert.isDefined(StoredState.read(StoredState.write(next.state)))
  })

  it.effect("counts once what a process has sent without it, however often the process joins", () =>
    Effect.gen(function* () {
      const store = QuotaStore.over(MemoryJournal.make())
      const requests = [1, 2, 3].map((nth) => ({ id: `elsewhere-${nth}`, nth, age: 0, held: false }))
      const joining = { ...step, want: 0, join: { ...join, requests } }
      yield* store.step(joining)
      const again = yield* store.step(joining)
      assert.strictEqual(again.state.remaining, 7)
    })
  )

  it.effect("grants nothing to a step that another of its process has overtaken, and forgets nothing for it", () =>
    Effect.gen(function* () {
      const store = QuotaStore.over(MemoryJournal.make())
      const joining = { ...step, join: { ...join, requests: [] } }
      const { generation, granted } = yield* store.step({ ...joining, nth: 2 })
      assert.lengthOf(granted, 1)
      for (const late of [joining, { ...step, generation }]) {
        const { granted, isUnknown, state } = yield* store.step({ ...late, nth: 1 })
        assert.deepStrictEqual([granted, isUnknown, state.inFlight], [[], true, 1])
      }
    })
  )

  it.effect("makes one step for each exchange, however many processes come at once from however far", () =>
    Effect.gen(function* () {
      const journal = MemoryJournal.make(Effect.sleep(20))
      let exchanges = 0
      const counted: QuotaStore.Journal = {
        ...journal,
        append: (next) => Effect.suspend(() => (exchanges++, journal.append(next)))
      }
      const joins = Array.from({ length: 50 }, (_, index) =>
        QuotaStore.over(counted).step({ ...step, process: `p${index}`, join })
      )
      const { elapsed, exit } = yield* Virtual.timed(Effect.all(joins, { concurrency: "unbounded" }))
      assert.isTrue(exit._tag === "Success")
      assert.strictEqual(exchanges, 50)
      assert.strictEqual(elapsed, 40)
    })
  )

  it.effect("comes to the same answers in all processes, whenever a new base is written", () =>
    Effect.gen(function* () {
      for (const seed of seeds(4, 40)) {
        const random = Draw.from(seed)
        const processes = RandomSteps.make(random)
        const journal = MemoryJournal.make()
        const whole = MemoryJournal.make()
        const stores = new Map<string, QuotaStore.QuotaStore["Service"]>()
        // Follows the same steps, and never begins with a base.
        const follower = QuotaStore.over({ ...whole, append: (next) => whole.append({ ...next, base: undefined }) })
        const bases = new Set<string>()
        for (let nth = 0; nth < times(600, 2_000); nth++) {
          yield* TestClock.adjust(processes.pause())
          const { learn, step } = processes.next(yield* Clock.currentTimeMillis)
          // Some have just come.
          const store = random.chance(0.1)
            ? QuotaStore.over(journal)
            : (stores.get(step.process) ?? QuotaStore.over(journal))
          stores.set(step.process, store)
          const answer = yield* store.step(step)
          assert.deepStrictEqual(answer, yield* follower.step(step), `seed ${seed}, step ${nth}`)
          bases.add(journal.kept.base)
          learn(answer)
        }
        assert.isAbove(bases.size, 1, `seed ${seed}`)
      }
    })
  )

  it.effect("reads all again where the journal has lost its newest entries and others have been added", () =>
    Effect.gen(function* () {
      const journal = MemoryJournal.make()
      const [first, second] = [QuotaStore.over(journal), QuotaStore.over(journal)]
      yield* second.step({ ...step, process: "q", join })
      const { entries } = journal.kept
      const before = [...entries]
      yield* first.step({ ...step, want: 9, join })
      entries.splice(0, entries.length, ...before)
      yield* TestClock.adjust(1)
      yield* second.step({ ...step, process: "q", generation: "n", want: 2 })
      const answer = yield* first.step({ ...step, want: 3, join })
      assert.deepInclude(answer.state, { inFlight: 6, sent: 6 })
    })
  )

  it.effect("asks all processes what they have sent where the journal has lost steps of one", () =>
    Effect.gen(function* () {
      const journal = MemoryJournal.make()
      const [first, second] = [QuotaStore.over(journal), QuotaStore.over(journal)]
      yield* second.step({ ...step, process: "q", join })
      yield* first.step({ ...step, want: 9, join })
      const { entries } = journal.kept
      const before = [...entries]
      const known = { ...step, generation: "n", nonce: "again", want: 0 }
      yield* first.step({ ...known, before: { count: 1, now: 1 } })
      entries.splice(0, entries.length, ...before)
      yield* TestClock.adjust(1)
      assert.isFalse((yield* second.step({ ...known, process: "q", before: { count: 1, now: 1 } })).isUnknown)
      assert.isTrue((yield* first.step({ ...known, before: { count: 2, now: 1 } })).isUnknown)
      assert.isTrue((yield* second.step({ ...known, process: "q", before: { count: 2, now: 1 } })).isUnknown)
    })
  )

  it.effect.each([
    { when: "before it was granted anything", wants: [0, 3] },
    { when: "before it joined", wants: [3] }
  ])("counts what a process has sent where the journal was put back to a time $when, and it joins again", ({ wants }) =>
    Effect.gen(function* () {
      const journal = MemoryJournal.make()
      const store = QuotaStore.over(journal)
      yield* store.step({ ...step, process: "q", want: 0, join })
      let before: ReadonlyArray<QuotaStore.Entry> = []
      let granted: ReadonlyArray<string> = []
      let count = 0
      for (const want of wants) {
        yield* TestClock.adjust(1)
        before = [...journal.kept.entries]
        granted = (yield* store.step({ ...step, generation: count > 0 ? "n" : "", want, join })).granted
        count += 1
      }
      journal.kept.entries.splice(0, Infinity, ...before)
      yield* TestClock.adjust(1)
      const requests = granted.map((id, index) => ({ id, nth: index + 1, age: 0, held: false }))
      const again = { ...step, generation: "n", nonce: "again", want: 0, before: { count, now: 1 } }
      const { generation, state } = yield* store.step({ ...again, join: { ...join, requests } })
      assert.deepStrictEqual([generation, state.remaining], ["again", 0])
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* store.step({ ...step, process: "q", want: 0, join })).state.remaining, 7)
    })
  )

  it.effect("counts what a process has sent where it is the first that comes back to a store without its data", () =>
    Effect.gen(function* () {
      let journal = MemoryJournal.make()
      const current = () => journal
      const store = QuotaStore.over({
        place: "memory",
        append: (next) => current().append(next),
        wake: (processes) => current().wake(processes),
        awaitWake: (process) => current().awaitWake(process)
      })
      const quota = yield* SharedQuota.make().pipe(Effect.provideService(QuotaStore.QuotaStore, store))
      for (let nth = 0; nth < 3; nth++) yield* Effect.scoped(quota.acquire)
      assert.strictEqual((yield* Virtual.run(quota.state)).remaining, 7)
      journal = MemoryJournal.make()
      yield* Virtual.run(quota.state)
      yield* TestClock.adjust("10 millis")
      assert.strictEqual((yield* Virtual.run(quota.state)).sent, 0)
      const counts = journal.kept.entries.flatMap(({ text }) => StoredStep.read(text)?.join?.requests.length ?? [])
      assert.deepStrictEqual(counts, [3])
      const last = yield* store.step({ ...step, process: "q", join })
      assert.isAbove(Duration.toMillis(last.state.reset), 5_000)
    })
  )

  it.effect("passes over entries that no process can have written", () =>
    Effect.gen(function* () {
      const journal = MemoryJournal.make()
      const store = QuotaStore.over(journal)
      const { generation } = yield* store.step({ ...step, join })
      const at = `${(yield* Clock.currentTimeMillis) * 1_000}`
      const told = { ...step, process: "q", join }
      const texts = [
        "",
        "{",
        "null",
        "{}",
        JSON.stringify({ ...told, lease: 1e14 }),
        JSON.stringify({ ...told, want: -1 })
      ]
      journal.kept.entries.push(...texts.map((text) => ({ at, text })))
      journal.kept.entries.push({ at: "soon", text: JSON.stringify({ ...told, longest: 0, probeAfter: 0 }) })
      const answer = yield* store.step({ ...step, generation, want: 2 })
      assert.strictEqual(answer.processes, 1)
      assert.lengthOf(answer.granted, 2)
    })
  )

  it.effect("says so when what it has written comes back changed", () =>
    Effect.gen(function* () {
      const journal = MemoryJournal.make()
      const store = QuotaStore.over({ ...journal, append: (next) => journal.append({ ...next, entry: "{}" }) })
      const error = yield* Effect.flip(store.step({ ...step, join }))
      assert.isFalse(error.transient)
      assert.include(error.message, "the quota store memory cannot be used: what it gives back is not what was written")
    })
  )

  it.effect("says so when it is given the answer to another step, as behind what has repeated one", () =>
    Effect.gen(function* () {
      const journal = MemoryJournal.make()
      let last: QuotaStore.Found | undefined
      const store = QuotaStore.over({
        ...journal,
        append: (next) =>
          Effect.map(journal.append(next), (found) => {
            const given = last ?? found
            last = found
            return given
          })
      })
      const { generation } = yield* store.step({ ...step, join })
      yield* Effect.flip(store.step({ ...step, generation, nonce: "m" }))
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
      const { replies } = StoredState.read(text) ?? state
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
      state = StoredState.read(StoredState.write(state)) ?? State.make("lost", now)
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
