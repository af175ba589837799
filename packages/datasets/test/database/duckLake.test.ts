import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Client, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetPostgres from "@sluice/datasets/DatasetPostgres"
import { Sandbox } from "@sluice/sandbox"
import { Context, Effect, Fiber, FileSystem, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as FailingDisk from "../../../files/test/download/FailingDisk.ts"
import * as Duck from "../../../files/test/formats/Duck.ts"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import { temporary } from "../dataset/Harness.ts"
import { change, type Row, setup, time } from "../dataset/Store.ts"
import * as CuttingProxy from "./CuttingProxy.ts"
import * as DuckLakeReader from "./DuckLakeReader.ts"
import * as PostgresServer from "./PostgresServer.ts"

class Server extends Context.Service<Server, Effect.Success<typeof PostgresServer.make>>()("test/Server") {
  static readonly layer = Layer.provideMerge(Layer.effect(Server, PostgresServer.make), NodeServices.layer)
}

const clocked = Sandbox.layerClient(Client.layer, { history: { seed: 3 } })

const job = {
  endpoint: Timeseries.assetMetrics,
  params: { assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2026-08-01" },
  layout: { period: "month" },
  lookBack: "8 days"
} as const

const glob = (to: string) => `read_parquet('${to}/**/*.parquet', hive_partitioning = true)`

/** All rows of a source as text, in order. */
const rowsOf = (source: string) =>
  Duck.query(`select asset::varchar, epoch_us(time)::varchar, "PriceUSD"::varchar from ${source} order by asset, time`)

/** Some of the moments at which something may end, from the first to the last. */
const some = (moments: ReadonlyArray<number>): ReadonlyArray<number> => {
  const count = TestMode.times(3, 8)
  return Array.from({ length: count }, (_, at) => moments[Math.round((at * (moments.length - 1)) / (count - 1))]!)
}

/** A catalog of its own in the database. */
const catalog = Effect.fnUntraced(function* (schema: string, port?: number) {
  const server = yield* Server
  const reader = yield* DuckLakeReader.make(server.url(), schema)
  const read = Effect.fnUntraced(function* (name = "closes", at?: number) {
    const table = yield* reader.read(name, at)
    assert.isDefined(table)
    const rows = table.files.length === 0 ? [] : yield* rowsOf(yield* DuckLakeReader.source(table))
    return { ...table, rows }
  })
  return { ...reader, read, lake: DatasetPostgres.duckLake({ url: server.url(port), schema }) }
})

const daily = (asset: string, from: number, to: number, PriceUSD: string): ReadonlyArray<Row> =>
  Array.from({ length: to - from }, (_, day) => ({ asset, time: time(from + day), PriceUSD }))

const apply = Effect.fnUntraced(function* (
  to: string,
  snapshots: Dataset.Lake,
  changes: ReadonlyArray<Dataset.Change>
) {
  const layout = { byEntity: true, period: "month", rows: 20 } as const
  const store = yield* FolderStore.make(to, { layout, format: { as: "parquet", times: "micros" }, snapshots })
  const { apply, settle } = yield* store.open(setup)
  for (const one of changes) {
    yield* apply(one)
    yield* settle!(undefined)
  }
}, Effect.scoped)

const all = (asset: string) => ({ entity: asset, from: undefined, to: undefined })
const first = [change([all("btc"), all("eth")], [...daily("btc", 0, 40, "1"), ...daily("eth", 0, 40, "1")])]
const later = [
  change([{ entity: "btc", from: time(38), to: undefined }], daily("btc", 38, 50, "2")),
  change([all("eth")], daily("eth", 5, 20, "3"))
]

/** Applies the later changes on a disk that a kill ends. */
const live =
  (ends: number, log?: FailingDisk.Log) =>
  (to: string, { lake }: { readonly lake: Dataset.Lake }) =>
    Effect.provide(apply(to, lake, later), Layer.provideMerge(FailingDisk.life(1, ends, log), NodeServices.layer))

const told = ({ columns }: DuckLakeReader.Table) => columns.map((one) => [one["column_name"], one["column_type"]])

const counts = (source: string) => Duck.query(`select count("TxCnt")::int, sum("TxCnt")::varchar from ${source}`)

const isBtc = ({ path }: { readonly path: string }) => path.includes("/asset=btc/")

const suite = PostgresServer.isInstalled ? describe : describe.skip

suite(PostgresServer.title("versions of a dataset in a DuckLake"), () => {
  layer(Server.layer, { timeout: "60 seconds" })((it) => {
    it.effect("are whole moments for readers while syncs go on, and are what they were afterwards", () =>
      Effect.gen(function* () {
        const to = `${yield* temporary}/closes`
        const { lake, read } = yield* catalog("moments")
        const run = Stream.runDrain(Dataset.sync({ ...job, to, snapshots: lake }))
        yield* run
        const moments = [yield* rowsOf(glob(to))]
        const seen = new Map<number, ReadonlyArray<unknown>>()
        let during = 0
        for (let day = 0; day < 2 || during < 3; day++) {
          yield* TestClock.adjust("1 day")
          const sync = yield* Effect.forkChild(run)
          for (let isRunning = true; isRunning;) {
            const { rows, snapshot } = yield* read()
            assert.deepStrictEqual(rows, seen.get(snapshot) ?? rows)
            seen.set(snapshot, rows)
            isRunning = sync.pollUnsafe() === undefined
            if (isRunning) during += 1
          }
          yield* Fiber.join(sync)
          moments.push(yield* rowsOf(glob(to)))
          assert.deepStrictEqual((yield* read()).rows, moments.at(-1))
        }
        for (const [snapshot, rows] of seen) {
          assert.deepInclude(moments, rows)
          assert.deepStrictEqual((yield* read("closes", snapshot)).rows, rows)
        }
      }).pipe(Effect.provide(clocked))
    )

    it.effect("go after a week, and until then each has all of its files", () =>
      Effect.gen(function* () {
        const to = `${yield* temporary}/closes`
        const fs = yield* FileSystem.FileSystem
        const { lake, query, read, snapshots } = yield* catalog("weeks")
        const told = new Map<number, ReadonlyArray<unknown>>()
        for (let day = 0; day < 12; day += 2) {
          yield* Stream.runDrain(Dataset.sync({ ...job, to, snapshots: lake }))
          const { rows, snapshot } = yield* read()
          told.set(snapshot, rows)
          yield* TestClock.adjust("2 days")
        }
        const all = yield* snapshots
        // The one that was the last a week ago, and those after it. The first was made before the first sync.
        assert.deepStrictEqual(all, [3, 4, 5, 6, 7])
        const needed = new Set<string>()
        for (const snapshot of all) {
          const { files, rows } = yield* read("closes", snapshot)
          assert.deepStrictEqual(rows, told.get(snapshot))
          for (const { path } of files) needed.add(path)
        }
        const names = yield* fs.readDirectory(`${to}.ducklake`, { recursive: true })
        assert.sameMembers(
          names.filter((name) => name.endsWith(".parquet")).map((name) => `${to}.ducklake/${name}`),
          [...needed]
        )
        const [left] = yield* query(
          `SELECT count(*)::text AS files, (SELECT count(DISTINCT data_file_id)::text FROM ducklake_file_column_stats) AS stats
          FROM ducklake_data_file`
        )
        assert.deepStrictEqual(left, { files: String(needed.size), stats: String(needed.size) })
      }).pipe(Effect.provide(clocked))
    )

    it.effect("know the columns, the bounds and the number of records of their files", () =>
      Effect.gen(function* () {
        const to = `${yield* temporary}/closes`
        const { lake, pruned, query, read } = yield* catalog("facts")
        yield* Stream.runDrain(Dataset.sync({ ...job, to, snapshots: lake }))
        const first = yield* read()
        const before = [
          ["asset", "varchar"],
          ["time", "timestamptz"],
          ["PriceUSD", "float64"]
        ]
        assert.deepStrictEqual(told(first), before)
        const fs = yield* FileSystem.FileSystem
        for (const { footer, path, rows, size } of first.files) {
          assert.strictEqual(Number((yield* fs.stat(path)).size), size)
          const [[count, length] = []] = yield* Duck.query(
            `select num_rows::int, footer_size::int from parquet_file_metadata('${path}')`
          )
          assert.deepStrictEqual([rows, footer], [count, length])
        }
        const bounds = yield* query(
          `SELECT path, min_value, max_value FROM ducklake_file_column_stats JOIN ducklake_data_file USING (data_file_id, table_id)
          WHERE column_id = 2`
        )
        assert.lengthOf(bounds, first.files.length)
        for (const { max_value, min_value, path } of bounds) {
          const [found] = yield* Duck.query(
            `select min(time) = '${min_value}'::timestamptz, max(time) = '${max_value}'::timestamptz
            from read_parquet('${to}.ducklake/${path}')`
          )
          assert.deepStrictEqual(found, [true, true])
        }
        const of = (name: string) => String(first.columns.find((one) => one["column_name"] === name)?.["column_id"])
        const btc = yield* pruned(first.table.id, of("asset"), "varchar", "btc")
        const august = yield* pruned(first.table.id, of("time"), "timestamptz", "2026-08-05 00:00:00+00")
        const price = yield* pruned(first.table.id, of("PriceUSD"), "float8", "1")
        assert.sameMembers(
          [...btc],
          first.files.filter(isBtc).map(({ id }) => id)
        )
        assert.strictEqual(august.size, 2)
        assert.strictEqual(price.size, first.files.length)
        const [stats] = yield* query("SELECT record_count::text, file_size_bytes::text FROM ducklake_table_stats")
        const sum = (of: "rows" | "size") => String(first.files.reduce((all, file) => all + file[of], 0))
        assert.deepStrictEqual(stats, { record_count: sum("rows"), file_size_bytes: sum("size") })

        // A metric that is added, left out and taken up again has one column.
        const run = (metrics: ReadonlyArray<string>) =>
          Stream.runDrain(Dataset.sync({ ...job, params: { ...job.params, metrics }, to, snapshots: lake }))
        yield* run(["PriceUSD", "TxCnt"])
        const second = yield* read()
        assert.deepStrictEqual(told(second), [...before, ["TxCnt", "float64"]])
        assert.deepStrictEqual(second.rows, yield* rowsOf(glob(to)))
        const older = yield* read("closes", first.snapshot)
        assert.deepStrictEqual([told(older), older.rows], [before, first.rows])
        yield* run(["PriceUSD"])
        yield* run(["PriceUSD", "TxCnt"])
        const last = yield* read()
        assert.deepStrictEqual(last.columns, second.columns)
        assert.deepStrictEqual(
          yield* counts(yield* DuckLakeReader.source(last)),
          yield* counts(`read_parquet('${to}/**/*.parquet', union_by_name = true)`)
        )
        const [unsaid] = yield* query(
          `SELECT count(*)::text AS count FROM ducklake_data_file f JOIN ducklake_column c USING (table_id)
          LEFT JOIN ducklake_file_column_stats s USING (data_file_id, column_id)
          WHERE f.end_snapshot IS NULL AND c.end_snapshot IS NULL AND s.data_file_id IS NULL`
        )
        assert.deepStrictEqual(unsaid, { count: "0" })
      }).pipe(Effect.provide(clocked))
    )

    it.effect("of several datasets share a catalog, and each goes on by itself", () =>
      Effect.gen(function* () {
        const folder = yield* temporary
        const { lake, read } = yield* catalog("shared")
        const names = ["closes", "more"]
        const run = (name: string) =>
          Stream.runDrain(Dataset.sync({ ...job, to: `${folder}/${name}`, snapshots: lake }))
        for (let day = 0; day < 3; day++) {
          yield* Effect.forEach(names, run, { concurrency: "unbounded", discard: true })
          for (const name of names) {
            assert.deepStrictEqual((yield* read(name)).rows, yield* rowsOf(glob(`${folder}/${name}`)))
          }
          yield* TestClock.adjust("1 day")
        }
      }).pipe(Effect.provide(clocked))
    )

    it.effect(
      "need their catalog in every run, end where a job says so, and begin anew where files or the table are gone",
      () =>
        Effect.gen(function* () {
          const folder = yield* temporary
          const to = `${folder}/closes`
          const fs = yield* FileSystem.FileSystem
          const { lake, query, read, snapshots } = yield* catalog("ends")
          const run = (more: Partial<Dataset.Existing>) => Stream.runDrain(Dataset.sync({ to, ...more }))
          yield* Stream.runDrain(Dataset.sync({ ...job, to, snapshots: lake }))
          const unnamed = yield* Effect.flip(run({}))
          assert.strictEqual(unnamed._tag, "BadDefinition")
          assert.include(unnamed.message, "address")
          assert.notInclude(yield* fs.readFileString(`${to}/.sluice/dataset.json`), PostgresServer.password)
          yield* run({ snapshots: lake })
          assert.deepStrictEqual(yield* snapshots, [0, 1, 2])
          // Somebody removes the files.
          yield* fs.remove(`${to}.ducklake`, { recursive: true })
          yield* run({ snapshots: lake })
          assert.deepStrictEqual((yield* read()).rows, yield* rowsOf(glob(to)))
          // Or drops the table, as the specification says.
          const [snapshot = 0] = (yield* snapshots).slice(-1)
          for (const table of ["table", "column", "data_file"]) {
            yield* query(`UPDATE ducklake_${table} SET end_snapshot = ${snapshot + 1} WHERE end_snapshot IS NULL`)
          }
          yield* query(
            `INSERT INTO ducklake_snapshot SELECT snapshot_id + 1, snapshot_time, schema_version + 1, next_catalog_id, next_file_id
          FROM ducklake_snapshot WHERE snapshot_id = ${snapshot}`
          )
          yield* run({ snapshots: lake })
          assert.deepStrictEqual((yield* read()).rows, yield* rowsOf(glob(to)))
          assert.deepStrictEqual((yield* read("closes", snapshot)).rows, (yield* read()).rows)
          // Ended, the last version stays.
          yield* run({ snapshots: "none" })
          yield* run({})
          assert.deepStrictEqual((yield* read()).rows, yield* rowsOf(glob(to)))
          yield* run({ snapshots: lake })
          yield* run({ snapshots: "delta" })
          assert.isTrue(yield* fs.exists(`${to}.delta/_delta_log`))
          yield* run({ snapshots: lake })
          assert.deepStrictEqual(yield* fs.readDirectory(`${to}.delta`, { recursive: true }), ["_delta_log"])
          yield* Stream.runDrain(Dataset.verify(to))
        }).pipe(Effect.provide(clocked))
    )

    it.effect("are refused where the catalog, the table or a snapshot of it is of somebody else", () =>
      Effect.gen(function* () {
        const folder = yield* temporary
        const { lake, query } = yield* catalog("foreign")
        const run = (to: string, snapshots: Dataset.Lake) =>
          Effect.flip(Stream.runDrain(Dataset.sync({ ...job, to: `${folder}/${to}`, snapshots })))
        yield* Stream.runDrain(Dataset.sync({ ...job, to: `${folder}/closes`, snapshots: lake }))
        const other = yield* run("b/closes", lake)
        assert.include(other.message, "its table closes is of the folder closes.ducklake/")
        yield* query(
          `INSERT INTO ducklake_snapshot SELECT 3, snapshot_time, schema_version, next_catalog_id, next_file_id
          FROM ducklake_snapshot WHERE snapshot_id = 2`
        )
        yield* query("INSERT INTO ducklake_snapshot_changes VALUES (3, 'deleted_from_table:1', NULL, NULL, NULL)")
        const foreign = yield* run("closes", lake)
        assert.include(foreign.message, "its snapshot 3 is of somebody else")
        yield* query("UPDATE ducklake_column SET column_type = NULL WHERE column_id = 1")
        const damaged = yield* run("closes", lake)
        assert.include(damaged.message, "what it says of the table closes cannot be read")
        yield* query("UPDATE ducklake_metadata SET value = 'DuckDB 2.0' WHERE key = 'created_by'")
        const made = yield* run("closes", lake)
        assert.include(made.message, "it was made by DuckDB 2.0 in version 1.0, and not by Sluice")
        assert.deepStrictEqual([other._tag, foreign._tag, made._tag], ["StoreFailed", "StoreFailed", "StoreFailed"])
      }).pipe(Effect.provide(clocked))
    )
  })

  layer(Server.layer, { timeout: "60 seconds", excludeTestServices: true })((it) => {
    /** What the first run that nothing ended has told of each snapshot. */
    const moments = new Map<number, ReadonlyArray<unknown>>()

    /** Applies changes that something ends, then all of them, and compares what readers find each time. */
    const killed = Effect.fnUntraced(function* (
      where: string,
      run: (to: string, made: Effect.Success<ReturnType<typeof catalog>>) => Effect.Effect<unknown, unknown, Server>
    ) {
      const to = `${yield* temporary}/closes`
      const made = yield* catalog(where)
      yield* apply(to, made.lake, first)
      yield* Effect.ignore(run(to, made))
      const met = yield* made.read()
      if (moments.size === 0) {
        for (const snapshot of yield* made.snapshots) {
          if (snapshot > 1) moments.set(snapshot, (yield* made.read("closes", snapshot)).rows)
        }
      }
      assert.deepStrictEqual(met.rows, moments.get(met.snapshot), where)
      yield* apply(to, made.lake, later)
      const end = yield* made.read()
      assert.deepStrictEqual(end.rows, yield* rowsOf(glob(to)), where)
      assert.deepStrictEqual((yield* made.read("closes", met.snapshot)).rows, met.rows, where)
      assert.deepStrictEqual((yield* made.read("closes", 2)).rows, moments.get(2), where)
      const fs = yield* FileSystem.FileSystem
      const names = yield* fs.readDirectory(`${to}.ducklake`, { recursive: true })
      const paths = yield* made.query("SELECT DISTINCT path FROM ducklake_data_file")
      assert.sameMembers(
        names.filter((name) => name.endsWith(".parquet")),
        paths.map(({ path }) => String(path)),
        where
      )
      yield* made.query(`DROP SCHEMA "${where}" CASCADE`)
      return met.snapshot
    }, Effect.scoped)

    it.effect("are whole or absent after a kill at any moment of the disk", () =>
      Effect.gen(function* () {
        const log: FailingDisk.Log = []
        assert.strictEqual(yield* killed("calm", live(Infinity, log)), 4)
        assert.include(log, "link")
        const met = new Set<number>()
        for (const moment of some([...log.keys()])) {
          met.add(yield* killed(`moment ${moment} ${log[moment]}`, live(moment)))
        }
        assert.isTrue(met.has(2) && met.size > 1)
      })
    )

    it.effect("are whole or absent after the connection has broken at any message", () =>
      Effect.gen(function* () {
        const { port } = yield* Server
        let sent = 0
        const through = (schema: string, cut?: CuttingProxy.Cut) => (to: string) =>
          Effect.gen(function* () {
            const proxy = yield* CuttingProxy.make(port, cut)
            const { lake } = yield* catalog(schema, proxy.port)
            yield* Effect.onExit(apply(to, lake, later), () => Effect.sync(() => void (sent = proxy.sent)))
          }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
        assert.strictEqual(yield* killed("whole", through("whole")), 4)
        const total = sent
        assert.isAbove(total, 30)
        const met = new Set<number>()
        // The one before the last commits.
        for (const at of [...some(Array.from({ length: total }, (_, index) => index + 1)), total - 1]) {
          for (const lost of ["message", "answer"] as const) {
            const schema = `${lost} ${at}`
            const found = yield* killed(schema, through(schema, { at, lost }))
            if (at === total - 1) assert.strictEqual(found, lost === "answer" ? 4 : 3)
            met.add(found)
          }
        }
        assert.isTrue(met.has(2) && met.size > 1)
      })
    )
  })
})
