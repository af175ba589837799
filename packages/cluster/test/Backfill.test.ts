import { assert, describe, it } from "@effect/vitest"
import { Backfill, Worker } from "@sluice/cluster"
import { Download } from "@sluice/files"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { BackfillStore, BackfillStoreFailed } from "../src/BackfillStore.ts"
import * as MemoryStore from "../src/internal/MemoryStore.ts"
import * as Parts from "../src/internal/Parts.ts"
import {
  alone,
  client,
  ended,
  endpoints,
  inTime,
  job,
  noWorker,
  picture,
  summary,
  temporary,
  until,
  whole,
  worker,
  world
} from "./Harness.ts"
import * as TestLog from "../../core/test/TestLog.ts"

const download = (to: string) => Stream.runDrain(Download.run({ ...job, to }))

const requests = Effect.flatMap(Sandbox.Sandbox, ({ stats }) => Effect.map(stats, (stats) => stats.requests))

describe("a backfill by one process", () => {
  it.effect("leaves what a download leaves, bookkeeping included", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      yield* download(`${folder}/one`)
      const status = yield* Backfill.run({ ...job, to: `${folder}/many` })
      assert.deepStrictEqual(summary(status), whole)
      assert.deepStrictEqual(yield* picture(`${folder}/many`), yield* picture(`${folder}/one`))
    }).pipe(Effect.provide(alone), inTime, Effect.scoped, Effect.provide(world))
  )

  it.effect("requests what a download requests, and nothing more when it is submitted again", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      yield* download(`${folder}/one`)
      const needed = yield* requests
      yield* Backfill.run({ ...job, to: `${folder}/two` })
      assert.strictEqual(yield* requests, 2 * needed)
      const again = yield* Backfill.run({ ...job, to: `${folder}/two` })
      assert.deepStrictEqual([again.state, yield* requests], ["finished", 2 * needed])
    }).pipe(Effect.provide(alone), inTime, Effect.scoped, Effect.provide(world))
  )

  it.effect("goes on with what a download has begun, and a download with what it has begun", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* temporary
      yield* download(`${folder}/one`)
      yield* fs.copy(`${folder}/one`, `${folder}/two`)
      yield* fs.remove(`${folder}/two/eth_2024-01-01.ndjson`)
      const before = yield* requests
      yield* Backfill.run({ ...job, to: `${folder}/two` }).pipe(Effect.provide(alone))
      // The check, and the last page of the part, which is the whole of it.
      assert.strictEqual((yield* requests) - before, 2)
      yield* fs.remove(`${folder}/two/ltc_2024-03-31.ndjson`)
      yield* download(`${folder}/two`)
      const verified = Download.run({ ...job, to: `${folder}/two`, verify: true, resume: "never" })
      const last = yield* Stream.runCollect(verified)
      assert.strictEqual(last.at(-1)?._tag, "Finished")
    }).pipe(inTime, Effect.scoped, Effect.provide(world))
  )

  it.effect("notes a part that fails, reads the others, and reads it on retry alone", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const status = yield* Backfill.run({ ...job, to: folder })
      assert.deepStrictEqual(summary(status), {
        state: "incomplete",
        parts: 9,
        done: 8,
        failed: 1,
        records: status.records
      })
      const [failure] = status.failures
      assert.deepStrictEqual([failure?.error, status.failures.length], ["Forbidden", 1])
      const before = yield* requests
      yield* Backfill.retry(status.id)
      const after = yield* ended(status.id)
      assert.deepStrictEqual(summary(after), whole)
      assert.strictEqual((yield* requests) - before, 2)
    }).pipe(
      Effect.provide(alone),
      inTime,
      Effect.scoped,
      Effect.provide(client("status=403;after=5;times=1")),
      Effect.provide(world)
    )
  )

  it.effect("pauses with the reason where every part would fail, and goes on when told to", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const id = yield* Backfill.submit({ ...job, to: folder })
      const paused = yield* until(id, ({ state }) => state === "paused")
      assert.include(paused.reason ?? "", "no valid key was sent to")
      assert.strictEqual(paused.error, "Unauthorized")
      yield* Backfill.resume(id)
      const after = yield* ended(id)
      assert.deepStrictEqual(summary(after), whole)
      assert.deepInclude(after, { reason: null, error: null })
    }).pipe(
      Effect.provide(alone),
      inTime,
      Effect.scoped,
      Effect.provide(client("status=401;after=4;times=1")),
      Effect.provide(world)
    )
  )

  it.effect("is refused where the service refuses it, and leaves no folder", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* temporary
      const status = yield* Backfill.run({ ...job, to: `${folder}/data` })
      assert.strictEqual(status.state, "refused")
      assert.include(status.reason ?? "", "nothing was downloaded")
      assert.strictEqual(status.error, "Forbidden")
      assert.isFalse(yield* fs.exists(`${folder}/data`))
    }).pipe(Effect.provide(alone), inTime, Effect.scoped, Effect.provide(client("status=403")), Effect.provide(world))
  )

  it.effect("is refused a folder in which something else is", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      yield* download(folder)
      const before = yield* picture(folder)
      const status = yield* Backfill.run({ ...job, format: { as: "csv" }, to: folder })
      assert.strictEqual(status.state, "refused")
      assert.include(status.reason ?? "", "differs in format.as")
      assert.strictEqual(status.error, "OtherJob")
      assert.deepStrictEqual(yield* picture(folder), before)
    }).pipe(Effect.provide(alone), inTime, Effect.scoped, Effect.provide(world))
  )
})

describe("a folder of a backfill", () => {
  it.effect("is in use by it, for downloads and other backfills, until it ends", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const id = yield* Backfill.submit({ ...job, to: folder })
      yield* until(id, ({ state }) => state === "paused")
      const refused = yield* Effect.flip(Stream.runDrain(Download.run({ ...job, to: folder })))
      assert.strictEqual(refused._tag, "FolderInUse")
      assert.include(refused.message, "in use by this process")
      yield* Backfill.cancel(id)
      const cancelled = yield* ended(id)
      assert.strictEqual(cancelled.state, "cancelled")
      yield* download(folder)
    }).pipe(
      Effect.provide(alone),
      inTime,
      Effect.scoped,
      Effect.provide(client("status=401;after=4;times=1")),
      Effect.provide(world)
    )
  )
})

describe("what users ask of a backfill", () => {
  it.effect("is done while no worker is there: paused, nothing is requested, and resumed, it ends", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const id = yield* Backfill.submit({ ...job, to: folder }).pipe(Effect.provide(noWorker))
      yield* Backfill.pause(id)
      const wrong = yield* Effect.flip(Backfill.pause(id))
      assert.include(wrong.message, "it is paused")
      yield* Effect.gen(function* () {
        yield* Backfill.submit({ ...job, to: folder })
        yield* Effect.sleep("10 seconds")
        assert.strictEqual(yield* requests, 0)
        yield* Backfill.resume(id)
        assert.strictEqual((yield* ended(id)).state, "finished")
      }).pipe(Effect.provide(worker))
    }).pipe(Effect.provide(MemoryStore.layer), inTime, Effect.scoped, Effect.provide(world))
  )

  it.effect("is stopped by a cancellation, and retried it reads the rest", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const id = yield* Backfill.submit({ ...job, to: folder })
      yield* until(id, ({ done }) => done > 0)
      yield* Backfill.cancel(id)
      const cancelled = yield* ended(id)
      assert.strictEqual(cancelled.state, "cancelled")
      assert.isBelow(cancelled.done, 9)
      yield* Backfill.retry(id)
      assert.deepStrictEqual(summary(yield* ended(id)), whole)
    }).pipe(Effect.provide(alone), inTime, Effect.scoped, Effect.provide(client("slow=1000")), Effect.provide(world))
  )

  it.effect("ends and begins where whoever cancelled or retried it was killed before the workers knew", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const store = yield* BackfillStore
      const id = yield* Backfill.submit({ ...job, to: folder })
      yield* store.change(id, 1, ["running"], { state: "cancelled" })
      yield* Backfill.cancel(id)
      assert.strictEqual((yield* ended(id)).state, "cancelled")
      yield* store.change(id, 1, ["cancelled"], { generation: 2, state: "running", ended: null })
      assert.include((yield* Effect.flip(Backfill.retry(id))).message, "it is running")
      assert.deepStrictEqual(summary(yield* ended(id)), whole)
    }).pipe(Effect.provide(alone), inTime, Effect.scoped, Effect.provide(world))
  )

  it.effect("is not taken for the cancelled one when a worker has looked just before it was retried", () =>
    Effect.gen(function* () {
      const store = MemoryStore.make()
      const parts = yield* Effect.provideService(
        Parts.make({ endpoints, concurrency: 1, database: undefined, worker: "db1" }),
        BackfillStore,
        store
      )
      const id = "0123"
      const request = {
        root: "http://a.example/v4",
        endpoint: "timeseries/asset-metrics",
        params: {},
        split: {},
        folder: "/data"
      }
      yield* store.add({
        id,
        generation: 1,
        state: "cancelled",
        reason: null,
        error: null,
        request,
        parts: 9,
        submitted: 0,
        ended: 1
      })
      assert.isFalse(yield* parts.mayGo({ id, generation: 1 }))
      yield* store.change(id, 1, ["cancelled"], { generation: 2, state: "running", ended: null })
      assert.isTrue(yield* parts.mayGo({ id, generation: 2 }))
      assert.isFalse(yield* parts.mayGo({ id, generation: 1 }))
      // Nor is one finished that was cancelled since the look.
      yield* store.change(id, 2, ["running"], { state: "cancelled" })
      assert.strictEqual((yield* Effect.flip(parts.finish({ id, generation: 2 })))._tag, "Stopped")
      // Nor one submitted again in vain, which this worker had seen forgotten.
      const last = (yield* store.find(id))!
      yield* store.change(id, 2, ["cancelled"], { ended: 1 })
      assert.isTrue(yield* store.forget(id, 2))
      yield* TestClock.adjust("2 seconds")
      assert.isFalse(yield* parts.mayGo({ id, generation: 2 }))
      assert.strictEqual(yield* parts.placeOf({ id, generation: 2 }), "here")
      const again = yield* store.add({ ...last, generation: 1, state: "running", ended: null })
      assert.strictEqual(again.generation, 3)
      assert.isTrue(yield* parts.mayGo({ id, generation: 3 }))
      // What is noted late of the run before is of no use to it.
      const late = { first: 0, parts: 1, pieces: 0, isWhole: true, done: 1, records: 1, bytes: 1, failed: [] }
      yield* store.note(id, 2, late)
      assert.strictEqual((yield* store.totals(id)).done, 0)
      yield* store.note(id, 3, late)
      assert.strictEqual((yield* store.totals(id)).done, 1)
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.effect("drops a part of it without a word about a pause when its folder was released by a cancellation", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const lines: Array<string> = []
      const id = yield* Effect.provide(Backfill.submit({ ...job, to: folder }), noWorker)
      const store = yield* BackfillStore
      const run = { id, generation: 1 }
      yield* Effect.gen(function* () {
        const parts = yield* Parts.make({ endpoints, concurrency: 1, database: undefined, worker: "db1" })
        yield* parts.begin(run)
        yield* store.change(id, 1, ["running"], { state: "cancelled" })
        // This worker looked at the backfill just before.
        yield* parts.end(run)
        assert.strictEqual((yield* inTime(Effect.flip(parts.read(run, 0))))._tag, "Stopped")
        assert.deepStrictEqual(lines, [])
      }).pipe(Effect.provide(TestLog.layer((text) => lines.push(text))))
    }).pipe(Effect.provide(MemoryStore.layer), Effect.scoped, Effect.provide(world))
  )

  it.effect(
    "ends at once when it is cancelled, no worker has begun it and none is there, and its late end harms no retry",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporary
        const id = yield* Backfill.submit({ ...job, to: folder })
        yield* Backfill.cancel(id)
        const cancelled = yield* Backfill.status(id)
        assert.strictEqual(cancelled.state, "cancelled")
        assert.isNotNull(cancelled.ended)
        yield* Backfill.retry(id)
        const parts = yield* Parts.make({ endpoints, concurrency: 1, database: undefined, worker: "db1" })
        yield* parts.begin({ id, generation: 2 })
        yield* parts.end({ id, generation: 1 })
        assert.strictEqual((yield* parts.read({ id, generation: 2 }, 0)).part, 0)
        // A worker that is there ends what was cancelled.
        const other = yield* Backfill.submit({ ...job, to: `${folder}/other` })
        yield* until(other, ({ workers }) => workers.able > 0)
        yield* Backfill.cancel(other)
        assert.deepInclude(yield* Backfill.status(other), { state: "cancelled", ended: null })
      }).pipe(
        Effect.provide(noWorker),
        Effect.provideService(BackfillStore, { ...MemoryStore.make(), isShared: true }),
        inTime,
        Effect.scoped,
        Effect.provide(world)
      )
  )

  it.effect("goes on when a store that has refused something is mended, and a worker that does nothing else ends", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const memory = MemoryStore.make()
      let refuses = true
      const refused = new BackfillStoreFailed({ reason: "permission denied", transient: false })
      const store: BackfillStore["Service"] = {
        ...memory,
        note: (...given) => Effect.suspend(() => (refuses ? Effect.fail(refused) : memory.note(...given)))
      }
      yield* Effect.gen(function* () {
        const id = yield* Backfill.submit({ ...job, to: folder })
        yield* Effect.sleep("30 seconds")
        assert.deepInclude(yield* Backfill.status(id), { state: "running", done: 0 })
        refuses = false
        const status = yield* ended(id)
        assert.deepStrictEqual(summary(status), whole)
      }).pipe(Effect.provide(worker), Effect.provideService(BackfillStore, store))
      refuses = true
      const submitted = Effect.delay(Backfill.submit({ ...job, to: `${folder}/other` }), "1 second")
      const end = yield* Effect.raceFirst(
        Worker.run({ endpoints, concurrency: 4 }),
        Effect.andThen(submitted, Effect.never)
      ).pipe(Effect.provide(WorkflowEngine.layerMemory), Effect.provideService(BackfillStore, store), Effect.flip)
      assert.strictEqual(end, refused)
    }).pipe(Effect.provide(Logger.layer([])), inTime, Effect.scoped, Effect.provide(world))
  )

  it.effect("fails for a backfill that nobody submitted, and for one whose state does not allow it", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const unknown = yield* Effect.flip(Backfill.cancel("0123"))
      assert.strictEqual(unknown._tag, "UnknownBackfill")
      const { id } = yield* Backfill.run({ ...job, to: folder })
      const wrong = yield* Effect.flip(Backfill.cancel(id))
      assert.strictEqual(wrong.message, `cannot cancel backfill ${id}: it is finished`)
      assert.deepStrictEqual(
        (yield* Backfill.list).map((one) => one.id),
        [id]
      )
    }).pipe(Effect.provide(alone), inTime, Effect.scoped, Effect.provide(world))
  )

  it.effect("is forgotten when it has ended, and not before; submitted again it is done again", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const id = yield* Backfill.submit({ ...job, to: folder })
      yield* until(id, ({ done }) => done > 0)
      const running = yield* Effect.flip(Backfill.forget(id))
      assert.strictEqual(running.message, `cannot forget backfill ${id}: it is running`)
      yield* Backfill.cancel(id)
      const ending = yield* Effect.flip(Backfill.forget(id))
      assert.strictEqual(ending.message, `cannot forget backfill ${id}: it is cancelled, and parts under way still end`)
      yield* ended(id)
      yield* Backfill.forget(id)
      assert.deepStrictEqual(yield* Backfill.list, [])
      assert.strictEqual((yield* Effect.flip(Backfill.forget(id)))._tag, "UnknownBackfill")
      // A worker that stood still notes nothing of it.
      const store = yield* BackfillStore
      yield* store.note(id, 1, {
        first: 0,
        parts: 1,
        pieces: 0,
        isWhole: true,
        done: 1,
        records: 1,
        bytes: 1,
        failed: []
      })
      assert.strictEqual((yield* store.totals(id)).done, 0)
      const again = yield* Backfill.run({ ...job, to: folder })
      assert.deepStrictEqual([again.id, again.generation, summary(again)], [id, 2, whole])
    }).pipe(Effect.provide(alone), inTime, Effect.scoped, Effect.provide(client("slow=1000")), Effect.provide(world))
  )

  it.effect("reads a finished file again that was removed, when it is retried", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* temporary
      const { id } = yield* Backfill.run({ ...job, to: folder })
      const before = yield* picture(folder)
      yield* fs.remove(`${folder}/eth_2024-01-01.ndjson`)
      yield* Backfill.retry(id)
      yield* ended(id)
      assert.sameMembers(Object.keys(yield* picture(folder)), Object.keys(before))
    }).pipe(Effect.provide(alone), inTime, Effect.scoped, Effect.provide(world))
  )
})
