import { assert, describe, it } from "@effect/vitest"
import { Endpoints, Timeseries } from "@sluice/core"
import { Backfill, BackfillStore as Store, Cluster, Worker } from "@sluice/cluster"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import * as TestMode from "../../core/test/TestMode.ts"
import * as MemoryStore from "../src/internal/MemoryStore.ts"
import * as Parts from "../src/internal/Parts.ts"
import {
  client,
  ended,
  endpoints,
  inTime,
  job,
  noWorker,
  summary,
  temporary,
  until,
  whole,
  withoutDisk,
  worker,
  world
} from "./Harness.ts"
import * as Postgres from "./Postgres.ts"

const others = Endpoints.all.filter(({ path }) => path !== Timeseries.assetMetrics.path)

const unable: Store.Unable = {
  worker: "db1",
  setting: "endpoint",
  reason: `the worker db1 does not know the endpoint /timeseries/asset-metrics`
}

/** The share of one worker. */
const partsOf = (worker: string) => Parts.make({ endpoints, concurrency: 1, database: undefined, worker })

/** Runs a test over a store of its own that other processes may have too, without its log. */
const amongOthers = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.suspend(() =>
    Effect.provideService(self, Store.BackfillStore, { ...MemoryStore.make(), isShared: true })
  ).pipe(Effect.provide(Logger.layer([])), inTime, Effect.scoped, Effect.provide(world))

describe("a worker that cannot do a backfill", () => {
  it.effect("says so once in the log and in the status, does not pause it, and lets it be cancelled", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => lines.push(message))
      const elsewhere = Worker.layer({ endpoints: others, name: "db1" }).pipe(
        Layer.provideMerge(WorkflowEngine.layerMemory)
      )
      const id = yield* Effect.gen(function* () {
        const id = yield* Backfill.submit({ ...job, to: folder })
        const waiting = yield* until(id, ({ workers }) => workers.unable.length > 0)
        yield* Effect.sleep("40 seconds")
        assert.deepStrictEqual(yield* Backfill.status(id), waiting)
        assert.deepInclude(waiting, { state: "running", reason: null, workers: { able: 0, unable: [unable] } })
        yield* Backfill.cancel(id)
        assert.deepInclude(yield* ended(id), { state: "cancelled", workers: { able: 0, unable: [] } })
        return id
      }).pipe(Effect.provide(elsewhere), Effect.provide(Logger.layer([logger])))
      const said = lines.map(String).filter((line) => line.includes(unable.reason))
      assert.strictEqual(said[0], `Backfill ${id} is left to other workers: ${unable.reason}`)
      const { stats } = yield* Sandbox.Sandbox
      assert.strictEqual((yield* stats).requests, 0)
      yield* Effect.gen(function* () {
        yield* Backfill.retry(id)
        assert.deepStrictEqual(summary(yield* ended(id)), whole)
      }).pipe(Effect.provide(worker))
    }).pipe(Effect.provide(MemoryStore.layer), inTime, Effect.scoped, Effect.provide(world))
  )

  it.effect("is named in the reason of a pause, where there may be others", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const named = Worker.layer({ endpoints, name: "db1" }).pipe(Layer.provideMerge(WorkflowEngine.layerMemory))
      yield* Effect.gen(function* () {
        const id = yield* Backfill.submit({ ...job, to: folder })
        const { error, reason } = yield* until(id, ({ state }) => state === "paused")
        assert.strictEqual(error, "Unauthorized")
        assert.match(reason ?? "", /^worker db1: .*no valid key was sent/)
      }).pipe(Effect.provide(named))
    }).pipe(Effect.provide(client("status=401;after=4;times=1")), amongOthers)
  )

  it.effect("names the root and the database that are others", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const { faultUrl, url } = yield* Sandbox.Sandbox
      const id = yield* Effect.gen(function* () {
        const id = yield* Backfill.submit({ ...job, to: folder })
        yield* Backfill.pause(id)
        return id
      }).pipe(Effect.provide(Layer.provideMerge(worker, client())))
      const elsewhere = worker.pipe(Layer.provideMerge(client("slow=1")))
      const { workers } = yield* until(id, ({ workers }) => workers.unable.length > 0).pipe(Effect.provide(elsewhere))
      assert.deepStrictEqual(workers.unable, [
        {
          worker: yield* Worker.defaultName,
          setting: "root",
          reason: `the worker ${yield* Worker.defaultName} reads from ${faultUrl("slow=1")}, not from ${url}`
        }
      ])
    }).pipe(Effect.provide(MemoryStore.layer), inTime, Effect.scoped, Effect.provide(world))
  )

  it.effect("leaves a backfill to others for a minute when its key is refused or its folder is another", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const to = `${folder}/shared`
      const id = yield* Effect.provide(Backfill.submit({ ...job, to }), noWorker)
      const run = { id, generation: 1 }
      const refused = yield* Effect.provide(partsOf("db1"), client(undefined, "nokey"))
      const good = yield* partsOf("db2")
      const elsewhere = yield* Effect.provide(partsOf("db3"), withoutDisk(to, `${folder}/local`))
      // No other worker has told yet that it is there, and the key is refused before the first part.
      assert.strictEqual((yield* Effect.flip(refused.begin(run)))._tag, "LeftToOthers")
      assert.strictEqual((yield* good.begin(run)).parts, 9)
      assert.strictEqual((yield* Effect.flip(elsewhere.read(run, 0)))._tag, "LeftToOthers")
      assert.strictEqual((yield* Effect.flip(elsewhere.finish(run)))._tag, "LeftToOthers")
      const { stats } = yield* Sandbox.Sandbox
      const { requests } = yield* stats
      assert.strictEqual((yield* Effect.flip(refused.read(run, 0)))._tag, "LeftToOthers")
      assert.strictEqual((yield* stats).requests, requests)
      yield* good.read(run, 0)
      const { reason, state, workers } = yield* Backfill.status(id)
      assert.deepStrictEqual([state, reason, workers.able], ["running", null, 1])
      assert.sameDeepMembers(
        workers.unable.map(({ setting, worker }) => [worker, setting]),
        [
          ["db1", "key"],
          ["db3", "folder"]
        ]
      )
      assert.match(workers.unable.find(({ worker }) => worker === "db3")?.reason ?? "", /cannot take part: .*ENOENT/)
      // Its disk is there a minute later.
      const fs = yield* FileSystem.FileSystem
      yield* fs.symlink(to, `${folder}/local`)
      yield* Effect.sleep("1 minute")
      yield* elsewhere.read(run, 1)
    }).pipe(amongOthers)
  )

  it.effect("is the last one of all whose key is refused: the backfill pauses, and a resume tries it again", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const id = yield* Effect.provide(Backfill.submit({ ...job, to: folder }), noWorker)
      const run = { id, generation: 1 }
      // Of both, the check is accepted, and the first part is not.
      const expired = client("status=401;after=2;times=1;id=first")
      const first = yield* Effect.provide(partsOf("db1"), expired)
      yield* first.begin(run)
      const second = yield* Effect.provide(partsOf("db2"), client(undefined, "nokey"))
      yield* Effect.sleep("10 seconds")
      assert.strictEqual((yield* Effect.flip(second.read(run, 0)))._tag, "LeftToOthers")
      assert.strictEqual((yield* Effect.flip(first.read(run, 0)))._tag, "Paused")
      const paused = yield* Backfill.status(id)
      assert.deepInclude(paused, { state: "paused", error: "Unauthorized" })
      assert.match(paused.reason ?? "", /^worker db1: .*no valid key was sent/)
      yield* Backfill.resume(id)
      yield* Effect.sleep("1 second")
      assert.strictEqual((yield* first.read(run, 0)).part, 0)
    }).pipe(amongOthers)
  )

  // Skipped, and so named, where no PostgreSQL is installed. It waits for workers that join.
  it.live.skipIf(!TestMode.isLong || !Postgres.isInstalled)(
    "leaves its parts to one that can, wherever the engine has put them",
    () =>
      Effect.gen(function* () {
        const postgres = yield* Postgres.make
        const folder = yield* temporary
        const workerOf = (known: Worker.Options["endpoints"]) =>
          Layer.fresh(
            Worker.layer({ endpoints: known, name: known === others ? "db1" : "db2" }).pipe(
              Layer.provideMerge(Cluster.layerWorker({ url: postgres.url, host: "127.0.0.1" }))
            )
          )
        const context = yield* Layer.build(workerOf(others))
        yield* Effect.gen(function* () {
          const id = yield* Backfill.submit({ ...job, to: folder })
          yield* until(id, ({ workers }) => workers.unable.length > 0)
          yield* Layer.build(workerOf(endpoints))
          const both = yield* until(id, ({ ended, workers }) => ended !== null || workers.able > 0)
          if (both.ended === null) assert.deepStrictEqual(both.workers, { able: 1, unable: [unable] })
          assert.deepStrictEqual(summary(yield* ended(id)), whole)
        }).pipe(Effect.provide(context))
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.provide(world))
  )

  it.live.skipIf(!TestMode.isLong || !Postgres.isInstalled)("leaves all of it to others when its key is refused", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres.make
      const folder = yield* temporary
      const workerOf = (name: string) =>
        Layer.fresh(
          Worker.layer({ endpoints, name, concurrency: 2 }).pipe(
            Layer.provideMerge(Cluster.layerWorker({ url: postgres.url, host: "127.0.0.1" }))
          )
        )
      yield* Layer.build(Layer.provide(workerOf("refused"), client(undefined, "nokey")))
      const good = yield* Layer.build(workerOf("good"))
      yield* Effect.gen(function* () {
        const id = yield* Backfill.submit({ ...job, to: folder })
        const seen = yield* Stream.runCollect(Backfill.watch(id))
        const last = seen.at(-1)
        assert.deepStrictEqual(last === undefined ? last : summary(last), whole)
        const kept = new Set(
          seen.flatMap(({ state, workers }) => [state, ...workers.unable.map(({ worker }) => worker)])
        )
        assert.sameMembers([...kept], ["running", "refused", "finished"])
      }).pipe(Effect.provide(good))
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.provide(world))
  )
})
