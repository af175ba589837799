import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Client, ReferenceData, Retry, Timeseries } from "@sluice/core"
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

const dayOf = (text: string | null) => text?.slice(0, 10)

const hour = 3_600_000

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
      const real = yield* Clock.Clock
      let [reads, now] = [0, 0]
      for (const seed of TestMode.seeds(6, 36)) {
        const draw = Draw.from(seed)
        const seen: Array<URL> = []
        const folder = yield* temporary
        const { endpoint, first, read, step, steps } = draw.one(series)
        now = Date.UTC(2026, 10, 1)
        yield* Effect.gen(function* () {
          for (let turn = 0; turn < 8; turn++) {
            now += draw.below(3) * draw.below(20) * 24 * hour
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
              // What is younger than the longest look-back is read to the end, since it may be revised.
              if (!pathname.includes("timeseries/") || to > now - 8 * 24 * hour) continue
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
          // What no call has asked for is not missing.
          const verified = yield* Stream.runCollect(Dataset.verify(`${folder}/${names[0]}`))
          assert.isTrue(verified.every((event) => !("unread" in event)))
          const status = yield* Dataset.status(`${folder}/${names[0]}`)
          assert.deepStrictEqual([status?.unread, status?.definition.isCache], [[], true])
        }).pipe(
          Effect.provide(counting(seen)),
          Effect.provideService(
            Clock.Clock,
            WallClock.at(real, () => now)
          )
        )
      }
      assert.isAbove(reads, 40)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("requests its times alone where another one was read to the end long before", () =>
    Effect.gen(function* () {
      const real = yield* Clock.Clock
      const folder = yield* temporary
      const seen: Array<URL> = []
      let now = Date.UTC(2026, 10, 1)
      const asked = Effect.fnUntraced(function* (from: string, to: string) {
        const before = seen.length
        const params = { assets: ["btc"], metrics: ["PriceUSD"], start_time: from, end_time: to }
        const found = yield* collected(Dataset.cache(assetMetrics, params, { in: folder }))
        const sent = seen.slice(before).filter(({ pathname }) => pathname.includes("timeseries/"))
        assert.deepStrictEqual(found, yield* collected(assetMetrics(params)))
        return sent.map(({ searchParams: query }) => [query.get("start_time"), query.get("end_time")].map(dayOf))
      })
      yield* Effect.gen(function* () {
        assert.isTrue((yield* asked("2026-10-01", "2026-10-31")).some(([, end]) => end === undefined))
        now = Date.UTC(2026, 11, 20)
        // A date as the end is its whole day.
        assert.deepStrictEqual(yield* asked("2026-10-28", "2026-10-29"), [["2026-10-28", "2026-10-30"]])
        assert.deepStrictEqual(yield* asked("2026-10-28", "2026-10-29"), [])
        const rest = yield* asked("2026-10-01", "2026-10-31")
        assert.isTrue(
          rest.every(([start = ""]) => start > "2026-10-20"),
          JSON.stringify(rest)
        )
        assert.deepStrictEqual(yield* asked("2026-10-01", "2026-10-31"), [])
        yield* asked("2026-03-01", "2026-03-03")
        const [name] = yield* (yield* FileSystem.FileSystem).readDirectory(folder)
        const audited = yield* Stream.runCollect(Dataset.audit(`${folder}/${name}`))
        assert.deepStrictEqual(
          audited.filter(({ _tag }) => _tag === "Finding"),
          []
        )
      }).pipe(
        Effect.provide(counting(seen)),
        Effect.provideService(
          Clock.Clock,
          WallClock.at(real, () => now)
        )
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
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
      const nowhere = yield* Effect.flip(Stream.runDrain(Dataset.cache(assetMetrics, daily, { in: "" })))
      assert.deepInclude(nowhere, { _tag: "BadDefinition", setting: "in" })
      const list = Dataset.cache(ReferenceData.assets, { assets: ["btc"] }, { in: folder })
      assert.deepInclude(yield* Effect.flip(Stream.runDrain(list)), { _tag: "BadDefinition", setting: "endpoint" })
      const never = Dataset.cache(assetMetrics, { ...daily, assets: ["ltc"] }, { in: folder, offline: true })
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(never)))._tag, "NoDataset")
    }).pipe(inNovember, Effect.scoped, Effect.provide(world))
  )
})
