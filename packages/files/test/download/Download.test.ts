import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Client, Quota, ReferenceData, Timeseries } from "@sluice/core"
import { Download } from "@sluice/files"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { until } from "../../../node/test/Harness.ts"
import { data, events, job, memory, picture, temporary, world } from "./Harness.ts"

const names = [
  "btc_2024-01-01.ndjson",
  "btc_2024-02-15.ndjson",
  "btc_2024-03-31.ndjson",
  "eth_2024-01-01.ndjson",
  "eth_2024-02-15.ndjson",
  "eth_2024-03-31.ndjson",
  "ltc_2024-01-01.ndjson",
  "ltc_2024-02-15.ndjson",
  "ltc_2024-03-31.ndjson"
]

const requests = Effect.flatMap(Sandbox.Sandbox, ({ stats }) => Effect.map(stats, ({ requests }) => requests))

describe("a download", () => {
  it.live("writes a file for each part, which together are the records of the request", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      yield* events(Download.run({ ...job, to }))
      const files = yield* data(to)
      assert.deepStrictEqual(Object.keys(files), names)
      const whole = yield* Stream.runCollect(Timeseries.assetMetrics(job.params))
      const lines = whole.map((record) => `${JSON.stringify(record)}\n`)
      assert.strictEqual(Object.values(files).join(""), lines.join(""))
    }).pipe(Effect.provide(world))
  )

  it.live("of a request without a split writes one file, with the name of the endpoint", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const { endpoint, format, params } = job
      yield* events(Download.run({ endpoint, format, params, to }))
      assert.deepStrictEqual(Object.keys(yield* data(to)), ["asset-metrics.ndjson"])
    }).pipe(Effect.provide(world))
  )

  it.live("emits events as data", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const told = yield* events(Download.run({ ...job, to }))
      const files = yield* data(to)
      const bytes = Object.values(files).join("").length
      assert.deepStrictEqual(told[0], {
        _tag: "Started",
        folder: to,
        resumed: false,
        parts: 9,
        done: 0,
        records: 0,
        bytes: 0
      })
      assert.deepStrictEqual(told.at(-1), { _tag: "Finished", folder: to, files: 9, records: 363, bytes })
      const done = told.filter((event) => event._tag === "PartDone").toSorted((a, b) => a.part - b.part)
      const sizes = names.map((file, part) => ({ part, file, bytes: files[file]?.length }))
      assert.deepStrictEqual(
        done.map(({ bytes, file, part }) => ({ part, file, bytes })),
        sizes
      )
      assert.sameMembers(
        told.flatMap((event) => (event._tag === "PartStarted" ? [event.file] : [])),
        names
      )
      const codec = Schema.fromJsonString(Download.Event)
      for (const event of told) {
        assert.deepStrictEqual(Schema.decodeSync(codec)(Schema.encodeSync(codec)(event)), event)
      }
    }).pipe(Effect.provide(world))
  )

  it.live("records the checksum of each file, which other tools confirm", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      yield* events(Download.run({ ...job, to }))
      const lines = (yield* fs.readFileString(path.join(to, ".sluice", "done.ndjson"))).trimEnd().split("\n")
      assert.strictEqual(lines.length, 9)
      for (const line of lines) {
        const { part, sha256 } = JSON.parse(line)
        const bytes = yield* fs.readFile(path.join(to, names[part] ?? ""))
        assert.strictEqual(sha256, createHash("sha256").update(bytes).digest("hex"))
      }
    }).pipe(Effect.provide(world))
  )

  it.live("that is finished sends nothing and touches nothing when it is run again", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      yield* events(Download.run({ ...job, to }))
      const before = yield* picture(to)
      const sent = yield* requests
      for (const resume of ["allowed", "required", "never"] as const) {
        const told = yield* events(Download.run({ ...job, to, resume }))
        assert.deepStrictEqual(
          told.map(({ _tag }) => _tag),
          ["Started", "Finished"]
        )
      }
      assert.deepStrictEqual(yield* picture(to), before)
      assert.strictEqual(yield* requests, sent)
    }).pipe(Effect.provide(world))
  )

  it.live("is the same with a default of its format as without", () =>
    Effect.gen(function* () {
      for (const [given, whole] of [
        [{ as: "csv" }, { as: "csv", guardFormulas: false, statusColumns: true, numbers: "text" }],
        [{ as: "parquet" }, { as: "parquet", compression: "zstd", numbers: "double", guardFormulas: false }]
      ] as const) {
        const to = yield* temporary
        yield* events(Download.run({ ...job, split: {}, to, format: given }))
        const [started] = yield* events(Download.run({ ...job, split: {}, to, format: whole, resume: "required" }))
        assert.deepInclude(started, { _tag: "Started", resumed: true })
      }
    }).pipe(Effect.provide(world))
  )

  for (const [name, format] of [
    ["NDJSON", { as: "ndjson" }],
    ["compressed CSV", { as: "csv", compression: "gzip" }],
    ["Parquet", { as: "parquet", compression: "gzip" }]
  ] as const) {
    it.live(
      `as ${name}, when it is stopped, keeps what is finished, leaves nothing half, and goes on with the rest`,
      () =>
        Effect.gen(function* () {
          const path = yield* Path.Path
          const folder = yield* temporary
          const calm = path.join(folder, "calm")
          yield* events(Download.run({ ...job, format, to: calm }))
          const expected = yield* data(calm)
          const to = path.join(folder, "stopped")
          const slow = { ...job, format, to, concurrency: 2 }
          const told = yield* events(Stream.takeUntil(Download.run(slow), ({ _tag }) => _tag === "PartDone"))
          assert.strictEqual(told.at(-1)?._tag, "PartDone")
          const fs = yield* FileSystem.FileSystem
          const left = yield* fs.readDirectory(path.join(to, ".sluice"))
          assert.deepStrictEqual(left.toSorted(), ["done.ndjson", "manifest.json"])
          const kept = yield* data(to)
          assert.isBelow(Object.keys(kept).length, 9)
          for (const [name, content] of Object.entries(kept)) assert.strictEqual(content, expected[name])
          const [started, ...later] = yield* events(Download.run({ ...slow, resume: "required" }))
          assert.deepInclude(started, { _tag: "Started", resumed: true })
          assert.isAbove(started?._tag === "Started" ? started.done : 0, 0)
          const again = later.flatMap((event) => (event._tag === "PartDone" ? [event.file] : []))
          assert.strictEqual(again.length, 9 - (started?._tag === "Started" ? started.done : 0))
          assert.deepStrictEqual(yield* data(to), expected)
        }).pipe(Effect.provide(world))
    )
  }

  it.live("that is stopped sends no more requests, however many parts were waiting", () =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const folder = yield* temporary
      const params = { ...job.params, end_time: "2026-01-01" }
      const run = Download.run({ ...job, params, to: path.join(folder, "new"), concurrency: 40 })
      const { stats } = yield* Sandbox.Sandbox
      const first = yield* Effect.forkChild(Stream.runDrain(run))
      // Two to look, and then as many as may run at once, none of which is answered.
      yield* until(stats, ({ requests }) => requests === 12)
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* requests, 12)
    }).pipe(Effect.provide([memory({ fault: "stall;after=2" }), NodeServices.layer]))
  )

  it.live("has a lane of its own among the reads of its client", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const lanes = new Set<Quota.Lane>()
      const http = HttpClient.mapRequestEffect(yield* HttpClient.HttpClient, (request) =>
        Effect.map(Quota.Lane, (lane) => {
          lanes.add(lane)
          return request
        })
      )
      const { url } = yield* Sandbox.Sandbox
      const client = Client.layer({ root: url, apiKey: Redacted.make("demo-key") })
      yield* events(Download.run({ ...job, to })).pipe(
        Effect.provide(Layer.provide(client, Layer.succeed(HttpClient.HttpClient, http)))
      )
      assert.deepStrictEqual(
        [...lanes].map(({ name }) => name),
        ["download"]
      )
    }).pipe(Effect.provide(world))
  )

  it.live("reads a finished file again that is missing, and no other", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      yield* events(Download.run({ ...job, to }))
      const before = yield* data(to)
      yield* fs.remove(path.join(to, names[4] ?? ""))
      const told = yield* events(Download.run({ ...job, to }))
      const read = told.flatMap((event) => (event._tag === "PartDone" ? [event.file] : []))
      assert.deepStrictEqual(read, [names[4]])
      assert.deepStrictEqual(yield* data(to), before)
    }).pipe(Effect.provide(world))
  )

  it.live("does not touch other files in the folder", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      yield* fs.writeFileString(path.join(to, "notes.txt"), "mine")
      yield* events(Download.run({ ...job, to }))
      assert.strictEqual((yield* data(to))["notes.txt"], "mine")
    }).pipe(Effect.provide(world))
  )

  it.live("reads an endpoint that answers in one reply, and one without records", () =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const folder = yield* temporary
      const none = {
        endpoint: Timeseries.assetMetrics,
        params: { assets: "btc", metrics: "PriceUSD", start_time: "1990-01-01", end_time: "1990-02-01" }
      } as const
      const format = { as: "ndjson" } as const
      yield* events(Download.run({ ...none, format, to: path.join(folder, "none") }))
      assert.deepStrictEqual(yield* data(path.join(folder, "none")), { "asset-metrics.ndjson": "" })
      const to = path.join(folder, "assets")
      const assets = { endpoint: ReferenceData.assets, params: { assets: ["btc", "eth"] } } as const
      yield* events(Download.run({ ...assets, split: { by: "assets" }, format, to }))
      assert.deepStrictEqual(Object.keys(yield* data(to)), ["btc.ndjson", "eth.ndjson"])
    }).pipe(Effect.provide(world))
  )

  it("accepts only parameters of the endpoint", () => {
    const to = "nowhere"
    // @ts-expect-error: no parameter of the endpoint
    Download.run({ ...job, params: { ...job.params, asset: "btc" }, to })
    // @ts-expect-error: no list of the endpoint
    Download.run({ ...job, split: { by: "markets" }, to })
  })
})

describe("a part that cannot be read", () => {
  const params = { ...job.params, assets: ["btc", "bzzz", "eth"] }

  it.live("ends the download, whose error names the part and which can be resumed", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const error = yield* Effect.flip(events(Download.run({ ...job, params, to, concurrency: 1 })))
      assert.strictEqual(error._tag, "PartsFailed")
      assert.match(error.message, /^bzzz_2024-01-01\.ndjson: .*bzzz.*; 3 of 9 parts are done in .*, resume to read/)
      assert.deepStrictEqual(Object.keys(yield* data(to)), names.slice(0, 3))
      const again = yield* Effect.flip(events(Download.run({ ...job, params, to, resume: "required" })))
      assert.strictEqual(again._tag, "CheckFailed")
    }).pipe(Effect.provide(world))
  )

  it.live('does not stop the others with "continue", and is reported at once and at the end', () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const told: Array<Download.Event> = []
      const error = yield* Download.run({ ...job, params, to, onFailure: "continue" }).pipe(
        Stream.runForEach((event) => Effect.sync(() => told.push(event))),
        Effect.flip
      )
      assert.strictEqual(error._tag, "PartsFailed")
      if (error._tag !== "PartsFailed") return
      assert.deepStrictEqual(
        error.failed.map(({ error, part }) => [part, error._tag]).toSorted(),
        [3, 4, 5].map((part) => [part, "InvalidRequest"])
      )
      assert.include(error.message, "and 2 more parts failed; 6 of 9 parts are done")
      assert.strictEqual(Object.keys(yield* data(to)).length, 6)
      const failed = told.filter(({ _tag }) => _tag === "PartFailed")
      assert.strictEqual(failed.length, 3)
      assert.deepInclude(failed[0], { error: "InvalidRequest" })
      const codec = Schema.fromJsonString(Download.DownloadError)
      assert.strictEqual(Schema.decodeSync(codec)(Schema.encodeSync(codec)(error)).message, error.message)
    }).pipe(Effect.provide(world))
  )
})

describe("before anything is downloaded", () => {
  const nothing = Effect.fnUntraced(function* (stream: (to: string) => ReturnType<typeof Download.run>) {
    const path = yield* Path.Path
    const folder = yield* temporary
    const error = yield* Effect.flip(events(stream(path.join(folder, "new"))))
    assert.deepStrictEqual(yield* picture(folder), {})
    return error
  })

  it.live("a missing licence is reported, and no folder is created", () =>
    Effect.gen(function* () {
      const metrics = ["PriceUSD", "SplyBMXNtv"] as const
      const params = { ...job.params, metrics }
      const error = yield* nothing((to) => Download.run({ ...job, params, to }))
      assert.strictEqual(error._tag === "CheckFailed" ? error.error._tag : error._tag, "Forbidden")
      assert.include(error.message, "nothing was downloaded")
      // The first part and the last, of one record each.
      assert.isAtMost(yield* requests, 2)
    }).pipe(Effect.provide([memory({ key: "sandbox-limited" }), NodeServices.layer]))
  )

  it.live("an invalid key is reported", () =>
    Effect.gen(function* () {
      const error = yield* nothing((to) => Download.run({ ...job, to }))
      assert.strictEqual(error._tag === "CheckFailed" ? error.error._tag : error._tag, "Unauthorized")
    }).pipe(Effect.provide([memory({ key: "nobody" }), NodeServices.layer]))
  )

  it.live("an unknown item is reported, if it is the last", () =>
    Effect.gen(function* () {
      const params = { ...job.params, assets: ["btc", "eth", "zzzz"] }
      const error = yield* nothing((to) => Download.run({ ...job, params, to }))
      assert.deepInclude(error, { _tag: "CheckFailed", part: 8 })
    }).pipe(Effect.provide(world))
  )

  it.live("an invalid parameter, split or format is reported, and nothing is sent", () =>
    Effect.gen(function* () {
      const wrong = { ...job.params, page_size: 0 }
      assert.strictEqual((yield* nothing((to) => Download.run({ ...job, params: wrong, to })))._tag, "InvalidRequest")
      const endless = { assets: ["btc"], metrics: ["PriceUSD"] } as const
      assert.strictEqual((yield* nothing((to) => Download.run({ ...job, params: endless, to })))._tag, "BadSplit")
      const columns = { ...job, format: { as: "csv", columns: ["nothing"] } } as const
      assert.strictEqual((yield* nothing((to) => Download.run({ ...columns, to })))._tag, "BadFormat")
      assert.strictEqual(yield* requests, 0)
    }).pipe(Effect.provide(world))
  )
})

describe("the key", () => {
  it.live("is in no file, no event and no error", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const told = yield* events(Download.run({ ...job, to }))
      const params = { ...job.params, assets: ["btc", "bzzz", "eth"] }
      const path = yield* Path.Path
      const other = path.join(to, "other")
      const error = yield* Effect.flip(events(Download.run({ ...job, params, to: other })))
      const texts = [JSON.stringify(yield* picture(to)), JSON.stringify(told), JSON.stringify(error), error.message]
      for (const text of texts) assert.notInclude(text, "demo-key")
    }).pipe(Effect.provide([memory({ fault: "echo-key" }), NodeServices.layer]))
  )
})
