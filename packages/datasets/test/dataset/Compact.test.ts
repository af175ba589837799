import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Files from "@sluice/files/internal/folder/Files"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as FailingDisk from "../../../files/test/download/FailingDisk.ts"
import * as Duck from "../../../files/test/formats/Duck.ts"
import * as S3Server from "../../../files/test/storage/S3Server.ts"
import * as Look from "../../src/internal/folder/Look.ts"
import * as Recovery from "../../src/internal/folder/Recovery.ts"
import * as Layout from "../../src/internal/ledger/Layout.ts"
import * as Ledger from "../../src/internal/ledger/Ledger.ts"
import * as Days from "../database/Days.ts"
import * as DeltaReader from "./DeltaReader.ts"
import { collected, temporary } from "./Harness.ts"
import * as Sql from "./VersionsSql.ts"

const { assetMetrics } = Timeseries

const params = { assets: ["btc", "eth", "ltc"], metrics: ["PriceUSD", "TxCnt"], start_time: "2026-09-21" }

const formats = [
  { as: "ndjson", compression: "gzip" },
  { as: "csv" },
  { as: "parquet", numbers: "text" },
  { as: "parquet", times: "micros" }
] as const

const ledgerOf = Effect.fnUntraced(function* (to: string) {
  const files = yield* Files.make
  return (yield* Ledger.read(files, to, files.join(to, ".sluice")))!
})

/** Whether files have yet to get their names, or to go: until the next run does so, whoever reads is told that a run was interrupted. */
const isPending = Effect.fnUntraced(function* (to: string) {
  const files = yield* Files.make
  return yield* Recovery.isPending(files, Look.pathsOf(files, to), yield* ledgerOf(to))
})

/** Folders below one in which nothing is. */
const emptyIn = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const names = (yield* fs.readDirectory(folder, { recursive: true })).filter((name) => !name.startsWith(".sluice"))
  return yield* Effect.filter(names, (name) =>
    Effect.map(
      Effect.orElseSucceed(fs.readDirectory(`${folder}/${name}`), () => ["a file"]),
      (found) => found.length === 0
    )
  )
})

const revisionsOf = (from: string) =>
  Effect.map(Stream.runCollect(Dataset.revisions(assetMetrics, params, { from })), (all) => JSON.stringify(all))

/** What a dataset says of the present, and of moments. */
const contentOf = Effect.fnUntraced(function* (to: string, moments: ReadonlyArray<string>, isInSql: boolean) {
  const read = (asOf?: string) =>
    collected(Dataset.read(assetMetrics, params, { from: to, offline: true, asOf, maxAge: "1000 days" }))
  yield* Stream.runDrain(Dataset.verify(to))
  return {
    present: yield* read(),
    past: yield* Effect.forEach(moments, read),
    revisions: moments.length === 0 ? "" : yield* revisionsOf(to),
    entities: (yield* Dataset.status(to))?.entities,
    sql: isInSql
      ? (yield* Sql.asOf(yield* Dataset.sql(to), moments)).map((rows) =>
          rows.map((row) => JSON.stringify(row)).toSorted()
        )
      : []
  }
})

const cursorsOf = (to: string) => Effect.map(ledgerOf(to), ({ cursors }) => [...cursors])

const deltaOf = Effect.fnUntraced(function* (to: string) {
  const version = yield* DeltaReader.read(`${to}.delta`)
  const source = DeltaReader.source(`${to}.delta`, version)
  return yield* Duck.query(
    `select asset::varchar, epoch_us(time)::varchar, "PriceUSD"::varchar from ${source} order by all`
  )
})

interface Drawn {
  readonly layout: { readonly period: "day" | "month"; readonly byEntity: boolean; readonly rows: number }
  readonly to: { readonly period: "day" | "month" | "year" | "none"; readonly rows: number }
}

const layoutsOf = (draw: Draw.Draw): Drawn => {
  const period = draw.one(["day", "day", "month"] as const)
  const all = ["day", "month", "year", "none"] as const
  return {
    layout: { period, byEntity: draw.chance(0.6), rows: draw.one([3, 9, 1_000]) },
    to: { period: draw.one(all.slice(all.indexOf(period))), rows: draw.one([5, 40, 1_000]) }
  }
}

/** A dataset that is compacted by processes of which most are killed, between syncs of a service that revises what it said. */
const lives = Effect.fnUntraced(function* (seed: number) {
  const draw = Draw.from(seed)
  const fs = yield* FileSystem.FileSystem
  const service = yield* Days.make(seed)
  const to = `${yield* temporary}/closes`
  const control = `${yield* temporary}/closes`
  const format = draw.one(formats)
  const drawn = layoutsOf(draw)
  const versions = draw.chance(0.6) ? ("keep" as const) : undefined
  const snapshots = "times" in format ? ("delta" as const) : undefined
  const job = { endpoint: assetMetrics, params, format, layout: drawn.layout, lookBack: "90 days", versions } as const
  const why = `seed ${seed}, ${JSON.stringify({ format, ...drawn, versions })}`
  const sync = Effect.andThen(
    Effect.suspend(() => Stream.runDrain(Dataset.sync({ ...job, layout: undefined, to }))),
    Stream.runDrain(Dataset.sync({ ...job, to: control }))
  )
  const moments: Array<string> = []
  const days = Effect.fnUntraced(function* (some: ReadonlyArray<number>) {
    for (const day of some) {
      service.at(day)
      yield* sync
      if (versions !== undefined) moments.push(new Date(yield* Clock.currentTimeMillis).toISOString())
    }
  })
  const isInSql = versions !== undefined && format.as !== "csv" && seed % 2 === 0
  const content = contentOf(to, moments, isInSql)
  let [compared, number] = [0, 0]
  const compact = (ends: number, at = to, log: FailingDisk.Log = []) =>
    Stream.runDrain(Dataset.compact(at, { layout: drawn.to })).pipe(
      Effect.provide(FailingDisk.life(++number, ends, log))
    )
  const all = Effect.gen(function* () {
    service.at(0)
    yield* Stream.runDrain(Dataset.sync({ ...job, to, snapshots }))
    yield* days([0, 1, 3])
    const before = yield* content
    assert.isAbove(before.present.length, 20, why)
    const delta = snapshots && (yield* deltaOf(to))
    const copy = `${yield* temporary}/closes`
    yield* fs.copy(to, copy)
    const log: FailingDisk.Log = []
    yield* compact(Infinity, copy, log)
    let cursors = yield* cursorsOf(to)
    for (let kill = 0; kill < 4; kill++) {
      const result = yield* Effect.result(compact(draw.below(log.length)))
      if (result._tag === "Failure") assert.include(["FileFailed", "FolderBusy"], result.failure._tag, why)
      if (!(yield* isPending(to))) {
        assert.deepStrictEqual(yield* content, before, why)
        compared += 1
      }
      if (snapshots) assert.deepStrictEqual(yield* deltaOf(to), delta, why)
      assert.deepStrictEqual(yield* cursorsOf(to), cursors, why)
      if (draw.chance(0.3)) {
        yield* Stream.runDrain(Dataset.sync({ to }))
        cursors = yield* cursorsOf(to)
      }
    }
    const events = yield* Stream.runCollect(Dataset.compact(to, { layout: drawn.to }))
    assert.deepStrictEqual(yield* cursorsOf(to), cursors, why)
    assert.deepStrictEqual(yield* content, before, why)
    if (snapshots) assert.deepStrictEqual(yield* deltaOf(to), delta, why)
    const { files, histories, layout } = yield* ledgerOf(to)
    assert.deepStrictEqual(
      layout,
      Layout.Layout.make({ ...layout, rows: drawn.to.rows, byEntity: drawn.layout.byEntity })
    )
    for (const one of [...files.values(), ...(histories?.values() ?? [])]) {
      assert.strictEqual(Layout.periodOf(one) ?? "none", drawn.to.period, why)
    }
    for (const own of Map.groupBy(files.values(), ({ entity, period }) => Layout.idOf({ entity, period })).values()) {
      assert.isAtMost(own.length, Math.ceil(own.reduce((sum, { rows }) => sum + rows, 0) / drawn.to.rows), why)
    }
    assert.deepStrictEqual(yield* emptyIn(to), [], why)
    const last = events.at(-1)!
    assert.deepInclude(last, { _tag: "Compacting", dataset: to, compacted: last.files })
    assert.isAtMost(last.records, before.present.length, why)
    assert.isAtMost(last.written, files.size, why)
    const [again] = yield* Stream.runCollect(Dataset.compact(to))
    assert.deepInclude(again, { files: 0, records: 0 }, why)
    // And goes on as one that never was compacted.
    yield* days([4, 6])
    const { entities, present } = yield* content
    const other = yield* contentOf(control, [], false)
    assert.deepStrictEqual([present, entities], [other.present, other.entities], why)
    if (snapshots) assert.strictEqual((yield* deltaOf(to)).length, present.length, why)
  })
  yield* all.pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
  return compared
})

/** Ways to read what a dataset has. */
const reads = (
  from: string,
  asOf: string
): ReadonlyArray<Stream.Stream<object, unknown, FileSystem.FileSystem | Path.Path>> => [
  Dataset.read(assetMetrics, params, { from, offline: true }),
  Dataset.read(assetMetrics, params, { from, offline: true, asOf }),
  Dataset.read(assetMetrics, params, { from, offline: true, asOf: "2026-10-01T12:00:00Z" }),
  Dataset.revisions(assetMetrics, params, { from }),
  Stream.map(Dataset.columns(assetMetrics, params, { from, offline: true }), ({ length }) => ({ length }))
]

/** Rows of these arrays of columns. */
const sum = (some: ReadonlyArray<string>) => some.reduce((rows, one) => rows + JSON.parse(one).length, 0)

describe("a dataset that is compacted", () => {
  it.live(
    "has the same records, versions and snapshots at every moment, however often it is killed, and goes on as if nothing were",
    () =>
      Effect.forEach(TestMode.seeds(1, 3), (seed) => Effect.scoped(lives(seed))).pipe(
        Effect.map((compared) =>
          assert.isAtLeast(
            compared.reduce((sum, one) => sum + one, 0),
            TestMode.times(1, 4)
          )
        ),
        Effect.provide(NodeServices.layer)
      ),
    600_000
  )

  it.live(
    "is as before, in part or as asked for, whatever its process was doing with files when it ended",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const service = yield* Days.make(1)
        const few = { ...params, assets: ["btc", "eth"], start_time: "2026-09-27" }
        let number = 0
        for (const byEntity of [true, false]) {
          const first = `${yield* temporary}/closes`
          const layout = { period: "day", byEntity, rows: 3 } as const
          const format = { as: "ndjson" } as const
          const job = { endpoint: assetMetrics, params: few, to: first, format, layout, versions: "keep" } as const
          const compact = (to: string, ends = Infinity, log: FailingDisk.Log = []) =>
            Stream.runDrain(Dataset.compact(to, { layout: { period: "none" } })).pipe(
              Effect.provide(FailingDisk.life(++number, ends, log))
            )
          const content = (from: string) =>
            Effect.map(
              Effect.all([
                Stream.runCollect(Dataset.read(assetMetrics, few, { from, offline: true })),
                Stream.runCollect(Dataset.revisions(assetMetrics, few, { from }))
              ]),
              (all) => JSON.stringify(all)
            )
          yield* Effect.gen(function* () {
            for (const day of [0, 1]) {
              service.at(day)
              yield* Stream.runDrain(Dataset.sync(job))
            }
            const before = yield* content(first)
            const whole = `${yield* temporary}/closes`
            yield* fs.copy(first, whole)
            const log: FailingDisk.Log = []
            yield* compact(whole, Infinity, log)
            const states = new Set<string>()
            const [each, from] = [TestMode.times(61, 31), TestMode.firstSeed]
            for (const ends of [...log.keys()].filter((index) => (index + from) % each === 0)) {
              const to = `${yield* temporary}/closes`
              yield* fs.copy(first, to)
              yield* Effect.ignore(compact(to, ends))
              if (!(yield* isPending(to))) {
                assert.strictEqual(yield* content(to), before, `${byEntity}, ${ends} of ${log.length}`)
              }
              const { files, histories, layout } = yield* ledgerOf(to)
              const periods = [...files.values()].map(Layout.periodOf)
              const isStopped = [...periods, ...[...(histories?.values() ?? [])].map(Layout.periodOf)].some(
                (period) => period !== layout.period
              )
              if (!(yield* isPending(to))) {
                assert.strictEqual((yield* Dataset.status(to))?.isCompacting, isStopped, `${byEntity}, ${ends}`)
              }
              states.add([...new Set(periods)].join())
              yield* compact(to)
              assert.isFalse((yield* Dataset.status(to))?.isCompacting)
              yield* Stream.runDrain(Dataset.verify(to))
              assert.strictEqual(yield* content(to), before, `${byEntity}, ${ends} of ${log.length}`)
              assert.deepStrictEqual(yield* emptyIn(to), [], `${byEntity}, ${ends} of ${log.length}`)
            }
            assert.isAtLeast(states.size, 3)
          }).pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
        }
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    240_000
  )

  it.live(
    "is read on by whoever reads it meanwhile, also as it was, what was revised, and in columns",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        for (const seed of TestMode.seeds(1, 3)) {
          const draw = Draw.from(seed)
          const service = yield* Days.make(seed)
          const { layout, to: next } = layoutsOf(draw)
          const job = {
            endpoint: assetMetrics,
            params,
            format: draw.one(formats),
            layout,
            lookBack: "90 days"
          } as const
          const why = `seed ${seed}, ${JSON.stringify({ layout, next, format: job.format })}`
          yield* Effect.gen(function* () {
            const first = yield* temporary
            for (const day of [0, 1, 3]) {
              service.at(day)
              yield* Stream.runDrain(Dataset.sync({ ...job, to: first, versions: "keep" }))
            }
            for (let index = 0; index < 5; index++) {
              const to = `${yield* temporary}/closes`
              yield* fs.copy(first, to)
              const read = reads(to, new Date(yield* Clock.currentTimeMillis).toISOString())[index]!
              const before = (yield* Stream.runCollect(read)).map((one) => JSON.stringify(one))
              const at = draw.below(before.length)
              const found: Array<string> = []
              const reading = Stream.runForEach(Stream.rechunk(read, 1), (one) => {
                found.push(JSON.stringify(one))
                return found.length === at + 1 ? Stream.runDrain(Dataset.compact(to, { layout: next })) : Effect.void
              })
              yield* reading
              const isColumns = index === 4
              assert.deepStrictEqual(
                isColumns ? sum(found) : found,
                isColumns ? sum(before) : before,
                `${why}, ${index}`
              )
              assert.strictEqual((yield* ledgerOf(to)).layout.period ?? "none", next.period)
            }
          }).pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
        }
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    240_000
  )

  it.live(
    "has in a bucket what it had, however often it is stopped",
    () =>
      Effect.gen(function* () {
        const root = yield* S3Server.start
        for (const seed of TestMode.seeds(1, 2)) {
          const draw = Draw.from(seed)
          const service = yield* Days.make(seed)
          const to = `s3://data/prices ${seed}`
          const next = { period: draw.one(["year", "none"] as const), rows: draw.one([3, 40]) }
          const layout = { period: "month", byEntity: draw.chance(0.5), rows: 3 } as const
          const few = { ...params, assets: ["btc", "eth"] }
          const format = draw.one(formats)
          const job = { endpoint: assetMetrics, params: few, format, layout, versions: "keep" } as const
          yield* Effect.gen(function* () {
            const read = collected(Dataset.read(assetMetrics, few, { from: to, offline: true }))
            const revisions = Stream.runCollect(Dataset.revisions(assetMetrics, few, { from: to }))
            const content = Effect.map(Effect.all([read, revisions]), (all) => JSON.stringify(all))
            for (const day of [0, 1]) {
              service.at(day)
              yield* Stream.runDrain(Dataset.sync({ ...job, to }))
            }
            const begun = yield* Clock.currentTimeMillis
            const before = yield* content
            const usual = (yield* Clock.currentTimeMillis) - begun
            for (let run = 0; run < 3; run++) {
              const compaction = Stream.runDrain(Dataset.compact(to, { layout: next }))
              const fiber = yield* Effect.forkChild(Effect.ignore(compaction))
              yield* Effect.sleep(draw.below(usual))
              yield* Fiber.interrupt(fiber)
              assert.strictEqual(yield* content, before)
            }
            yield* Stream.runDrain(Dataset.compact(to, { layout: next }))
            assert.strictEqual(yield* content, before)
            yield* Stream.runDrain(Dataset.verify(to))
            const { layout: now, removed } = yield* ledgerOf(to)
            assert.strictEqual(now.period ?? "none", next.period)
            // No path of a month is ever given again.
            assert.deepStrictEqual([...(removed ?? [])], [])
            yield* Stream.runDrain(Dataset.sync({ to }))
          }).pipe(Effect.provide(service.layer), Effect.provide(S3Server.layer(root), { local: true }))
        }
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    240_000
  )

  it.live("keeps the layout that it has where another is asked for that it cannot get", () =>
    Effect.gen(function* () {
      const service = yield* Days.make(1)
      const to = yield* temporary
      const refusal = (layout: Dataset.CompactOptions["layout"]) =>
        Effect.map(Effect.flip(Stream.runDrain(Dataset.compact(to, { layout }))), String)
      assert.include(yield* refusal({ period: "year" }), "NoDataset")
      service.at(0)
      const job = { endpoint: assetMetrics, params, to, layout: { period: "month" } } as const
      yield* Effect.provide(Stream.runDrain(Dataset.sync(job)), service.layer)
      assert.include(yield* refusal({ period: "day" }), "is shorter than what the dataset has: month")
      assert.include(yield* refusal({ rows: 0 }), "layout.rows")
      yield* Stream.runDrain(Dataset.compact(to, { layout: { period: "year" } }))
      const other = yield* Effect.flip(Effect.provide(Stream.runDrain(Dataset.sync(job)), service.layer))
      assert.strictEqual(other._tag, "OtherDefinition")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
