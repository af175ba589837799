import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Download } from "@sluice/files"
import * as SharedDataset from "@sluice/datasets/SharedDataset"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Files from "@sluice/files/internal/folder/Files"
import * as Bucket from "../../../files/test/storage/Bucket.ts"
import * as FailingDisk from "../../../files/test/download/FailingDisk.ts"
import { data, temporary, world } from "./Harness.ts"

const endpoint = Timeseries.assetMetrics

/** Days of two assets in four months, each of which is a part: the assets share its file. The time of the stand-in ends with them. */
const params = {
  assets: ["btc", "eth"],
  metrics: ["PriceUSD", "TxCnt"],
  start_time: "2026-08-15",
  end_time: "2026-11-01"
} as const

const how = { layout: { byEntity: false, period: "month", rows: 40 }, format: { as: "ndjson" } } as const

const loadOf = (folder: string, group = "backfill 1", more: Partial<SharedDataset.TargetFolder> = {}) =>
  SharedDataset.make({ endpoint, params, into: { ...how, ...more, folder } }, group)

const { end_time: _, ...open } = params

const sync = (folder: string) => Stream.runDrain(Dataset.sync({ endpoint, params: open, ...how, to: folder }))

const verify = (folder: string) => Stream.runDrain(Dataset.verify(folder))

/** What is held of each entity; fails where there is a load. */
const held = (folder: string) => Effect.map(Dataset.status(folder), (status) => status?.entities)

const requests = Effect.flatMap(Sandbox.Sandbox, ({ stats }) => Effect.map(stats, ({ requests }) => requests))

/** Reads what is not there, but for some, and gives how many parts were read. */
const load = Effect.fnUntraced(function* (folder: string, without: ReadonlyArray<number> = []) {
  const shared = yield* loadOf(folder)
  yield* shared.begin
  let read = 0
  for (let part = 0; part < shared.parts; part++) {
    if (without.includes(part) || (yield* shared.find(part)) !== undefined) continue
    yield* shared.read(part)
    read += 1
  }
  yield* shared.finish
  yield* shared.end
  return read
})

describe("the folder of a dataset that several processes load", () => {
  it.live("has the files of a sync by one, whoever read which part, and a sync goes on from there", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      yield* sync(`${to}/one`)
      const needed = yield* requests
      const [a, b] = [yield* loadOf(`${to}/many`), yield* loadOf(`${to}/many`)]
      assert.deepStrictEqual(yield* a.begin, { parts: 4, done: [] })
      yield* Effect.all([b.read(3), a.read(1), b.read(0), a.read(2)], { concurrency: 4 })
      const found = yield* a.find(3)
      assert.include(found, { part: 3, file: "btc and 1 more from 2026-11-01", records: 2 })
      yield* b.finish
      yield* a.end
      assert.isAtMost(yield* requests, 2 * needed)
      assert.deepStrictEqual(yield* data(`${to}/many`), yield* data(`${to}/one`))
      assert.deepStrictEqual(yield* held(`${to}/many`), yield* held(`${to}/one`))
      yield* verify(`${to}/many`)
      // Again it has nothing to do.
      assert.strictEqual((yield* a.begin).done.length, 4)
      assert.deepInclude(yield* a.find(3), found)
      yield* a.finish
      yield* a.end
      const before = yield* requests
      yield* sync(`${to}/many`)
      const more = (yield* requests) - before
      const again = yield* requests
      yield* sync(`${to}/one`)
      assert.strictEqual(more, (yield* requests) - again)
      assert.deepStrictEqual(yield* data(`${to}/many`), yield* data(`${to}/one`))
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.live("has every hour of the day that it ends with as a date, and a sync begins behind it", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const hourly = {
        assets: ["btc"],
        metrics: ["ReferenceRateUSD"],
        frequency: "1h",
        start_time: "2026-10-20"
      } as const
      for (const [end, first, last] of [
        [{ end_time: "20261022" }, "2026-10-23", "T23:00"],
        [{ end_time: "2026-10-23", end_inclusive: false }, "2026-10-23", "T23:00"],
        [{ end_time: "2026-10-22T05:00:00" }, "2026-10-22", "T05:00"]
      ] as const) {
        const folder = `${to}/${end.end_time.replaceAll(":", "")}`
        const shared = yield* SharedDataset.make(
          { endpoint, params: { ...hourly, ...end }, into: { ...how, folder } },
          "backfill 1"
        )
        yield* shared.begin
        yield* Effect.forEach(
          Array.from({ length: shared.parts }, (_, part) => part),
          shared.read
        )
        yield* shared.finish
        yield* shared.end
        const rows = Object.values(yield* data(folder))
          .join("")
          .trim()
          .split("\n")
        assert.lengthOf(rows, last === "T23:00" ? 72 : 54)
        assert.include(rows.at(-1), `2026-10-22${last}`)
        yield* Stream.runDrain(Dataset.sync({ endpoint, params: hourly, ...how, to: folder }))
        const all = Object.values(yield* data(folder))
          .join("")
          .trim()
          .split("\n")
        assert.lengthOf(all, 12 * 24 + 1)
        assert.include(all[rows.length], first)
      }
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.live(
    "has no dataset or all of it, whatever was being done with files when a process ended, and the next goes on",
    () =>
      Effect.gen(function* () {
        const to = yield* temporary
        const fs = yield* FileSystem.FileSystem
        yield* sync(`${to}/one`)
        const [whole, rows] = [yield* data(`${to}/one`), yield* held(`${to}/one`)]
        const log: FailingDisk.Log = []
        assert.strictEqual(yield* Effect.provide(load(`${to}/calm`), FailingDisk.life(1, Infinity, log)), 4)
        assert.isAbove(log.length, 100)
        let adopted = 0
        for (const moment of log.keys()) {
          // The last of them make the dataset.
          if (!TestMode.isLong && moment % (moment < log.length - 60 ? 200 : 9) !== 0) continue
          const when = `killed at ${moment}, ${log[moment]}`
          const folder = `${to}/${moment}`
          yield* Effect.ignore(Effect.provide(load(folder), FailingDisk.life(1, moment)))
          // Whoever reads the folder now.
          const ledger = yield* Effect.result(Dataset.defined(folder))
          if (ledger._tag === "Failure") assert.strictEqual(ledger.failure._tag, "LoadUnfinished", when)
          else if (ledger.success !== undefined) adopted += 1
          else assert.deepStrictEqual(yield* data(folder), {}, when)
          const read = yield* Effect.provide(load(folder), FailingDisk.life(2))
          if (ledger._tag === "Success" && ledger.success !== undefined) assert.strictEqual(read, 0, when)
          assert.deepStrictEqual(yield* data(folder), whole, when)
          assert.deepStrictEqual(yield* held(folder), rows, when)
          yield* verify(folder)
          const left = yield* fs.readDirectory(`${folder}/.sluice`, { recursive: true })
          assert.sameMembers(
            left.filter((name) => !name.startsWith("changes-")),
            ["dataset.json", "load", "load/load.json", "parts"],
            when
          )
          yield* fs.remove(folder, { recursive: true })
        }
        assert.isAbove(adopted, 3)
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.live("is made in a bucket after a kill between the first change and its ledger", () =>
    Effect.gen(function* () {
      const shared = yield* loadOf("s3://data/prices")
      yield* shared.begin
      yield* shared.read(0)
      yield* (yield* Files.make).put("s3://data/prices/.sluice/changes-1.journal", '{"of":"what nobody wrote"}\n')
      yield* shared.finish
      yield* shared.end
      assert.deepInclude((yield* held("s3://data/prices"))?.[0], {
        entity: "btc",
        last: "2026-08-31T00:00:00.000000000Z"
      })
      yield* verify("s3://data/prices")
    }).pipe(Effect.scoped, Effect.provide([world, Bucket.make().layer(Bucket.calm)]))
  )

  it.live("is closed to syncs and downloads until the load has ended, which the error names", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const shared = yield* loadOf(to)
      yield* shared.begin
      yield* shared.read(0)
      const closed = Effect.gen(function* () {
        for (const attempt of [sync(to), verify(to), Effect.asVoid(Dataset.status(to))]) {
          const error = yield* Effect.flip(attempt)
          assert.strictEqual(error._tag, "LoadUnfinished")
          assert.include(error.message, "loaded for the first time by backfill 1, which has not ended")
        }
        const other = yield* Effect.flip((yield* loadOf(to, "backfill 2", { layout: { period: "day" } })).begin)
        if (other._tag === "FolderInUse") assert.include(other.message, "in use by backfill 1")
        if (other._tag === "OtherDefinition")
          assert.match(other.message, /; dataset\.layout\.period is \w+ there, and day in the job(?:;|$)/)
        const download = Download.run({ endpoint, params, format: { as: "csv" }, to })
        return [other._tag, (yield* Effect.flip(Stream.runDrain(download)))._tag]
      })
      assert.deepStrictEqual(yield* closed, ["FolderInUse", "FolderInUse"])
      yield* shared.end
      // It was stopped before its end.
      assert.deepStrictEqual(yield* closed, ["OtherDefinition", "FolderOccupied"])
      assert.strictEqual(yield* load(to), 3)
      yield* verify(to)
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.live("leaves what could not be read to the next sync, or to the load when it is tried again", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      yield* sync(`${to}/one`)
      for (const name of ["synced", "again"]) {
        assert.strictEqual(yield* load(`${to}/${name}`, [1, 3]), 2)
        yield* verify(`${to}/${name}`)
      }
      yield* sync(`${to}/synced`)
      assert.deepStrictEqual(yield* data(`${to}/synced`), yield* data(`${to}/one`))
      assert.strictEqual(yield* load(`${to}/synced`), 0)
      assert.strictEqual(yield* load(`${to}/again`, [3]), 1)
      assert.strictEqual(yield* load(`${to}/again`), 1)
      assert.deepStrictEqual(yield* data(`${to}/again`), yield* data(`${to}/one`))
      assert.deepStrictEqual(yield* held(`${to}/again`), yield* held(`${to}/one`))
      yield* verify(`${to}/again`)
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.live("has no file that was damaged between its reading and the end: that part is read again", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const fs = yield* FileSystem.FileSystem
      yield* load(`${to}/one`)
      const shared = yield* loadOf(`${to}/many`)
      yield* shared.begin
      for (let part = 0; part < shared.parts; part++) yield* shared.read(part)
      const [name = ""] = yield* fs.readDirectory(`${to}/many/.sluice/parts`)
      const bytes = yield* fs.readFile(`${to}/many/.sluice/parts/${name}`)
      yield* fs.writeFile(`${to}/many/.sluice/parts/${name}`, bytes.fill(88, 40, 60))
      const before = yield* requests
      yield* shared.finish
      yield* shared.end
      assert.isAbove(yield* requests, before)
      assert.deepStrictEqual(yield* data(`${to}/many`), yield* data(`${to}/one`))
      yield* verify(`${to}/many`)
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.provide(world))
  )

  it.live("is refused where a sync has begun, or where what is asked for is no load", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      yield* sync(`${to}/one`)
      const occupied = yield* Effect.flip(load(`${to}/one`))
      assert.include(occupied.message, "has a dataset already")
      yield* load(`${to}/grown`, [1])
      const grown = { endpoint, params: { ...open, metrics: ["AdrActCnt"] }, ...how, to: `${to}/grown` } as const
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(Dataset.sync(grown))))._tag, "OtherDefinition")
      const make = (params: object) =>
        Effect.flip(
          SharedDataset.make({ endpoint, params: params as never, into: { folder: `${to}/none` } }, "backfill 1")
        )
      assert.include((yield* make(open)).message, '"end_time" is missing')
      assert.include((yield* make({ ...params, start_time: undefined })).message, '"start_time" is missing')
      const job = { endpoint, params, split: { by: "assets" }, into: { folder: `${to}/none` } } as const
      assert.include((yield* Effect.flip(SharedDataset.make(job, "backfill 1"))).message, '"split" is of a download')
      assert.include((yield* make({ ...params, assets: ["b*"] })).message, 'has the wildcard "b*"')
    }).pipe(Effect.scoped, Effect.provide(world))
  )
})
