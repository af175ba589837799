// Workers of two versions of Sluice in one cluster: what another version has submitted is left to workers of that version.
import { assert, describe, it } from "@effect/vitest"
import { Backfill, Worker } from "@sluice/cluster"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import * as TestLog from "../../core/test/TestLog.ts"
import { BackfillStore } from "../src/BackfillStore.ts"
import * as MemoryStore from "../src/internal/MemoryStore.ts"
import * as Request from "../src/internal/Request.ts"
import { Batch, Begin } from "../src/internal/Workflows.ts"
import { endpoints, inTime, job, noWorker, summary, temporary, until, whole, world } from "./Harness.ts"

/** What another version makes of a request. */
const others = [
  ["a newer", (request: Request.Request) => ({ ...request, version: Request.version + 1 }), ""],
  [
    "an older",
    (request: Request.Request) => Struct.omit(request, ["version"]),
    "; cancel it and submit it again to go on with this one"
  ]
] as const

describe("a backfill that another version of Sluice has submitted", () => {
  it.effect.each(others)(
    "is left alone where it is $0 one, which is said once, and the others are done",
    ([age, make, advice]) =>
      Effect.gen(function* () {
        const folder = yield* temporary
        const fs = yield* FileSystem.FileSystem
        const store = yield* BackfillStore
        const mine = yield* Backfill.submit({ ...job, to: `${folder}/mine` }).pipe(Effect.provide(noWorker))
        const found = (yield* store.find(mine))!
        const request = make({ ...found.request, folder: `${folder}/other` })
        const id = Request.idOf(request)
        yield* store.add({ ...found, id, request })
        const lines: Array<string> = []
        const worker = Worker.layer({ endpoints, concurrency: 4, name: "db1" }).pipe(
          Layer.provideMerge(WorkflowEngine.layerMemory)
        )
        const reason = `the worker db1 cannot take part: ${age} version of Sluice has submitted it${advice}`
        yield* Effect.gen(function* () {
          const payload = { id, generation: 1 }
          yield* Begin.execute(payload, { discard: true })
          // What a worker of that version goes on with may be given to this one too.
          yield* Batch.execute({ ...payload, key: "x", step: ["of another kind"] }, { discard: true })
          yield* Backfill.submit({ ...job, to: `${folder}/mine` })
          const done = yield* until(mine, ({ ended }) => ended !== null)
          assert.deepStrictEqual(summary(done), whole)
          yield* Effect.sleep("40 seconds")
          assert.deepInclude(yield* Backfill.status(id), {
            state: "running",
            parts: null,
            workers: { able: 0, unable: [{ worker: "db1", setting: "version", reason }] }
          })
          // One that knows it comes, and this one passes on what it is given.
          yield* store.announce("db2", [{ backfill: id, unable: null }])
          yield* Effect.sleep("5 seconds")
          assert.deepInclude(yield* Backfill.status(id), { state: "running", parts: null })
          assert.deepStrictEqual(
            lines.filter((line) => line.includes(id)),
            [`Backfill ${id} is left to other workers: ${reason}`]
          )
          yield* Backfill.cancel(id)
          assert.isFalse(yield* fs.exists(`${folder}/other`))
          yield* until(id, ({ ended }) => ended !== null)
          // Submitted again it is a backfill of this version, under the same ID.
          assert.strictEqual(yield* Backfill.submit({ ...job, to: `${folder}/other` }), id)
          assert.deepStrictEqual(summary(yield* until(id, ({ ended }) => ended !== null)), whole)
        }).pipe(Effect.provide(worker), Effect.provide(TestLog.layer((text) => lines.push(text))))
        assert.isAbove((yield* (yield* Sandbox.Sandbox).stats).requests, 0)
      }).pipe(
        Effect.provideService(BackfillStore, { ...MemoryStore.make(), isShared: true }),
        inTime,
        Effect.scoped,
        Effect.provide(world)
      )
  )
})
