import { assert, layer } from "@effect/vitest"
import { Client, Timeseries } from "@sluice/core"
import { Download } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import { data, events, job, temporary, world } from "./Harness.ts"

const manifestOf = Effect.fnUntraced(function* (folder: string) {
  const text = yield* (yield* FileSystem.FileSystem).readFileString(`${folder}/.sluice/manifest.json`)
  return JSON.parse(text)
})

layer(world)("a planned download", (it) => {
  it.effect("has plan and truth side by side in its manifest", () =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/planned`
      const told = yield* events(Download.run({ ...job, to, plan: true }))
      const planned = told.find((event) => event._tag === "Planned")
      const finished = told.find((event) => event._tag === "Finished")
      assert.isBelow(
        told.indexOf(planned!),
        told.findIndex(({ _tag }) => _tag === "Started")
      )
      const { plan } = yield* manifestOf(to)
      assert.deepStrictEqual(plan.requests.planned, planned?.plan.total.requests)
      assert.deepStrictEqual(plan.unknown, planned?.plan.unknown)
      assert.deepInclude(plan.requests, { taken: 11 })
      assert.strictEqual(plan.requests.planned.expected, plan.requests.taken)
      assert.strictEqual(plan.records.planned.expected, plan.records.taken)
      assert.deepStrictEqual([plan.records.taken, plan.bytes.taken], [finished?.records, finished?.bytes])
      assert.closeTo(plan.bytes.planned.expected, plan.bytes.taken, plan.bytes.taken / 5)
      assert.isNumber(plan.millis.taken)
      // A folder knows its download with and without a plan.
      const again = yield* events(Download.run({ ...job, to }))
      assert.deepInclude(again.at(-1), { _tag: "Finished", records: 363 })
      yield* Download.run({ ...job, to: `${to}-not` }).pipe(Stream.runDrain)
      assert.deepStrictEqual(yield* data(to), yield* data(`${to}-not`))
      assert.notProperty(yield* manifestOf(`${to}-not`), "plan")
    })
  )

  it.effect("that continues another run counts what is left, and does not say what it cannot know", () =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/continued`
      const first = Download.run({ ...job, to, plan: true, concurrency: 1 })
      yield* first.pipe(
        Stream.takeUntil(({ _tag }) => _tag === "PartDone"),
        Stream.runDrain
      )
      assert.isNull((yield* manifestOf(to)).plan.records.taken)
      const refused = yield* Effect.flip(Stream.runDrain(Download.run({ ...job, to, maxRequests: 3 })))
      assert.strictEqual(refused._tag, "PlanExceeded")
      const told = yield* events(Download.run({ ...job, to, maxRequests: 10 }))
      assert.isAtMost(told.find((event) => event._tag === "Planned")?.plan.parts ?? 9, 8)
      const { plan } = yield* manifestOf(to)
      assert.deepStrictEqual([plan.requests.taken, plan.records.taken, plan.millis.taken], [null, 363, null])
      assert.strictEqual(plan.requests.planned.expected, 11)
    })
  )

  it.effect("says the bytes of its files, whatever their format", () =>
    Effect.gen(function* () {
      for (const format of [{ as: "csv" }, { as: "parquet" }, { as: "ndjson", compression: "gzip" }] as const) {
        const to = `${yield* temporary}/${format.as}`
        yield* Stream.runDrain(Download.run({ ...job, split: {}, format, to, plan: true }))
        const { plan } = yield* manifestOf(to)
        assert.closeTo(plan.bytes.planned.expected, plan.bytes.taken, plan.bytes.taken / 2, format.as)
      }
    })
  )

  it.effect("does not begin where it would take too much, and leaves no folder", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const to = `${yield* temporary}/refused`
      const before = (yield* Client.quota).sent
      const parts = yield* Effect.flip(Stream.runDrain(Download.run({ ...job, to, maxRequests: 10 })))
      assert.deepInclude(parts, { _tag: "PlanExceeded", option: "maxRequests", planned: 11, allowed: 10 })
      assert.strictEqual((yield* Client.quota).sent, before)
      const bytes = yield* Effect.flip(Stream.runDrain(Download.run({ ...job, to, maxBytes: 1_000 })))
      assert.deepInclude(bytes, { _tag: "PlanExceeded", option: "maxBytes", allowed: 1_000 })
      assert.isFalse(yield* fs.exists(to))
      yield* Stream.runDrain(Download.run({ ...job, to, maxRequests: 11, maxBytes: 100_000 }))
      assert.isTrue(yield* fs.exists(to))
    })
  )

  it.effect("is the plan that can be had without a download", () =>
    Effect.gen(function* () {
      const { entities, total } = yield* Download.plan(job)
      assert.deepStrictEqual(
        entities.map(({ entity, records, requests }) => [entity, records.expected, requests.expected]),
        [
          ["btc", 121, 3],
          ["eth", 121, 3],
          ["ltc", 121, 3]
        ]
      )
      assert.strictEqual(total.requests.expected, 11)
      const lacking = { ...job, params: { ...job.params, assets: ["btc", "nosuch"] } }
      const refused = yield* Effect.flip(Download.plan({ ...lacking, endpoint: Timeseries.assetMetrics }))
      assert.strictEqual(refused._tag, "PlanFailed")
      // Of a metric that there is not a catalog lists no times.
      const misspelt = { ...job, params: { ...job.params, metrics: ["PriceUDS"] } }
      const unknown = yield* Effect.flip(Download.plan({ ...misspelt, endpoint: Timeseries.assetMetrics }))
      assert.match(unknown.message, /PriceUDS/)
    })
  )
})
