import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as WallClock from "../../../core/test/WallClock.ts"
import * as Days from "../database/Days.ts"
import { collected, temporary, world } from "./Harness.ts"

const { assetMetrics } = Timeseries

type Params = Parameters<typeof assetMetrics>[0]

/** The records of the stand-in end in November. */
const inNovember = Effect.updateService(Clock.Clock, (real) => WallClock.at(real, () => Date.parse("2026-11-20")))

const sent = Effect.map(
  Effect.flatMap(Sandbox.Sandbox, ({ stats }) => stats),
  ({ requests }) => requests
)

const fresh = (params: Params) => collected(assetMetrics(params))

const january = {
  assets: ["btc", "eth"],
  metrics: ["PriceUSD"],
  start_time: "2026-01-01",
  end_time: "2026-01-31"
} as const

describe("a dataset that is read", () => {
  for (const format of [
    { as: "ndjson" },
    { as: "csv" },
    { as: "parquet", numbers: "text" },
    { as: "a table of DuckDB" }
  ] as const) {
    it.live(`has in ${format.as} what a call gives, and asks once for it`, () =>
      Effect.gen(function* () {
        const folder = yield* temporary
        const isTable = format.as === "a table of DuckDB"
        const to = isTable
          ? DatasetDuckdb.make({ file: `${folder}/market.duckdb`, table: "prices", numbers: "text" })
          : folder
        const job = {
          endpoint: assetMetrics,
          params: { assets: january.assets, metrics: january.metrics, start_time: "2026-01-10" },
          to
        }
        yield* Stream.runDrain(Dataset.sync(isTable ? job : { ...job, format, layout: { period: "month" } }))
        const read = (params: Params) => collected(Dataset.read(assetMetrics, params, { from: to }))
        const steps: ReadonlyArray<readonly [Params, boolean]> = [
          [{ ...january, start_time: "2026-01-12T00:00:00Z" }, false],
          [{ ...january, start_time: "2026-01-12", end_inclusive: false }, false],
          [january, true],
          [january, false],
          [{ ...january, assets: ["eth", "ltc"] }, true],
          [{ ...january, metrics: ["TxCnt"] }, true],
          [{ ...january, metrics: ["TxCnt", "PriceUSD"] }, false],
          [{ ...january, assets: "btc", metrics: "PriceUSD", end_time: "2026-02-28" }, false],
          [{ assets: "btc", metrics: ["PriceUSD"], end_time: "2010-12-31" }, true],
          [{ assets: "btc", metrics: ["PriceUSD"], end_time: "2012-12-31" }, false],
          // Times that no nanoseconds of 64 bits have. A table does not keep when a run has looked.
          [{ assets: "btc", metrics: ["PriceUSD"], start_time: "1600-01-01", end_time: "9999-12-31" }, isTable]
        ]
        for (const [step, [params, isAsked]] of steps.entries()) {
          const before = yield* sent
          const found = yield* read(params)
          assert.strictEqual((yield* sent) > before, isAsked, `step ${step}`)
          assert.deepStrictEqual(found, yield* fresh(params), `step ${step}`)
        }
        yield* Stream.runDrain(Dataset.verify(to))
      }).pipe(inNovember, Effect.provide(world))
    )
  }

  it.live("begins where there is none, and is read without a client then", () =>
    Effect.gen(function* () {
      const from = `${yield* temporary}/closes`
      const missing = yield* Effect.flip(Stream.runDrain(Dataset.read(assetMetrics, january, { from, offline: true })))
      assert.deepInclude(missing, { _tag: "NoDataset", dataset: from })
      const found = yield* collected(Dataset.read(assetMetrics, january, { from }))
      const offline = Dataset.read(assetMetrics, january, { from, offline: true })
      assert.deepStrictEqual(yield* Effect.provide(collected(offline), NodeServices.layer), found)
      assert.lengthOf(found, 62)
      assert.deepStrictEqual(found, yield* fresh(january))
      // Of no time nothing is lacking.
      const none = { ...january, end_time: january.start_time, end_inclusive: false }
      const nothing = [{ from }, { from: `${from}/none` }, { from: `${from}/none`, offline: true }]
      for (const way of nothing) assert.deepStrictEqual(yield* collected(Dataset.read(assetMetrics, none, way)), [])
      const more = Dataset.read(assetMetrics, { ...january, assets: ["btc", "ltc"] }, { from, offline: true })
      assert.deepInclude(yield* Effect.flip(Stream.runDrain(more)), {
        _tag: "NotHeld",
        ranges: [{ entity: "ltc", from: "2026-01-01T00:00:00.000000000Z", to: "2026-02-01T00:00:00.000000000Z" }]
      })
    }).pipe(inNovember, Effect.provide(world))
  )

  it.live("is filled by reads at the same time, which wait for each other", () =>
    Effect.gen(function* () {
      const from = yield* temporary
      const assets = ["btc", "eth", "ltc", "doge"]
      const all = yield* Effect.forEach(
        assets,
        (asset) => collected(Dataset.read(assetMetrics, { ...january, assets: asset }, { from })),
        { concurrency: 4 }
      )
      const expected = yield* fresh({ ...january, assets })
      assert.deepStrictEqual(all.flat().toSorted(), expected.toSorted())
      assert.lengthOf((yield* Dataset.status(from))?.entities ?? [], 4)
    }).pipe(inNovember, Effect.provide(world))
  )

  it.live("reads a part of a dataset that has its series from the beginning", () =>
    Effect.gen(function* () {
      const from = yield* temporary
      const { assets, metrics } = january
      yield* Stream.runDrain(Dataset.sync({ endpoint: assetMetrics, params: { assets, metrics }, to: from }))
      const before = yield* sent
      assert.lengthOf(yield* collected(Dataset.read(assetMetrics, january, { from })), 62)
      assert.strictEqual(yield* sent, before)
    }).pipe(inNovember, Effect.provide(world))
  )

  it.live("refuses another frequency, what is of one request, and an endpoint of another dataset", () =>
    Effect.gen(function* () {
      const from = yield* temporary
      yield* Stream.runDrain(Dataset.read(assetMetrics, january, { from }))
      const tagOf = (params: Params) =>
        Effect.map(Effect.flip(Stream.runDrain(Dataset.read(assetMetrics, params, { from }))), ({ _tag }) => _tag)
      assert.strictEqual(yield* tagOf({ ...january, frequency: "1h" }), "OtherDefinition")
      assert.strictEqual(yield* tagOf({ ...january, limit_per_asset: 3 }), "BadDefinition")
      const candles = { markets: "coinbase-btc-usd-spot", start_time: "2026-01-01" }
      const other = yield* Effect.flip(Stream.runDrain(Dataset.read(Timeseries.marketCandles, candles, { from })))
      assert.strictEqual(other._tag, "BadDefinition")
    }).pipe(inNovember, Effect.provide(world))
  )

  it.live("asks for what was left out of the dataset since, of which nobody knows how far it is", () =>
    Effect.gen(function* () {
      const service = yield* Days.make(2)
      const base = { endpoint: assetMetrics, lookBack: "90 days", format: { as: "ndjson" } } as const
      const wanted = { assets: ["eth"], metrics: ["TxCnt"], start_time: "2026-09-10", end_time: "2026-10-15" }
      for (const fewer of [
        { assets: ["btc", "eth"], metrics: ["PriceUSD"] },
        { assets: ["btc"], metrics: ["PriceUSD", "TxCnt"] }
      ]) {
        const from = yield* temporary
        yield* Effect.gen(function* () {
          const params = { assets: ["btc", "eth"], metrics: ["PriceUSD", "TxCnt"], start_time: "2026-09-01" }
          service.at(0)
          yield* Stream.runDrain(Dataset.sync({ ...base, to: from, params }))
          yield* Stream.runDrain(Dataset.sync({ ...base, to: from, params: { ...params, ...fewer } }))
          service.at(20)
          yield* Stream.runDrain(Dataset.sync({ to: from }))
          const offline = Dataset.read(assetMetrics, wanted, { from, offline: true })
          assert.strictEqual((yield* Effect.flip(Stream.runDrain(offline)))._tag, "NotHeld")
          const expected = (yield* fresh(wanted)).filter((record) => record.includes("TxCnt"))
          const found = yield* collected(Dataset.read(assetMetrics, wanted, { from }))
          assert.deepStrictEqual(
            found.filter((record) => record.includes("TxCnt")),
            expected
          )
        }).pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("reads again what was in a file that somebody removed", () =>
    Effect.gen(function* () {
      const from = yield* temporary
      const first = yield* collected(Dataset.read(assetMetrics, january, { from }))
      const { FileSystem } = yield* Effect.promise(() => import("effect"))
      const fs = yield* FileSystem.FileSystem
      yield* fs.remove(`${from}/asset=btc/year=2026/btc-2026.parquet`)
      const gone = yield* Effect.flip(Stream.runDrain(Dataset.read(assetMetrics, january, { from, offline: true })))
      assert.strictEqual(gone._tag, "NotHeld")
      assert.deepStrictEqual(yield* collected(Dataset.read(assetMetrics, january, { from })), first)
    }).pipe(inNovember, Effect.provide(world))
  )

  it.live(
    "equals a call in drawn sequences of reads, syncs and stops, while the service revises",
    () =>
      Effect.gen(function* () {
        for (const seed of TestMode.seeds(2, 60)) {
          const draw = Draw.from(seed)
          const service = yield* Days.make(seed)
          const from = yield* temporary
          const format = draw.one([{ as: "ndjson" }, { as: "parquet", numbers: "text" }] as const)
          const layout = { period: draw.one(["day", "month", "none"] as const), byEntity: draw.below(3) > 0, rows: 20 }
          const metrics = ["PriceUSD", "TxCnt"]
          const params = { assets: ["btc"], metrics: [draw.one(metrics)], start_time: "2026-09-10" }
          const drawn = (day: number): Params => {
            const start = Date.parse("2026-09-01") + draw.below(30 + day) * 86_400_000
            return {
              assets: ["btc", "eth", "ltc"].slice(draw.below(3)),
              metrics: metrics.slice(draw.below(2)),
              start_time: new Date(start).toISOString(),
              end_time: new Date(
                Math.min(start + draw.below(30) * 86_400_000, Date.UTC(2026, 9, 1 + day))
              ).toISOString()
            }
          }
          yield* Effect.gen(function* () {
            // Everything is looked at again: what a read has is what the service has on that day.
            const sync = Dataset.sync({ endpoint: assetMetrics, params, to: from, format, layout, lookBack: "90 days" })
            yield* Stream.runDrain(sync)
            for (let day = 0; day < 4; day++) {
              service.at(day)
              const fiber = yield* Effect.forkChild(Effect.ignore(Stream.runDrain(Dataset.sync({ to: from }))))
              yield* Effect.sleep(draw.below(30))
              yield* Fiber.interrupt(fiber)
              for (let read = 0; read < 3; read++) {
                const params = drawn(day)
                const found = yield* collected(Dataset.read(assetMetrics, params, { from }))
                // A record of which all metrics are null is no record of theirs where the dataset has others.
                const expected = (yield* fresh(params)).filter((record) => /PriceUSD|TxCnt/.test(record))
                assert.deepStrictEqual(
                  found.filter((record) => /PriceUSD|TxCnt/.test(record)),
                  expected,
                  `seed ${seed}, day ${day}, ${JSON.stringify(params)}`
                )
                const offline = Dataset.read(assetMetrics, params, { from, offline: true })
                assert.deepStrictEqual(yield* collected(offline), found)
              }
            }
          }).pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
        }
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    240_000
  )
})
