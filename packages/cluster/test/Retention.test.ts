import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { type Backfill, BackfillStore } from "../src/BackfillStore.ts"
import * as MemoryStore from "../src/internal/MemoryStore.ts"
import * as Persistence from "../src/internal/Persistence.ts"
import * as Retention from "../src/internal/Retention.ts"

const day = 86_400_000

const backfill = (id: string, state: Backfill["state"], ended: number | null): Backfill => ({
  id,
  generation: 1,
  state,
  reason: null,
  error: null,
  request: { root: "http://a.example/v4", endpoint: "/a", params: {}, split: {}, folder: "/data" },
  parts: 9,
  submitted: 0,
  ended
})

const keeping = Effect.fnUntraced(function* (keep: Duration.Input) {
  const { persistently } = yield* Persistence.make
  yield* Effect.forkScoped(Retention.forgetting(persistently, Duration.fromInputUnsafe(keep)))
})

const all = Effect.flatMap(BackfillStore, (store) => Effect.map(store.all, (ids) => ids.toSorted()))

describe("what a cluster knows of its backfills", () => {
  it.effect("is forgotten some time after they have ended, however they did, and not while they run", () =>
    Effect.gen(function* () {
      const store = yield* BackfillStore
      yield* TestClock.setTime(100 * day)
      yield* store.add(backfill("finished", "finished", 69 * day))
      yield* store.add(backfill("cancelled", "cancelled", 70.5 * day))
      yield* store.add(backfill("running", "running", null))
      yield* store.add(backfill("ending", "cancelled", null))
      yield* keeping("30 days")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* all, ["cancelled", "ending", "running"])
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(yield* all, ["ending", "running"])
      // Submitted again, it is told from the one before.
      const again = yield* store.add(backfill("finished", "running", null))
      assert.strictEqual(again.generation, 2)
    }).pipe(Effect.provide(MemoryStore.layer), Effect.scoped)
  )

  it.effect("is kept for ever where that is wanted", () =>
    Effect.gen(function* () {
      const store = yield* BackfillStore
      yield* store.add(backfill("finished", "finished", 0))
      yield* keeping(Infinity)
      yield* TestClock.adjust(Duration.millis(4_000 * day))
      assert.isAbove(yield* Clock.currentTimeMillis, 3_999 * day)
      assert.deepStrictEqual(yield* all, ["finished"])
    }).pipe(Effect.provide(MemoryStore.layer), Effect.scoped)
  )
})
