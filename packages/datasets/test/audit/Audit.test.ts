import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as WallClock from "../../../core/test/WallClock.ts"
import { data, temporary, world } from "../dataset/Harness.ts"
import * as Market from "./Market.ts"
import * as Plant from "./Plant.ts"

/** The end of the stand-in's records. */
const atEnd = Effect.updateService(Clock.Clock, (real) => WallClock.at(real, () => Date.parse("2026-11-01T00:05:00")))

/** What is synced, by the ways to break it: about a hundred slots of all of them. */
const jobs = [
  {
    ways: Plant.ways.candles,
    endpoint: Timeseries.marketCandles,
    entity: "market",
    params: {
      markets: ["coinbase-btc-usd-spot", "kraken-btc-usd-spot"],
      frequency: "1m",
      start_time: "2026-10-30T22:00:00"
    },
    length: Plant.slot
  },
  {
    ways: Plant.ways.metrics,
    endpoint: Timeseries.assetMetrics,
    entity: "asset",
    params: { assets: ["btc"], metrics: ["ReferenceRateUSD"], frequency: "1m", start_time: "2026-10-31T17:00:00" },
    length: Plant.slot
  },
  {
    ways: Plant.ways.quotes,
    endpoint: Timeseries.marketQuotes,
    entity: "market",
    params: { markets: ["coinbase-btc-usd-spot"], start_time: "2026-10-31T22:00:00" },
    length: Plant.slot
  },
  {
    ways: Plant.ways.books,
    endpoint: Timeseries.marketOrderbooks,
    entity: "market",
    params: { markets: ["coinbase-btc-usd-spot"], start_time: "2026-10-31T23:50:00", depth_limit: "5" },
    length: 10
  }
] as const

type Job = (typeof jobs)[number]

const synced = Effect.fnUntraced(function* ({ endpoint, params }: Job, as: "ndjson" | "csv" | "parquet" = "ndjson") {
  const to = `${yield* temporary}/held`
  // Type boundary: each job has the parameters of its endpoint.
  const job = { endpoint, params, to, format: { as } } as unknown as Dataset.Job<typeof Timeseries.marketQuotes>
  yield* Stream.runDrain(Dataset.sync(job))
  return to
})

const audited = (to: string) => Effect.map(Stream.runCollect(Dataset.audit(to)), (all) => [...all])

const isFinding = (one: Dataset.Audit): one is Dataset.Finding => one._tag === "Finding"

const findingsOf = (to: string) => Effect.map(audited(to), (all) => all.filter(isFinding))

const summaryOf = (all: ReadonlyArray<Dataset.Audit>) => all.find((one) => one._tag === "Audited")

const meets = (one: Dataset.Finding, { entity, from, to }: Plant.Planted) =>
  one.entity === entity && one.from <= to && from <= one.to

/** Kinds of which every defect has to be named. */
const isCertain = (kind: string) => kind !== "outlier" && kind !== "stale"

describe("an audit", () => {
  it.live("names the defects that were planted, and nothing far from them", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const counts = new Map<string, { planted: number; found: number }>()
      const unnamed: Array<Plant.Planted> = []
      const strange: Array<Dataset.Finding> = []
      let planted = 0
      for (const job of jobs) {
        const to = yield* synced(job)
        const clean = yield* data(to)
        for (const seed of TestMode.seeds(1, 20)) {
          const draw = Draw.from(seed)
          const all: Array<Plant.Planted> = []
          const slots: Array<{ readonly entity: string; readonly from: string; readonly to: string }> = []
          for (const [path, text] of Object.entries(clean)) {
            const rows = text
              .trimEnd()
              .split("\n")
              .map((line) => JSON.parse(line) as Plant.Row)
            const entity = String(rows[0]![job.entity])
            const times = rows.map(({ time }) => time)
            const found = Plant.into(entity, rows, job.ways, draw.below(job.ways.length), draw, job.length)
            for (let at = 0; at + job.length <= times.length; at += job.length) {
              slots.push({ entity, from: times[at]!, to: times[at + job.length - 1]! })
            }
            all.push(...found)
            yield* fs.writeFileString(`${to}/${path}`, rows.map((row) => `${JSON.stringify(row)}\n`).join(""))
          }
          planted += all.length
          const findings = yield* findingsOf(to)
          for (const one of all) {
            const key = `${one.kind}: ${one.name}`
            const count = counts.get(key) ?? { planted: 0, found: 0 }
            const isNamed = findings.some((finding) => finding.kind === one.kind && meets(finding, one))
            counts.set(key, { planted: count.planted + 1, found: count.found + (isNamed ? 1 : 0) })
            if (!isNamed) unnamed.push(one)
          }
          const isNear = (one: Dataset.Finding) =>
            one.kind === "badTime" ||
            slots.some(({ entity, from, to: end }) => one.entity === entity && one.from >= from && one.to <= end)
          strange.push(...findings.filter((one) => !isNear(one)))
        }
      }
      assert.isAtLeast(planted, TestMode.times(90, 2000))
      assert.isAtLeast(counts.size, 20)
      assert.deepStrictEqual(strange, [])
      assert.deepStrictEqual(
        unnamed.filter(({ kind }) => isCertain(kind)),
        []
      )
      const doubtful = [...counts].filter(([key]) => !isCertain(key.split(":")[0]!)).map(([, count]) => count)
      const total = doubtful.reduce((sum, count) => sum + count.planted, 0)
      const found = doubtful.reduce((sum, count) => sum + count.found, 0)
      assert.isAtLeast(found, 0.95 * total)
    }).pipe(atEnd, Effect.provide(world))
  )

  it.effect("takes what a drawn market does, which jumps, is wild at times and calm at others, for right", () =>
    Effect.sync(() => {
      let found = 0
      const total = TestMode.times(100_000, 1_000_000)
      const each = 50_000
      for (let index = 0; index < total / each; index++) {
        // A price that goes far and comes back within minutes has a finding in each of its fields.
        const days = Market.findingsOf(Draw.from(TestMode.firstSeed + index), each).map(({ from }) => from.slice(0, 10))
        found += new Set(days).size
      }
      assert.isAtMost(found, 1)
    })
  )

  it.live.skipIf(!TestMode.isLong)("finds nothing in a million records of the stand-in", () =>
    Effect.gen(function* () {
      const params = {
        assets: ["btc", "eth", "ltc", "doge"],
        metrics: ["ReferenceRateUSD"],
        frequency: "1m",
        start_time: "2026-05-10"
      }
      const to = `${yield* temporary}/held`
      yield* Stream.runDrain(Dataset.sync({ endpoint: Timeseries.assetMetrics, params, to, format: { as: "ndjson" } }))
      const all = yield* audited(to)
      assert.deepStrictEqual(all.filter(isFinding), [])
      assert.isAtLeast(summaryOf(all)?.records ?? 0, 1_000_000)
    }).pipe(atEnd, Effect.provide(world))
  )

  for (const as of ["ndjson", "csv", "parquet"] as const) {
    it.live(`finds nothing in ${as} files as they were synced, of all kinds of series`, () =>
      Effect.gen(function* () {
        for (const job of jobs) {
          const to = yield* synced(job, as)
          const all = yield* audited(to)
          assert.deepStrictEqual(all.filter(isFinding), [])
          assert.isAtLeast(summaryOf(all)?.records ?? 0, 50)
        }
      }).pipe(atEnd, Effect.provide(world))
    )
  }
})
