import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import { Effect, Exit, FileSystem, Option, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { dirname } from "node:path"
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { isLong, seeds, times } from "../../../core/test/TestMode.ts"
import * as Contract from "./Contract.ts"
import { breakingAt, newFile, query } from "./Duckdb.ts"
import { errorOf } from "./Failure.ts"
import * as Prices from "./Prices.ts"

const child = fileURLToPath(new URL("child.ts", import.meta.url))

const priceRows = `SELECT asset, strftime(time, '%Y-%m-%dT%H:%M:%S.%n') || 'Z' AS time, "PriceUSD"::VARCHAR AS "PriceUSD"
  FROM prices ORDER BY asset, time`

/** Both write a number as they like. */
const plain = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  rows.map(({ asset, PriceUSD, time }): Prices.Price => ({
    asset: String(asset),
    time: String(time),
    PriceUSD: PriceUSD === null ? null : String(Number(PriceUSD))
  }))

const database = (file: string): Contract.Database => ({
  store: DatasetDuckdb.make({ file, table: "prices" }),
  rows: Effect.suspend(() => Effect.map(query(file, priceRows), plain))
})

describe("a dataset in DuckDB", () => {
  it.live("holds what the changes say, over several runs", () =>
    Effect.gen(function* () {
      for (const seed of seeds(1, 12)) {
        yield* Effect.scoped(Effect.flatMap(newFile, (file) => Contract.followsModel(database(file), seed, 12)))
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("holds all of a change or nothing, whichever statement fails, and goes on after that", () =>
    Effect.gen(function* () {
      const db = database(yield* newFile)
      const run = (change: Prices.PriceChange) =>
        Effect.scoped(Effect.flatMap(db.store.open(Prices.prices), (open) => open.apply(Prices.changeOf(change))))
      const attempt = Effect.fnUntraced(function* (at: number) {
        const model = new Contract.Model()
        model.apply(Prices.first)
        yield* run(Prices.first)
        const { count, exit } = yield* breakingAt(at, run(Prices.second))
        if (Exit.isSuccess(exit)) model.apply(Prices.second)
        yield* Contract.compare(db, model, `statement ${at}`)
        if (Exit.isFailure(exit)) {
          assert.strictEqual((yield* errorOf(exit))._tag, "StoreFailed", `statement ${at}`)
          yield* run(Prices.second)
          model.apply(Prices.second)
          yield* Contract.compare(db, model, `after statement ${at}`)
        }
        return count
      })
      const all = yield* attempt(Infinity)
      assert.isAbove(all, 10)
      for (let at = 1; at <= all; at += times(11, 1)) yield* attempt(at)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live.skipIf(!isLong)("holds all of a change or nothing, before whichever statement its process is killed", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const db = database(file)
      const run = (change: Prices.PriceChange) =>
        Effect.scoped(Effect.flatMap(db.store.open(Prices.prices), (open) => open.apply(Prices.changeOf(change))))
      const before = new Contract.Model()
      before.apply(Prices.first)
      const after = new Contract.Model()
      after.apply(Prices.first)
      after.apply(Prices.second)
      const attempt = Effect.fnUntraced(function* (at: number) {
        yield* run(Prices.first)
        const { signal, status, stdout } = yield* Effect.sync(() =>
          spawnSync(process.execPath, [child, file, String(at)], { encoding: "utf8" })
        )
        assert.strictEqual(signal, at === 0 ? null : "SIGKILL", `statement ${at}, status ${status}`)
        const isAfter = (yield* db.rows).length === after.rows.length
        yield* Contract.compare(db, isAfter ? after : before, `statement ${at}`)
        yield* run(Prices.second)
        yield* Contract.compare(db, after, `after statement ${at}`)
        assert.deepStrictEqual(readdirSync(dirname(file)), ["data.duckdb"])
        return { isAfter, count: Number(stdout) }
      })
      const { count, isAfter } = yield* attempt(0)
      assert.isTrue(isAfter)
      assert.isAbove(count, 10)
      const done: Array<boolean> = []
      for (let at = 1; at <= count; at++) done.push((yield* attempt(at)).isAfter)
      // The commit is the last statement.
      assert.notInclude(done, true)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("keeps nothing of a change whose records fail or that is interrupted", () =>
    Effect.gen(function* () {
      const db = database(yield* newFile)
      const model = new Contract.Model()
      model.apply(Prices.first)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const open = yield* db.store.open(Prices.prices)
          yield* open.apply(Prices.changeOf(Prices.first))
          const change = Prices.changeOf(Prices.second)
          const never = { ...change, records: Stream.concat(change.records, Stream.never) }
          // A connection that is closed too early ends the process.
          for (let n = 0; n < times(4, 60); n++) yield* Effect.timeoutOption(open.apply(never), `${n % 15} millis`)
          const badValue = { ...Prices.second, records: [...Prices.second.records, Prices.price("eth", 3, "N/A")] }
          const error = yield* Effect.flip(open.apply(Prices.changeOf(badValue)))
          assert.strictEqual(
            error.message,
            `record 4, column "PriceUSD": "N/A" cannot be written to DuckDB: expected a number that a DOUBLE can hold; with numbers as "text" any value is kept`
          )
          const twice = { ...Prices.second, records: [...Prices.second.records, Prices.price("eth", 2, "6")] }
          const repeated = yield* Effect.flip(open.apply(Prices.changeOf(twice)))
          assert.include(repeated.message, "the service sent a record of eth twice")
        })
      )
      yield* Contract.compare(db, model, "after")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("adds columns for a definition that grows", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const db = database(file)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const open = yield* db.store.open(Prices.prices)
          yield* open.apply(Prices.changeOf(Prices.first))
          yield* open.define(Prices.pricesAndCaps)
          yield* open.apply({
            ...Prices.changeOf(Prices.first),
            spans: [{ entity: "eth", from: undefined, to: undefined }],
            records: Stream.make({ ...Prices.price("eth", 1, "3"), CapMrktCurUSD: "7" })
          })
        })
      )
      assert.deepStrictEqual((yield* db.store.look)?.definition, Prices.pricesAndCaps)
      const rows = yield* query(file, `SELECT asset, "CapMrktCurUSD" AS cap FROM prices ORDER BY asset, time`)
      assert.deepStrictEqual(rows, [
        { asset: "btc", cap: null },
        { asset: "btc", cap: null },
        { asset: "eth", cap: 7 }
      ])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("excludes a second sync of the table, and no sync of another", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const { store } = database(file)
      const other = DatasetDuckdb.make({ file, table: "others" })
      assert.strictEqual(other.name, `${file} main.others`)
      assert.strictEqual(DatasetDuckdb.make({ file, table: 'my "own"' }).name, `${file} main."my ""own"""`)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* store.open(Prices.prices)
          assert.strictEqual((yield* Effect.flip(Effect.scoped(store.open(Prices.prices))))._tag, "StoreInUse")
          yield* Effect.scoped(other.open(Prices.prices))
          // Looking takes nothing.
          assert.strictEqual((yield* store.look)?.cursors.size, 0)
        })
      )
      yield* Effect.scoped(store.open(Prices.prices))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("names the process that has the file open, though it only reads", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const { store } = database(file)
      yield* Effect.scoped(store.open(Prices.prices))
      const program = `import { DuckDBInstance } from "@duckdb/node-api"
        await DuckDBInstance.create(process.argv[1], { access_mode: "READ_ONLY" })
        process.stdout.write("open")
        process.stdin.resume()`
      const options = { cwd: import.meta.dirname, stdin: "pipe", stdout: "pipe", stderr: "inherit" } as const
      const reader = yield* ChildProcess.make(execPath, ["--input-type=module", "--eval", program, file], options)
      yield* Stream.runHead(reader.stdout)
      const error = yield* Effect.flip(Effect.scoped(store.open(Prices.prices)))
      assert.include(error.message, `is in use by process ${reader.pid} (node), which has the file open`)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("can be read by another process while a sync waits for its records, and waits for one that reads", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const { store } = database(file)
      const program = `import { DuckDBInstance } from "@duckdb/node-api"
        const connection = await (await DuckDBInstance.create(process.argv[1], { access_mode: "READ_ONLY" })).connect()
        const rows = (await connection.runAndReadAll("SELECT count(*)::INTEGER FROM prices")).getRows()
        process.stdout.write(String(rows[0][0]))
        setTimeout(() => process.exit(), 2_000)`
      const options = { cwd: import.meta.dirname, stdout: "pipe", stderr: "pipe" } as const
      const start = ChildProcess.make(execPath, ["--input-type=module", "--eval", program, file], options)
      /** What a process reads that then has the file open for two seconds. */
      const counted = Effect.flatMap(start, ({ stdout }) => Stream.runHead(Stream.decodeText(stdout)))
      const spans = [{ entity: "btc", from: undefined, to: undefined }]
      const of = (days: ReadonlyArray<number>): Prices.PriceChange => ({
        spans,
        records: days.map((day) => Prices.price("btc", day, "1"))
      })
      const services = yield* Effect.context<Effect.Services<typeof counted>>()
      yield* Effect.gen(function* () {
        const opened = yield* store.open(Prices.prices)
        yield* opened.apply(Prices.changeOf(of([1, 2])))
        const change = Prices.changeOf(of([1, 2, 3]))
        const waits = Effect.gen(function* () {
          // The file is closed a second after it was last used.
          yield* Effect.sleep("1500 millis")
          assert.deepStrictEqual(yield* counted, Option.some("2"))
        }).pipe(Effect.orDie, Effect.provide(services))
        const records = Stream.concat(change.records, Stream.drain(Stream.fromEffect(waits)))
        yield* opened.apply({ ...change, records })
      }).pipe(Effect.scoped)
      assert.strictEqual((yield* query(file, priceRows)).length, 3)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("refuses a table that no sync has made, other settings, and a file that is none", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = yield* newFile
      const { store } = database(file)
      assert.isUndefined(yield* store.look)
      assert.isFalse(yield* files.exists(file))
      yield* query(file, "CREATE TABLE prices (a INTEGER)")
      const refused = yield* Effect.flip(Effect.scoped(store.open(Prices.prices)))
      assert.strictEqual(
        refused.message,
        `cannot create the table in ${file} main.prices: there is one of this name that no sync has made; choose another name, or drop it`
      )
      yield* query(file, "DROP TABLE prices")
      yield* Effect.scoped(store.open(Prices.prices))
      const decimal = DatasetDuckdb.make({ file, table: "prices", numbers: "decimal" })
      const other = yield* Effect.flip(Effect.scoped(decimal.open(Prices.prices)))
      assert.strictEqual(other._tag === "OtherDefinition" ? other.differs.join() : "", "numbers")
      yield* query(file, "UPDATE sluice_datasets SET version = 2")
      assert.strictEqual((yield* Effect.flip(store.look))._tag, "NewerVersion")
      yield* files.writeFileString(`${file}.txt`, "no database ".repeat(1000))
      const none = DatasetDuckdb.make({ file: `${file}.txt`, table: "prices" })
      assert.include((yield* Effect.flip(none.look)).message, "not a valid DuckDB database file")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("proves the number of records", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const { store } = database(file)
      yield* Effect.scoped(
        Effect.flatMap(store.open(Prices.prices), (open) => open.apply(Prices.changeOf(Prices.first)))
      )
      yield* query(file, "DELETE FROM prices WHERE asset = 'eth'")
      const damaged = yield* Effect.flip(store.verify(Prices.prices.series, () => Effect.void))
      assert.deepStrictEqual(damaged._tag === "DatasetDamaged" ? damaged.issues : [], [
        "eth has 0 records, and 1 were written"
      ])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("keeps trades of one time, nanoseconds, any text, and all digits", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const store = DatasetDuckdb.make({ file, table: "trades", schema: "raw", numbers: "decimal" })
      yield* Effect.scoped(Effect.flatMap(store.open(Prices.trades), (open) => open.apply(Prices.tradesChange)))
      const rows = yield* query(
        file,
        "SELECT coin_metrics_id AS id, strftime(time, '%H:%M:%S.%n') AS time, amount::VARCHAR AS amount, txid FROM raw.trades"
      )
      assert.deepStrictEqual(
        rows,
        Prices.tradeRecords.map(({ amount, coin_metrics_id, time, txid }) => ({
          id: coin_metrics_id,
          time: time.slice(11, -1),
          amount: amount.includes(".") ? amount.padEnd(amount.indexOf(".") + 19, "0") : `${amount}.${"0".repeat(18)}`,
          txid
        }))
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
