import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Days from "../database/Days.ts"
import { collected, temporary } from "./Harness.ts"

const { assetMetrics } = Timeseries

const metrics = ["TxCnt", "PriceUSD"]
const params = { assets: ["btc", "eth"], metrics, start_time: "2026-09-12" }

/** Of the metric alone, while the service has it and its values no longer change. */
const early = { ...params, metrics: ["TxCnt"], end_time: "2026-09-26" }

const places = {
  "files of JSON lines": (to: string) => ({ to: `${to}/lines`, format: { as: "ndjson" } }) as const,
  "files of Parquet": (to: string) => ({ to: `${to}/parquet`, format: { as: "parquet", numbers: "text" } }) as const,
  "a table of DuckDB": (to: string) =>
    ({ to: DatasetDuckdb.make({ file: `${to}/one.duckdb`, table: "metrics", numbers: "text" }) }) as const
}

/** A service that refuses the metric from the third of October on, and how many requests it got. */
const begin = Effect.gen(function* () {
  const counts = { sent: 0 }
  const service = yield* Days.make(7, { TxCnt: "2026-10-03" }, (request) => {
    counts.sent += 1
    return request
  })
  const run = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
  return { service, counts, run, to: yield* temporary }
})

const withMetric = (records: ReadonlyArray<string>) => records.filter((record) => record.includes("TxCnt"))

describe("a metric that the service refuses since", () => {
  for (const [name, placeOf] of Object.entries(places)) {
    it.live(`is read from ${name} as far as it is held, and beyond that refused by name`, () =>
      Effect.gen(function* () {
        const { counts, run, service, to } = yield* begin
        const place = placeOf(to)
        const from = place.to
        yield* run(Stream.runDrain(Dataset.sync({ endpoint: assetMetrics, params, lookBack: "5 days", ...place })))
        const both = { ...early, metrics }
        const told = withMetric(yield* run(collected(assetMetrics(early))))
        assert.isAbove(told.length, 20)
        for (const day of [3, 5, 9]) {
          service.at(day)
          yield* run(Stream.runDrain(Dataset.sync({ to: from })))
          const before = counts.sent
          for (const offline of [true, false]) {
            assert.deepStrictEqual(
              withMetric(yield* run(collected(Dataset.read(assetMetrics, early, { from, offline })))),
              told
            )
            const all = yield* run(collected(Dataset.read(assetMetrics, both, { from, offline })))
            assert.lengthOf(withMetric(all), told.length)
            const columns = Dataset.columns(assetMetrics, early, { from, offline, columns: ["TxCnt"], numbers: "text" })
            const lengths = yield* run(Stream.runCollect(columns))
            assert.strictEqual(
              lengths.reduce((sum, { length }) => sum + length, 0),
              told.length
            )
          }
          assert.strictEqual(counts.sent, before)
        }
        const later = { ...early, end_time: "2026-10-08" }
        const read = (given: typeof early, offline: boolean) =>
          run(Effect.flip(Stream.runDrain(Dataset.read(assetMetrics, given, { from, offline }))))
        const missing = yield* read(later, true)
        assert.strictEqual(missing._tag, "NotHeld")
        assert.match(missing.message, /does not have TxCnt of btc from 2026-\d\d-\d\dT.* until 2026-10-09T/)
        assert.match(missing.message, /the service refuses TxCnt since 2026-10-04T06:00:00/)
        const ranges = missing._tag === "NotHeld" ? missing.ranges : []
        assert.deepStrictEqual(
          ranges.map(({ entity, metric, since }) => [entity, metric, since?.slice(0, 10)]),
          [
            ["btc", "TxCnt", "2026-10-04"],
            ["eth", "TxCnt", "2026-10-04"]
          ]
        )
        assert.isTrue(ranges.every(({ from = "" }) => from > early.end_time))
        assert.deepInclude(yield* read(later, false), { _tag: "InvalidRequest", value: "TxCnt" })
        assert.deepInclude(yield* read({ ...early, start_time: "2026-09-01" }, false), { _tag: "InvalidRequest" })
        // What the read did not need is still asked for by each run.
        assert.deepInclude(yield* Dataset.defined(from), { retired: ["TxCnt"], refused: ["TxCnt"] })
        // Of another metric that is asked for at the same time more may be needed.
        const more = { ...both, start_time: "2026-09-12", end_time: "2026-09-26", assets: ["btc"] }
        assert.isAbove((yield* run(collected(Dataset.read(assetMetrics, more, { from })))).length, 5)
        yield* Stream.runDrain(Dataset.verify(from))
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }

  it.live("is read as of a moment at which it was there, without an end too, and its changes are told", () =>
    Effect.gen(function* () {
      const { run, service, to } = yield* begin
      const job = { endpoint: assetMetrics, params, to, versions: "keep", lookBack: "90 days" } as const
      yield* run(Stream.runDrain(Dataset.sync(job)))
      const asOf = (yield* run(Dataset.status(to)))?.synced ?? ""
      const { end_time: _, ...endless } = early
      const told = yield* run(collected(Dataset.read(assetMetrics, endless, { from: to, asOf, offline: true })))
      assert.isAbove(told.length, 20)
      for (const day of [1, 4, 6]) {
        service.at(day)
        yield* run(Stream.runDrain(Dataset.sync({ to })))
      }
      for (const offline of [true, false]) {
        const again = Dataset.read(assetMetrics, endless, { from: to, asOf, offline })
        assert.deepStrictEqual(yield* run(collected(again)), told)
      }
      const now = (yield* run(Dataset.status(to)))?.synced ?? ""
      const later = Dataset.read(assetMetrics, endless, { from: to, asOf: now, offline: true })
      assert.strictEqual((yield* run(Effect.flip(Stream.runDrain(later))))._tag, "NotHeld")
      yield* run(Stream.runDrain(Dataset.revisions(assetMetrics, early, { from: to })))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("is not held in times whose file was removed since, though others were read again", () =>
    Effect.gen(function* () {
      const { run, service, to } = yield* begin
      const job = { endpoint: assetMetrics, params, to, layout: { period: "month" } } as const
      yield* run(Stream.runDrain(Dataset.sync(job)))
      service.at(4)
      yield* run(Stream.runDrain(Dataset.sync({ to })))
      const fs = yield* FileSystem.FileSystem
      yield* fs.remove(`${to}/asset=btc/year=2026/month=09`, { recursive: true })
      yield* run(Stream.runDrain(Dataset.sync({ to })))
      const read = (assets: ReadonlyArray<string>) =>
        run(collected(Dataset.read(assetMetrics, { ...early, assets }, { from: to, offline: true })))
      assert.isAbove((yield* read(["eth"])).length, 10)
      assert.deepInclude(yield* Effect.flip(read(["btc"])), { _tag: "NotHeld" })
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

describe("a metric that a job left out", () => {
  for (const [name, placeOf] of Object.entries(places)) {
    it.live(`is read from ${name} as far as it is held, and asked for beyond that`, () =>
      Effect.gen(function* () {
        const { counts, run, service, to } = yield* begin
        const place = placeOf(to)
        const from = place.to
        const job = { endpoint: assetMetrics, lookBack: "5 days", ...place } as const
        const three = { ...params, metrics: ["AdrActCnt", "PriceUSD"] }
        const own = { ...early, metrics: ["AdrActCnt"] }
        yield* run(Stream.runDrain(Dataset.sync({ ...job, params: three })))
        const fewer = { ...params, metrics: ["PriceUSD"] }
        yield* run(Stream.runDrain(Dataset.sync({ ...job, params: fewer })))
        const told = yield* run(collected(Dataset.read(assetMetrics, own, { from, offline: true })))
        assert.isAbove(told.length, 20)
        service.at(6)
        yield* run(Stream.runDrain(Dataset.sync({ to: from })))
        const before = counts.sent
        assert.deepStrictEqual(yield* run(collected(Dataset.read(assetMetrics, own, { from }))), told)
        assert.strictEqual(counts.sent, before)
        const later = { ...own, end_time: "2026-10-05" }
        const missing = yield* run(
          Effect.flip(Stream.runDrain(Dataset.read(assetMetrics, later, { from, offline: true })))
        )
        assert.match(missing.message, /no sync asks for AdrActCnt since 2026-10-01T06:00:00/)
        const found = yield* run(collected(Dataset.read(assetMetrics, later, { from })))
        const fresh = yield* run(collected(assetMetrics(later)))
        assert.deepStrictEqual(
          found.filter((record) => record.includes("AdrActCnt")),
          fresh.filter((record) => record.includes("AdrActCnt"))
        )
        assert.notProperty(yield* Dataset.defined(from), "retired")
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }

  it.live(
    "leaves what each sync had found as it was, when a job names it again",
    () =>
      Effect.gen(function* () {
        let filled = 0
        for (const seed of TestMode.seeds(6, 40)) {
          const service = yield* Days.make(seed)
          const run = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
            effect.pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
          const to = yield* temporary
          const draw = Draw.from(seed)
          const format = draw.one([{ as: "ndjson" }, { as: "parquet", numbers: "text" }] as const)
          const job = { endpoint: assetMetrics, to, format, versions: "keep", lookBack: "9 days" } as const
          const found: Array<{
            readonly asOf: string
            readonly asked: typeof params
            readonly told: ReadonlyArray<string>
          }> = []
          const asked = { ...params, end_time: "2026-10-20" }
          const read = (of: typeof params, asOf: string) =>
            run(
              collected(
                Dataset.read(assetMetrics, { ...of, end_time: asked.end_time }, { from: to, asOf, offline: true })
              )
            )
          for (const [day, metrics] of [
            [0, ["TxCnt", "PriceUSD"]],
            [draw.one([0.1, 1]), ["PriceUSD"]],
            [draw.one([2, 4]), ["PriceUSD"]],
            [5, ["TxCnt", "PriceUSD"]],
            [6, ["TxCnt", "PriceUSD"]]
          ] as const) {
            service.at(day)
            const own = { ...params, metrics: [...metrics] }
            yield* run(Stream.runDrain(Dataset.sync({ ...job, params: own })))
            const asOf = (yield* run(Dataset.status(to)))?.synced ?? ""
            found.push({ asOf, asked: own, told: yield* read(own, asOf) })
          }
          for (const { asOf, asked, told } of found)
            assert.deepStrictEqual(yield* read(asked, asOf), told, `${seed} as of ${asOf}`)
          const [first, , , , last] = found.map(({ told }) => withMetric(told).length)
          filled += last! - first!
        }
        assert.isAbove(filled, 0)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    120_000
  )
})

const assets = ["btc", "eth", "ltc"]
const dayLength = 86_400_000
const dateOf = (millis: number) => new Date(millis).toISOString().slice(0, 10)

/** The values of a metric, by asset and date. */
const valuesOf = (records: ReadonlyArray<{ readonly asset: string; readonly time: string }>, metric: string) =>
  new Map(
    records.flatMap((record): ReadonlyArray<readonly [string, string]> => {
      const value: unknown = Reflect.get(record, metric)
      return value == null ? [] : [[`${metric} ${record.asset} ${record.time.slice(0, 10)}`, String(value)]]
    })
  )

describe("metrics that jobs leave out and name again", () => {
  it.live(
    "are read as far as they are held, in drawn sequences of jobs, stops and lost files",
    () =>
      Effect.gen(function* () {
        let [read, refused] = [0, 0]
        for (const seed of TestMode.seeds(3, 16)) {
          const draw = Draw.from(seed)
          const service = yield* Days.make(seed, { TxCnt: "2026-10-09" })
          const to = yield* temporary
          const fs = yield* FileSystem.FileSystem
          const format = draw.one([{ as: "ndjson" }, { as: "parquet", numbers: "text" }] as const)
          const layout = { period: draw.one(["day", "month", "none"] as const), byEntity: draw.below(3) > 0, rows: 20 }
          const others = ["TxCnt", "AdrActCnt"]
          const versions = draw.below(2) === 0 ? "keep" : undefined
          const job = { endpoint: assetMetrics, to, format, layout, lookBack: "3 days", versions } as const
          const drawn = () => ({
            assets: assets.slice(draw.below(2)),
            metrics: ["PriceUSD", ...others.filter(() => draw.below(2) === 0)],
            start_time: draw.one(["2026-09-20", "2026-09-10", "2026-09-01"])
          })
          /** What the service has said of each day, at times nothing. */
          const said = new Map<string, Set<string | undefined>>()
          yield* Effect.gen(function* () {
            for (let step = 0, day = 0; step < 12; step++, day += draw.below(3) / 2) {
              service.at(day)
              const now = Date.parse("2026-10-01T06:00:00Z") + day * dayLength
              for (const metric of others) {
                const records = yield* Stream.runCollect(
                  assetMetrics({ assets, metrics: [metric], start_time: "2026-09-01" })
                ).pipe(Effect.orElseSucceed(() => undefined))
                if (records === undefined) continue
                const values = valuesOf(records, metric)
                for (const asset of assets) {
                  for (let time = Date.parse("2026-09-01"); time < now; time += dayLength) {
                    const name = `${metric} ${asset} ${dateOf(time)}`
                    said.set(name, (said.get(name) ?? new Set()).add(values.get(name)))
                  }
                }
              }
              const sync = Dataset.sync({
                ...job,
                params: step === 0 ? { ...drawn(), metrics: ["PriceUSD", ...others] } : drawn()
              })
              const fiber = yield* Effect.forkChild(Effect.result(Stream.runDrain(sync)))
              if (step > 0 && draw.below(3) === 0) {
                yield* Effect.sleep(draw.below(25))
                yield* Fiber.interrupt(fiber)
              } else yield* Fiber.join(fiber)
              const files = (yield* fs.readDirectory(to, { recursive: true })).filter((name) =>
                /\.(parquet|ndjson)$/.test(name)
              )
              if (draw.below(4) === 0 && files.length > 0) yield* fs.remove(`${to}/${draw.one(files)}`)
              for (const metric of others) {
                const from = Date.parse(draw.one(["2026-09-20", "2026-09-10", "2026-09-01"]))
                const days = draw.below(Math.floor((now - from) / dayLength))
                const [start_time = "", end_time = ""] = [from, from + days * dayLength].map(dateOf)
                const range = { assets: [draw.one(assets)], metrics: [metric], start_time, end_time }
                const held = yield* Effect.result(
                  Stream.runCollect(Dataset.read(assetMetrics, range, { from: to, offline: true }))
                )
                if (held._tag === "Failure") {
                  refused += 1
                  assert.strictEqual(held.failure._tag, "NotHeld")
                  continue
                }
                read += 1
                const values = valuesOf(held.success, metric)
                for (const [name, all] of said) {
                  const [own, asset = "", date = ""] = name.split(" ")
                  const isIn = own === metric && range.assets.includes(asset) && date >= start_time && date <= end_time
                  if (!isIn) assert.isFalse(values.has(name), name)
                  else assert.isTrue(all.has(values.get(name)), `seed ${seed}, step ${step}, ${name}`)
                }
              }
            }
            yield* Effect.ignore(Stream.runDrain(Dataset.sync({ to })))
            yield* Stream.runDrain(Dataset.verify(to))
          }).pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
        }
        assert.isAbove(read, 4)
        assert.isAbove(refused, 4)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    240_000
  )
})
