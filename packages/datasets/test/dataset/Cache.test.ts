import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Client, Retry, ReferenceData, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { HttpClient } from "effect/http"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as WallClock from "../../../core/test/WallClock.ts"
import { collected, temporary, world } from "./Harness.ts"

const { assetMetrics, marketCandles, marketTrades } = Timeseries

/** The records of the stand-in end in November. */
const inNovember = Effect.updateService(Clock.Clock, (real) => WallClock.at(real, () => Date.parse("2026-11-20")))

/** The stand-in in memory, and the URLs that were requested. */
const counting = (seen: Array<URL>) =>
  Layer.unwrap(
    Effect.map(Effect.zip(Sandbox.Sandbox, HttpClient.HttpClient), ([{ url: root }, http]) =>
      Client.layer({ root, apiKey: Redacted.make("demo-key"), retry: Retry.none }).pipe(
        Layer.provide(
          Layer.succeed(
            HttpClient.HttpClient,
            HttpClient.make((request, url) => {
              seen.push(url)
              return http.execute(request)
            })
          )
        )
      )
    )
  ).pipe(Layer.provide(Layer.fresh(Sandbox.layerMemory())))

const time = (millis: number) => new Date(millis).toISOString()

const hour = 3_600_000

/** A week before the last records: what is behind is read to the end, since it may be revised. */
const settled = Date.UTC(2026, 9, 24)

/** Calls of a series, whose times are drawn: some of them meet, and some have nothing. */
const series = [
  {
    read: (times: object) => ({ assets: ["btc", "eth"], metrics: ["PriceUSD", "TxCnt"], ...times }),
    endpoint: assetMetrics,
    first: Date.UTC(2025, 6),
    step: 24 * hour,
    steps: 480
  },
  {
    read: (times: object) => ({ markets: ["coinbase-btc-usd-spot"], frequency: "1h", ...times }),
    endpoint: marketCandles,
    first: Date.UTC(2026, 7),
    step: hour,
    steps: 500
  },
  {
    read: (times: object) => ({ markets: ["coinbase-btc-usd-spot", "ascendex-apt-btc-spot"], ...times }),
    endpoint: marketTrades,
    first: Date.UTC(2026, 8),
    step: hour / 10,
    steps: 300
  }
] as const

describe("a call that is cached", () => {
  it.live("gives what the call gives, requests its times alone, and what it has once", () =>
    Effect.gen(function* () {
      let reads = 0
      for (const seed of TestMode.seeds(6, 36)) {
        const draw = Draw.from(seed)
        const seen: Array<URL> = []
        const folder = yield* temporary
        const { endpoint, first, read, step, steps } = draw.one(series)
        yield* Effect.gen(function* () {
          for (let turn = 0; turn < 8; turn++) {
            const from = first + step * draw.below(steps)
            const to = Math.min(Date.UTC(2026, 10, 19), from + step * draw.below(steps / 4))
            const params = read({
              ...(draw.below(12) > 0 || endpoint !== assetMetrics ? { start_time: time(from) } : {}),
              end_time: time(to),
              ...(draw.below(3) === 0 && { end_inclusive: false })
            })
            const when = `seed ${seed}, ${endpoint.path}, ${JSON.stringify(params)}`
            // Type boundary: the parameters of one of the series above.
            const call = endpoint as typeof marketTrades
            const given = params as never
            const reading = collected(Dataset.cache(call, given, { in: folder }))
            // A read that is given up leaves what it has kept.
            if (draw.below(4) === 0) yield* Effect.timeoutOption(reading, draw.below(40))
            const before = seen.length
            const found = yield* reading
            for (const { pathname, searchParams } of seen.slice(before)) {
              if (!pathname.includes("timeseries/") || to > settled) continue
              const end = searchParams.get("end_time")
              const isLookedAt = searchParams.get("page_size") === "1"
              assert.isTrue(isLookedAt || (end !== null && Date.parse(end) <= to + 1), `${when}: ${String(end)}`)
            }
            const asked = seen.length
            assert.deepStrictEqual(yield* reading, found, when)
            assert.deepStrictEqual(
              yield* collected(Dataset.cache(call, given, { in: folder, offline: true })),
              found,
              when
            )
            assert.strictEqual(seen.length, asked, when)
            assert.deepStrictEqual(found, yield* collected(call(given)), when)
            reads += 1
          }
          const fs = yield* FileSystem.FileSystem
          const names = yield* fs.readDirectory(folder)
          assert.strictEqual(names.length, 1)
          yield* Stream.runDrain(Dataset.verify(`${folder}/${names[0]}`))
        }).pipe(Effect.provide(counting(seen)))
      }
      assert.isAbove(reads, 40)
    }).pipe(inNovember, Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("has a folder for each endpoint with its parameters, and refuses what cannot be kept", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const times = { start_time: "2026-01-01", end_time: "2026-01-05" }
      const daily = { assets: ["btc"], metrics: ["PriceUSD"], ...times }
      const cached = (params: Parameters<typeof assetMetrics>[0]) =>
        Stream.runCollect(Dataset.cache(assetMetrics, params, { in: folder }))
      assert.lengthOf(yield* cached(daily), 5)
      assert.lengthOf(yield* cached({ ...daily, frequency: "1h", end_time: "2026-01-01T03:00:00" }), 4)
      assert.lengthOf(yield* cached({ ...daily, assets: ["eth", "btc"] }), 10)
      assert.lengthOf(
        yield* cached({ ...daily, assets: "*" as const, end_time: "2026-01-02" }).pipe(
          Effect.map((all) => all.slice(0, 4))
        ),
        4
      )
      const fs = yield* FileSystem.FileSystem
      const names = yield* fs.readDirectory(folder)
      assert.lengthOf(names, 4)
      for (const name of names) assert.match(name, /^timeseries-asset-metrics-[0-9a-f]{16}$/)
      const latest = yield* Effect.flip(cached({ ...daily, limit_per_asset: 3 }))
      assert.deepInclude(latest, { _tag: "BadDefinition", setting: "limit_per_asset" })
      const list = Dataset.cache(ReferenceData.assets, { assets: ["btc"] }, { in: folder })
      assert.deepInclude(yield* Effect.flip(Stream.runDrain(list)), { _tag: "BadDefinition", setting: "endpoint" })
      const nowhere = yield* Effect.flip(Stream.runDrain(Dataset.cache(assetMetrics, daily, { in: "" })))
      assert.deepInclude(nowhere, { _tag: "BadDefinition", setting: "in" })
      const never = Dataset.cache(assetMetrics, { ...daily, assets: ["ltc"] }, { in: folder, offline: true })
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(never)))._tag, "NoDataset")
    }).pipe(inNovember, Effect.scoped, Effect.provide(world))
  )
})
