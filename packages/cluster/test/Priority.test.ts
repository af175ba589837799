// Which backfill a worker goes on with, and how many parts of it at once.
import { assert, describe, it } from "@effect/vitest"
import { Backfill, Cluster, Worker } from "@sluice/cluster"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { BackfillStore } from "../src/BackfillStore.ts"
import * as MemoryStore from "../src/internal/MemoryStore.ts"
import { client, ended, endpoints, inTime, job, summary, temporary, until, whole, world } from "./Harness.ts"

const workerOf = (concurrency: number) =>
  Worker.layer({ endpoints, concurrency }).pipe(Layer.provideMerge(Cluster.layerMemory))

/** A worker with an engine of its own, which knows nothing of those before. */
const working = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.provide(
    self,
    Layer.fresh(Worker.layer({ endpoints, concurrency: 1 }).pipe(Layer.provideMerge(WorkflowEngine.layerMemory)))
  )

/** A service that takes this long for a part of the job. */
const slow = (millis: number) => client(`slow=${millis}`)

describe("several backfills of one worker", () => {
  it.effect("give the next free slot to the one with the highest priority, and go on when it has ended", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const first = yield* Backfill.submit({ ...job, to: `${folder}/first` })
      yield* until(first, ({ parts }) => parts !== null)
      yield* Effect.sleep("1500 millis")
      const later = yield* Backfill.run({ ...job, to: `${folder}/later` }, { priority: 1 })
      assert.deepStrictEqual(summary(later), whole)
      assert.strictEqual(later.priority, 1)
      const meanwhile = yield* Backfill.status(first)
      assert.deepStrictEqual([meanwhile.state, meanwhile.ended], ["running", null])
      // Of the nine parts, no more than those that were read before.
      const fs = yield* FileSystem.FileSystem
      const files = (yield* fs.readDirectory(`${folder}/first`)).filter((name) => name.endsWith(".ndjson"))
      assert.isAtMost(files.length, 3)
      assert.deepStrictEqual(summary(yield* ended(first)), whole)
    }).pipe(Effect.provide(workerOf(1)), inTime, Effect.scoped, Effect.provide(slow(1_000)), Effect.provide(world))
  )

  it.effect("are as the last submission says", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const { id } = yield* Backfill.run({ ...job, to: folder }, { priority: 3, concurrency: 2 })
      yield* Backfill.submit({ ...job, to: folder })
      assert.deepInclude(yield* Backfill.status(id), { priority: 3, concurrency: 2 })
      yield* Backfill.submit({ ...job, to: folder }, { priority: -1 })
      assert.deepInclude(yield* Backfill.status(id), { priority: -1, concurrency: 2 })
      const wrong = yield* Effect.flip(Backfill.submit({ ...job, to: folder }, { priority: 0.5 }))
      assert.strictEqual(wrong.message, "priority: must be a whole number, got 0.5")
    }).pipe(Effect.provide(workerOf(4)), inTime, Effect.scoped, Effect.provide(world))
  )
})

describe("a backfill with a limit", () => {
  /** The most files that are written into a folder at the same time. */
  const mostAtOnce = Effect.fnUntraced(function* (limit: number | undefined) {
    const folder = yield* temporary
    const fs = yield* FileSystem.FileSystem
    let most = 0
    const look = Effect.map(
      Effect.orElseSucceed(fs.readDirectory(`${folder}/.sluice`), () => []),
      (names) => {
        most = Math.max(most, names.filter((name) => /ndjson\..*part/.test(name)).length)
      }
    )
    const looking = yield* Effect.forkChild(Effect.repeat(look, Schedule.spaced("250 millis")))
    const status = yield* Backfill.run({ ...job, to: folder }, { concurrency: limit })
    yield* Fiber.interrupt(looking)
    assert.deepStrictEqual(summary(status), whole)
    return most
  })

  it.effect("has no more parts read at once, over all workers", () =>
    Effect.gen(function* () {
      assert.isAbove(yield* mostAtOnce(undefined), 3)
      assert.strictEqual(yield* mostAtOnce(2), 2)
      assert.strictEqual(yield* mostAtOnce(1), 1)
    }).pipe(Effect.provide(workerOf(9)), inTime, Effect.scoped, Effect.provide(slow(8_000)), Effect.provide(world))
  )
})

describe("a worker that ends in the middle of a batch", () => {
  it.effect("leaves files that the next one finds and does not read again", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const fs = yield* FileSystem.FileSystem
      const files = Effect.map(
        Effect.orElseSucceed(fs.readDirectory(folder), () => []),
        (names) => names.filter((name) => name.endsWith(".ndjson"))
      )
      const times = Effect.flatMap(files, (names) =>
        Effect.forEach(names, (name) => Effect.map(fs.stat(`${folder}/${name}`), ({ ino }) => [name, ino] as const))
      )
      const store = yield* BackfillStore
      const before = yield* working(
        Effect.gen(function* () {
          // One batch has all of its parts.
          yield* Backfill.submit({ ...job, to: folder }, { concurrency: 1 })
          yield* Effect.repeat(Effect.delay(files, "20 millis"), { until: ({ length }) => length >= 4 })
          return yield* times
        })
      )
      const status = yield* working(Backfill.run({ ...job, to: folder }))
      assert.deepStrictEqual(summary(status), whole)
      const after = new Map(yield* times)
      for (const [name, file] of before) assert.deepStrictEqual(after.get(name), file, name)
      assert.strictEqual(yield* store.tried(status.id, 1), 9)
    }).pipe(Effect.provide(MemoryStore.layer), inTime, Effect.scoped, Effect.provide(slow(400)), Effect.provide(world))
  )
})
