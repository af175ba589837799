import { assert, describe, it } from "@effect/vitest"
import { Backfill } from "@sluice/cluster"
import { Download } from "@sluice/files"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { BackfillStore } from "../src/BackfillStore.ts"
import * as MemoryStore from "../src/internal/MemoryStore.ts"
import * as Parts from "../src/internal/Parts.ts"
import { ended, endpoints, inTime, job, noWorker, temporary, until, worker, world } from "./Harness.ts"

type Store = BackfillStore["Service"]

/** A store that other processes see, with some members changed. */
const shared = (change: (memory: Store) => Partial<Store> = () => ({})) => {
  const memory = MemoryStore.make()
  return Effect.provideService(BackfillStore, { ...memory, isShared: true, ...change(memory) })
}

/** Workers of it have not told of themselves yet: they do so every five seconds. */
const untold = { announce: () => Effect.void } satisfies Partial<Store>

const locks = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* Effect.orElseSucceed(fs.readDirectory(`${folder}/.sluice`), () => [])
  return names.filter((name) => name.startsWith("lock"))
})

const isLock = (path: string) => /lock-[^/]*\.json$/.test(path)

/** A disk on which a lock that says that the folder is taken has its name only once somebody has released the folder, or after a while. */
const slowDisk = Layer.effect(
  FileSystem.FileSystem,
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const released = yield* Deferred.make<void>()
    let puts = 0
    return {
      ...fs,
      rename: (from, to) =>
        isLock(to) && ++puts > 1
          ? Effect.raceFirst(Deferred.await(released), Effect.sleep("10 seconds")).pipe(
              Effect.andThen(fs.rename(from, to))
            )
          : fs.rename(from, to),
      remove: (path, options) =>
        Effect.tap(fs.remove(path, options), () => (isLock(path) ? Deferred.succeed(released, undefined) : Effect.void))
    }
  })
)

const share = Parts.make({ endpoints, concurrency: 1, database: undefined, worker: "db1" })

describe("a backfill that is cancelled as it begins", () => {
  it.effect("has not ended before a worker that has not told of itself has released its folder", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      // The rest of what begins a large backfill takes its time.
      const mayBegin = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const id = yield* Backfill.submit({ ...job, to: folder })
        yield* Effect.repeat(Effect.delay(locks(folder), "10 millis"), { until: ({ length }) => length > 0 })
        yield* Backfill.cancel(id)
        assert.deepInclude(yield* Backfill.status(id), { state: "cancelled", ended: null })
        const early = yield* Effect.flip(Backfill.forget(id))
        assert.strictEqual(
          early.message,
          `cannot forget backfill ${id}: it is cancelled, and parts under way still end`
        )
        yield* Deferred.succeed(mayBegin, undefined)
        yield* ended(id)
        yield* Backfill.forget(id)
      }).pipe(
        Effect.provide(worker),
        shared(({ begin }) => ({
          ...untold,
          begin: (...given) => Effect.andThen(Deferred.await(mayBegin), begin(...given))
        }))
      )
      assert.deepStrictEqual(yield* locks(folder), [])
      yield* Stream.runDrain(Download.run({ ...job, to: folder }))
    }).pipe(inTime, Effect.scoped, Effect.provide(world))
  )

  it.effect("has not ended before a worker that is still taking its folder has left it", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      yield* Effect.gen(function* () {
        const id = yield* Backfill.submit({ ...job, to: folder })
        yield* Effect.repeat(Effect.delay(locks(folder), "10 millis"), { until: ({ length }) => length > 0 })
        yield* Backfill.cancel(id)
        yield* ended(id)
        yield* Backfill.forget(id)
        // Nothing of the worker goes on after this.
      }).pipe(Effect.provide(worker), Effect.provide(slowDisk), shared())
      assert.deepStrictEqual(yield* locks(folder), [])
    }).pipe(inTime, Effect.scoped, Effect.provide(world))
  )

  it.effect("ends at once, and is not begun by a worker that has not told of itself and looked at it just before", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* temporary
      const to = `${folder}/data`
      const parts = yield* share
      const id = yield* Backfill.submit({ ...job, to })
      // It believes this for a second, which does not pass before the worker begins.
      assert.isTrue(yield* parts.mayGo({ id, generation: 1 }))
      yield* Backfill.cancel(id)
      assert.isNotNull((yield* Backfill.status(id)).ended)
      assert.strictEqual((yield* inTime(Effect.flip(parts.begin({ id, generation: 1 }))))._tag, "Stopped")
      assert.isFalse(yield* fs.exists(to))
    }).pipe(
      Effect.provide(noWorker),
      shared(() => untold),
      Effect.scoped,
      Effect.provide(world)
    )
  )

  it.effect.each([{ forgets: false }, { forgets: true }])(
    "leaves no lock where its end came before the folder was taken (forgotten: $forgets)",
    ({ forgets }) =>
      Effect.gen(function* () {
        const folder = yield* temporary
        const id = yield* Backfill.submit({ ...job, to: folder })
        const parts = yield* share
        assert.strictEqual((yield* Effect.flip(parts.begin({ id, generation: 1 })))._tag, "Stopped")
        assert.deepStrictEqual(yield* locks(folder), [])
        yield* Stream.runDrain(Download.run({ ...job, to: folder }))
      }).pipe(
        Effect.provide(noWorker),
        shared(({ change, forget }) => ({
          // Another worker ends it as soon as this one has noted that it begins.
          change: Effect.fnUntraced(function* (id, generation, states, what) {
            const may = yield* change(id, generation, states, what)
            if (what.parts === undefined) return may
            yield* change(id, generation, ["running"], { state: "cancelled", ended: 1 })
            if (forgets) yield* forget(id, generation)
            return may
          })
        })),
        inTime,
        Effect.scoped,
        Effect.provide(world)
      )
  )

  it.effect("ends where it is cancelled again, once the worker that was to end it is gone", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const id = yield* Backfill.submit({ ...job, to: folder })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* share
          yield* until(id, ({ workers }) => workers.able > 0)
          yield* Backfill.cancel(id)
          assert.isNull((yield* Backfill.status(id)).ended)
        })
      )
      yield* Backfill.cancel(id)
      assert.isNotNull((yield* Backfill.status(id)).ended)
    }).pipe(Effect.provide(noWorker), shared(), inTime, Effect.scoped, Effect.provide(world))
  )
})
