import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Client, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as FailingDisk from "../../../files/test/download/FailingDisk.ts"
import * as Duck from "../../../files/test/formats/Duck.ts"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import * as DeltaReader from "./DeltaReader.ts"
import { temporary, world } from "./Harness.ts"
import { change, type Row, setup, time } from "./Store.ts"

const glob = (to: string) => `read_parquet('${to}/**/*.parquet', hive_partitioning = true)`

/** All rows of a source as text, in order. */
const rowsOf = (source: string) =>
  Duck.query(`select asset::varchar, epoch_us(time)::varchar, "PriceUSD"::varchar from ${source} order by asset, time`)

const latest = Effect.fnUntraced(function* (to: string) {
  const version = yield* DeltaReader.read(`${to}.delta`)
  return { ...version, rows: yield* rowsOf(DeltaReader.source(`${to}.delta`, version)) }
})

const job = {
  endpoint: Timeseries.assetMetrics,
  params: { assets: ["btc", "eth", "ltc"], metrics: ["PriceUSD"], start_time: "2026-01-01" },
  layout: { period: "month" },
  lookBack: "8 days",
  snapshots: "delta"
} as const

const clocked = Layer.merge(Sandbox.layerClient(Client.layer, { history: { seed: 3 } }), NodeServices.layer)

describe("versions of a dataset", () => {
  it.effect("are whole moments for readers while syncs go on, and are what they were afterwards", () =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/closes`
      const run = Stream.runDrain(Dataset.sync({ ...job, to }))
      yield* run
      const moments = [yield* rowsOf(glob(to))]
      const seen = new Map<number, ReadonlyArray<unknown>>()
      let during = 0
      for (let day = 0; day < 4 || during < 4; day++) {
        yield* TestClock.adjust("1 day")
        const sync = yield* Effect.forkChild(run)
        for (let isRunning = true; isRunning;) {
          const { rows, version } = yield* latest(to)
          assert.deepStrictEqual(rows, seen.get(version) ?? rows)
          seen.set(version, rows)
          isRunning = sync.pollUnsafe() === undefined
          if (isRunning) during += 1
        }
        yield* Fiber.join(sync)
        moments.push(yield* rowsOf(glob(to)))
        assert.deepStrictEqual((yield* latest(to)).rows, moments.at(-1))
      }
      // Each is what a sync has left, though readers came while one went on.
      for (const rows of seen.values()) assert.deepInclude(moments, rows)
      for (const [version, rows] of seen) {
        const again = yield* DeltaReader.read(`${to}.delta`, version)
        assert.deepStrictEqual(yield* rowsOf(DeltaReader.source(`${to}.delta`, again)), rows)
      }
    }).pipe(Effect.provide(clocked))
  )

  it.effect("have checkpoints, from which readers begin, and go after a week", () =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/closes`
      const fs = yield* FileSystem.FileSystem
      const root = `${to}.delta`
      for (let day = 0; day < 23; day++) {
        yield* Stream.runDrain(Dataset.sync({ ...job, to }))
        yield* TestClock.adjust("1 day")
      }
      const all = yield* DeltaReader.versions(root)
      assert.strictEqual(all.at(-1), 23)
      const pointer = JSON.parse(yield* fs.readFileString(`${root}/_delta_log/_last_checkpoint`))
      assert.strictEqual(pointer.version, 20)
      const whole = yield* DeltaReader.read(root)
      const begun = yield* DeltaReader.read(root, undefined, 20)
      assert.strictEqual(begun.protocol?.minReaderVersion, 1)
      assert.deepStrictEqual(begun.metaData.schemaString, whole.metaData.schemaString)
      assert.deepStrictEqual([...begun.files.keys()].toSorted(), [...whole.files.keys()].toSorted())
      const source = DeltaReader.source(root, begun)
      assert.deepStrictEqual(yield* rowsOf(source), yield* rowsOf(glob(to)))
      // Each day replaces the file of the month, of three assets.
      const names = (yield* fs.readDirectory(root)).filter((name) => name.endsWith(".parquet"))
      const current = [...whole.files.keys()]
      assert.includeMembers(
        names,
        current.map((path) => path)
      )
      assert.isBelow(names.length - current.length, 3 * 9)
      assert.isAbove(names.length - current.length, 3 * 5)
    }).pipe(Effect.provide(clocked))
  )

  it.live("know the columns, the bounds and the number of records of their files", () =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/closes`
      yield* Stream.runDrain(Dataset.sync({ ...job, to }))
      const { files, metaData } = yield* DeltaReader.read(`${to}.delta`)
      assert.deepStrictEqual(metaData.partitionColumns, ["asset"])
      assert.deepStrictEqual(
        JSON.parse(metaData.schemaString).fields.map(({ name, type }: { name: string; type: string }) => [name, type]),
        [
          ["asset", "string"],
          ["time", "timestamp"],
          ["PriceUSD", "double"]
        ]
      )
      const fs = yield* FileSystem.FileSystem
      for (const [path, { size, stats }] of files) {
        assert.strictEqual(Number((yield* fs.stat(`${to}.delta/${path}`)).size), Number(size))
        const [[rows, first, last, type] = []] = yield* Duck.query(
          `select count(*)::int, min(time)::varchar, max(time)::varchar, any_value(typeof(time)) from read_parquet('${to}.delta/${path}')`
        )
        const { maxValues, minValues, numRecords } = JSON.parse(stats)
        assert.strictEqual(numRecords, rows)
        assert.strictEqual(type, "TIMESTAMP WITH TIME ZONE")
        assert.deepStrictEqual(
          [minValues.time, maxValues.time].map(Date.parse),
          [first, last].map((one) => Date.parse(String(one)))
        )
      }
      const more = { ...job.params, metrics: ["PriceUSD", "TxCnt"] }
      yield* Stream.runDrain(Dataset.sync({ ...job, params: more, to }))
      const next = yield* DeltaReader.read(`${to}.delta`)
      assert.strictEqual(next.metaData.id, metaData.id)
      assert.include(next.metaData.schemaString, '"TxCnt"')
    }).pipe(Effect.provide(world))
  )

  it.live("are kept by runs that do not name them, and end where a job says so", () =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/closes`
      const fs = yield* FileSystem.FileSystem
      yield* Stream.runDrain(Dataset.sync({ ...job, to }))
      yield* Stream.runDrain(Dataset.sync({ to, recheck: "1 day" }))
      const { snapshots: _, ...named } = job
      yield* Stream.runDrain(Dataset.sync({ ...named, to, format: { as: "parquet" } }))
      assert.isTrue(yield* fs.exists(`${to}/.sluice/delta.json`))
      // Somebody removes the table: another begins.
      yield* fs.remove(`${to}.delta`, { recursive: true })
      yield* Stream.runDrain(Dataset.sync({ to }))
      assert.deepStrictEqual((yield* latest(to)).rows, yield* rowsOf(glob(to)))
      yield* fs.rename(to, `${to}2`)
      yield* Stream.runDrain(Dataset.sync({ to: `${to}2` }))
      assert.deepStrictEqual((yield* latest(`${to}2`)).rows, (yield* latest(to)).rows)
      yield* fs.rename(`${to}2`, to)
      yield* Stream.runDrain(Dataset.sync({ to, snapshots: "none" }))
      assert.deepStrictEqual(yield* fs.readDirectory(`${to}.delta`, { recursive: true }), ["_delta_log"])
      assert.isFalse(yield* fs.exists(`${to}/.sluice/delta.json`))
      yield* Stream.runDrain(Dataset.verify(to))
    }).pipe(Effect.provide(world))
  )

  it.live("are copies on a disk without hard links", () =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/closes`
      const refuse = PlatformError.systemError({
        _tag: "PermissionDenied",
        module: "FileSystem",
        method: "link",
        cause: Object.assign(new Error("EPERM"), { code: "EPERM" })
      })
      const withoutLinks = Layer.effect(
        FileSystem.FileSystem,
        Effect.map(FileSystem.FileSystem, (fs) => ({ ...fs, link: () => Effect.fail(refuse) }))
      )
      yield* Effect.provide(Stream.runDrain(Dataset.sync({ ...job, to })), withoutLinks)
      const { files, rows } = yield* latest(to)
      assert.deepStrictEqual(rows, yield* rowsOf(glob(to)))
      const fs = yield* FileSystem.FileSystem
      const names = yield* fs.readDirectory(`${to}.delta`)
      assert.sameMembers(names, ["_delta_log", ...files.keys()])
    }).pipe(Effect.provide(world))
  )

  it.live("are refused of files that Delta does not read, and where somebody else has written a version", () =>
    Effect.gen(function* () {
      const [first, second] = [`${yield* temporary}/a`, `${yield* temporary}/b`]
      const { snapshots: _, ...plain } = job
      yield* Stream.runDrain(Dataset.sync({ ...plain, to: first }))
      const refused = yield* Effect.flip(Stream.runDrain(Dataset.sync({ ...job, to: first })))
      assert.strictEqual(refused._tag, "OtherDefinition")
      assert.include(refused.message, "times")
      const csv = yield* Effect.flip(Stream.runDrain(Dataset.sync({ ...job, to: second, format: { as: "csv" } })))
      assert.strictEqual(csv._tag, "BadDefinition")
      const fs = yield* FileSystem.FileSystem
      yield* Stream.runDrain(Dataset.sync({ ...job, to: second }))
      yield* fs.writeFileString(`${second}.delta/_delta_log/${"2".padStart(20, "0")}.json`, "{}\n")
      const params = { ...job.params, metrics: ["PriceUSD", "TxCnt"] }
      const foreign = yield* Effect.flip(Stream.runDrain(Dataset.sync({ ...job, params, to: second })))
      assert.strictEqual(foreign._tag, "FileChanged")
      // Of a dataset that was removed, the table stays as it is.
      yield* fs.remove(second, { recursive: true })
      const names = yield* fs.readDirectory(`${second}.delta`, { recursive: true })
      const left = yield* Effect.flip(Stream.runDrain(Dataset.sync({ ...job, to: second })))
      assert.strictEqual(left._tag, "FileChanged")
      assert.deepStrictEqual(yield* fs.readDirectory(`${second}.delta`, { recursive: true }), names)
      assert.include(foreign.message, "_delta_log")
    }).pipe(Effect.provide(world))
  )
})

const options = {
  layout: { byEntity: true, period: "month", rows: 20 },
  format: { as: "parquet", times: "micros" },
  snapshots: "delta"
} as const

const daily = (asset: string, from: number, to: number, PriceUSD: string): ReadonlyArray<Row> =>
  Array.from({ length: to - from }, (_, day) => ({ asset, time: time(from + day), PriceUSD }))

const apply = (to: string, changes: ReadonlyArray<Dataset.Change>) =>
  Effect.gen(function* () {
    const store = yield* FolderStore.make(to, options)
    const { apply, settle } = yield* store.open(setup)
    for (const one of changes) {
      yield* apply(one)
      yield* settle!(undefined)
    }
  }).pipe(Effect.scoped)

const all = (asset: string) => ({ entity: asset, from: undefined, to: undefined })

const copyOf = (from: string, to: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) =>
    Effect.andThen(fs.copy(from, to), fs.copy(`${from}.delta`, `${to}.delta`))
  )

describe("a version of files that were compacted", () => {
  it.live("says that no data changed, and what did change has one before it", () =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/closes`
      yield* apply(to, [change([all("btc")], daily("btc", 0, 40, "1"))])
      // A run that ends before it makes a version of its last change.
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { apply } = yield* (yield* FolderStore.make(to, options)).open(setup)
          yield* apply(change([all("eth")], daily("eth", 0, 40, "1")))
          yield* apply(change([all("ltc")], daily("ltc", 0, 40, "1")))
        })
      )
      const [before = 0] = (yield* DeltaReader.versions(`${to}.delta`)).slice(-1)
      yield* Stream.runDrain(Dataset.compact(to, { layout: { period: "year" } }))
      const told = yield* Effect.forEach([before + 1, before + 2], (version) =>
        Effect.map(DeltaReader.commit(`${to}.delta`, version), (actions) => ({
          operation: actions.flatMap(({ commitInfo }) => commitInfo?.operation ?? []),
          changes: new Set(actions.flatMap(({ add, remove }) => (add ?? remove)?.dataChange ?? []))
        }))
      )
      assert.deepStrictEqual(told, [
        { operation: ["WRITE"], changes: new Set([true]) },
        { operation: ["OPTIMIZE"], changes: new Set([false]) }
      ])
      assert.deepStrictEqual(yield* DeltaReader.versions(`${to}.delta`), [...Array(before + 3).keys()])
      assert.deepStrictEqual((yield* latest(to)).rows, yield* rowsOf(glob(to)))
    }).pipe(Effect.provide(world))
  )
})

describe("a version that a kill meets", () => {
  it.live("is whole or absent, and the next run goes on with the one after it", () =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/closes`
      const fs = yield* FileSystem.FileSystem
      const rows = [...daily("btc", 0, 40, "1"), ...daily("eth", 0, 40, "1")]
      yield* apply(`${to}/base`, [change([all("btc"), all("eth")], rows)])
      const later = [
        change([{ entity: "btc", from: time(38), to: undefined }], daily("btc", 38, 50, "2")),
        change([all("eth")], daily("eth", 5, 20, "3"))
      ]
      const log: FailingDisk.Log = []
      yield* copyOf(`${to}/base`, `${to}/calm`)
      yield* Effect.provide(apply(`${to}/calm`, later), FailingDisk.life(1, Infinity, log))
      assert.include(log, "link")
      const end = (yield* latest(`${to}/calm`)).rows
      const met = new Set<number>()
      for (const moment of log.keys()) {
        if (!TestMode.isLong && moment % 7 !== 0) continue
        const folder = `${to}/${moment}`
        const when = `killed at ${moment}, ${log[moment]}`
        yield* copyOf(`${to}/base`, folder)
        yield* Effect.ignore(Effect.provide(apply(folder, later), FailingDisk.life(1, moment)))
        const killed = yield* latest(folder)
        met.add(killed.version)
        yield* Effect.provide(apply(folder, later), FailingDisk.life(2))
        assert.deepStrictEqual((yield* latest(folder)).rows, end, when)
        assert.deepStrictEqual(yield* rowsOf(glob(folder)), end, when)
        const versions = yield* DeltaReader.versions(`${folder}.delta`)
        assert.deepStrictEqual(versions, [...versions.keys()], when)
        const before = yield* DeltaReader.read(`${folder}.delta`, killed.version)
        assert.deepStrictEqual(yield* rowsOf(DeltaReader.source(`${folder}.delta`, before)), killed.rows, when)
        yield* fs.remove(folder, { recursive: true })
        yield* fs.remove(`${folder}.delta`, { recursive: true })
      }
      assert.includeMembers([...met], [1, 2])
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
