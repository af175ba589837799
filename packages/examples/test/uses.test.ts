import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Discover } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import { gunzipSync } from "node:zlib"
import { ConfigProvider, Effect, Fiber, FileSystem, Layer, Logger, Redacted, Result, Stream } from "effect"
import { metricsAt } from "../src/available.ts"
import { bulkDownload } from "../src/bulkDownload.ts"
import { highest } from "../src/bulkStream.ts"
import { weeklyMeans } from "../src/pipeline.ts"
import { clientOf, minutes } from "../src/settings.ts"
import { service } from "../src/service.ts"

const client = Layer.unwrap(
  Effect.map(Sandbox.Sandbox, ({ url }) => NodeClient.layer({ root: url, apiKey: Redacted.make("demo-key") }))
).pipe(Layer.provideMerge(Sandbox.layer()), Layer.provideMerge(NodeServices.layer))

layer(client, { excludeTestServices: true })("the programs of the uses", (it) => {
  it.effect("download in bulk, a file of each asset and year", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      yield* bulkDownload(`${folder}/prices`)
      const files = (yield* fs.readDirectory(`${folder}/prices`)).filter((name) => name.endsWith(".csv.gz"))
      // Four parts of six assets; the end is a day more, and belongs to the last.
      assert.strictEqual(files.length, 24)
      const lines: Array<string> = []
      for (const file of files.toSorted()) {
        const text = gunzipSync(yield* fs.readFile(`${folder}/prices/${file}`)).toString()
        const [header, ...rows] = text.trimEnd().split(/\r?\n/)
        assert.match(header ?? "", /^asset,time,PriceUSD,TxCnt/)
        lines.push(...rows)
      }
      assert.strictEqual(lines.length, 6 * 1_461)
      const keys = lines.map((line) => line.split(",").slice(0, 2).join(" "))
      assert.deepStrictEqual(keys, [...new Set(keys)].toSorted())
    })
  )

  it.effect("read a request in 72 parts as one stream", () =>
    Effect.gen(function* () {
      const highs = yield* highest
      assert.strictEqual(highs.size, 12)
      for (const high of highs.values()) assert.isAbove(high, 0)
    })
  )

  it.effect("list the metrics that there are at a frequency", () =>
    Effect.gen(function* () {
      const names = yield* Effect.provide(metricsAt("btc", "1h"), Discover.layer())
      assert.include(names, "ReferenceRateUSD")
      assert.strictEqual(new Set(names).size, names.length)
    })
  )

  it.effect("read a whole day of minutes with settings of their own", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const key = ConfigProvider.layer(ConfigProvider.fromUnknown({ SLUICE: { API_KEY: "demo-key" } }))
      const client = Layer.provide(clientOf(url), key)
      const times = yield* minutes.pipe(
        Stream.map(({ time }) => time),
        Stream.runCollect,
        Effect.provide(client)
      )
      assert.deepStrictEqual(
        [times.length, times.at(0), times.at(-1)],
        [1_440, "2026-10-01T00:00:00.000000000Z", "2026-10-01T23:59:00.000000000Z"]
      )
    })
  )

  it.effect("run as a service that logs the newest values", () =>
    Effect.gen(function* () {
      const said: Array<unknown> = []
      const logger = Logger.make(({ message }) => said.push([message].flat().join(" ")))
      const fiber = yield* service.pipe(Effect.provide(Logger.layer([logger])), Effect.forkChild)
      yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => said.length >= 2 })
      yield* Fiber.interrupt(fiber)
      assert.match(String(said[0]), /^btc \d+\.\d+ at 2026-11-01T00:00:00.000000000Z$/)
      assert.match(String(said[1]), /^eth \d+\.\d+ at /)
    })
  )

  it.effect("end as a service on what no waiting mends", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const wrong = NodeClient.layer({ root: url, apiKey: Redacted.make("nobody") })
      const ended = yield* service.pipe(Effect.provide(wrong), Effect.result)
      assert.isTrue(Result.isFailure(ended) && ended.failure._tag === "Unauthorized")
    })
  )

  it.effect("feed a pipeline with weekly means", () =>
    Effect.gen(function* () {
      const means = yield* Stream.runCollect(weeklyMeans)
      // January to March of 2026 have 90 days: 84 windows of seven.
      assert.strictEqual(means.length, 84)
      assert.strictEqual(means[0]?.until, "2026-01-07T00:00:00.000000000Z")
      assert.isAbove(means[0]?.mean ?? 0, 0)
    })
  )
})
