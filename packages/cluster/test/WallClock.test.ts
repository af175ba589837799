import { assert, describe, it } from "@effect/vitest"
import { Backfill } from "@sluice/cluster"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as WallClock from "../../core/test/WallClock.ts"
import { BackfillStore, BackfillStoreFailed } from "../src/BackfillStore.ts"
import * as Fitness from "../src/internal/Fitness.ts"
import * as MemoryStore from "../src/internal/MemoryStore.ts"
import * as Parts from "../src/internal/Parts.ts"
import * as Persistence from "../src/internal/Persistence.ts"
import * as TestLog from "../../core/test/TestLog.ts"
import { endpoints, inTime, job, noWorker, temporary, world } from "./Harness.ts"

const hour = 3_600_000

/** Runs with a wall clock that can be set back by an hour while timers and monotonic time go on. */
const withWallClock = <A, E, R>(self: (setBack: Effect.Effect<void>) => Effect.Effect<A, E, R>) =>
  Clock.clockWith((clock) => {
    let offset = 0
    const setBack = Effect.sync(() => {
      offset -= hour
    })
    const wall = WallClock.at(clock, () => clock.currentTimeMillisUnsafe() + offset)
    return Effect.provideService(self(setBack), Clock.Clock, wall)
  })

/** A store that other workers have too, one of which is able to do whatever there is. */
const shared = Effect.provideServiceEffect(
  BackfillStore,
  Effect.sync(() => ({
    ...MemoryStore.make(),
    isShared: true,
    workers: () => Effect.succeed({ able: 1, unable: [] })
  }))
)

describe("A wall clock that is set back by an hour", () => {
  it.effect("does not make a store in memory believe a worker for longer", () =>
    withWallClock((setBack) =>
      Effect.gen(function* () {
        const store = MemoryStore.make()
        yield* store.announce("db1", [{ backfill: "a", unable: null }])
        assert.strictEqual((yield* store.workers("a")).able, 1)
        yield* setBack
        yield* Effect.sleep("31 seconds")
        assert.strictEqual((yield* store.workers("a")).able, 0)
      })
    ).pipe(inTime)
  )

  it.effect("does not keep a worker from seeing that a backfill was cancelled", () =>
    withWallClock((setBack) =>
      Effect.gen(function* () {
        const folder = yield* temporary
        const parts = yield* Parts.make({ endpoints, concurrency: 1, database: undefined, worker: "db1" })
        const run = { id: yield* Backfill.submit({ ...job, to: folder }), generation: 1 }
        assert.isTrue(yield* parts.mayGo(run))
        yield* setBack
        yield* Backfill.cancel(run.id)
        yield* Effect.sleep("2 seconds")
        assert.isFalse(yield* parts.mayGo(run))
      })
    ).pipe(Effect.provide(noWorker), shared, inTime, Effect.scoped, Effect.provide(world))
  )

  it.effect("does not make a worker leave a backfill to others for longer than a minute", () =>
    withWallClock((setBack) =>
      Effect.gen(function* () {
        const run = { id: "a", generation: 1 }
        const { persistently } = yield* Persistence.make
        const fitness = yield* Fitness.make({ persistently, targetOf: () => Effect.void })
        assert.isTrue(yield* fitness.leave(run, { worker: "db1", setting: "key", reason: "refused" }))
        assert.strictEqual(yield* fitness.placeOf(run), "elsewhere")
        yield* setBack
        yield* Effect.sleep("61 seconds")
        assert.strictEqual(yield* fitness.placeOf(run), "here")
      })
    ).pipe(Effect.provide(Logger.layer([])), shared, inTime, Effect.scoped)
  )

  it.effect("does not keep a worker from seeing that the others are gone", () =>
    withWallClock((setBack) =>
      Effect.gen(function* () {
        const run = { id: "a", generation: 1 }
        let able = 1
        const store = {
          ...MemoryStore.make(),
          isShared: true,
          workers: () => Effect.sync(() => ({ able, unable: [] }))
        }
        yield* Effect.gen(function* () {
          const { persistently } = yield* Persistence.make
          const fitness = yield* Fitness.make({ persistently, targetOf: () => Effect.void })
          yield* fitness.leave(run, { worker: "db1", setting: "key", reason: "refused" })
          assert.strictEqual(yield* fitness.placeOf(run), "elsewhere")
          yield* setBack
          able = 0
          yield* Effect.sleep("2 seconds")
          assert.strictEqual(yield* fitness.placeOf(run), "nowhere")
        }).pipe(Effect.provideService(BackfillStore, store))
      })
    ).pipe(Effect.provide(Logger.layer([])), inTime, Effect.scoped)
  )

  it.effect("does not keep a worker from saying once a minute that the store does not answer", () => {
    const log: Array<string> = []
    const gone = new BackfillStoreFailed({ reason: "ConnectionError", transient: true })
    return withWallClock((setBack) =>
      Effect.gen(function* () {
        const { persistently } = yield* Persistence.make
        yield* Effect.forkChild(persistently(Effect.fail(gone)))
        yield* Effect.sleep("1 second")
        assert.lengthOf(log, 1)
        yield* setBack
        yield* Effect.sleep("70 seconds")
        assert.lengthOf(log, 2)
      })
    ).pipe(Effect.provide(TestLog.layer((text) => log.push(text))), inTime)
  })
})
