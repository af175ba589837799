import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import type { Dataset } from "@sluice/node"
import * as DatasetDuckdb from "@sluice/node/DatasetDuckdb"
import { Effect, Exit, FileSystem, Stream } from "effect"
import { times } from "../../../core/test/TestMode.ts"
import * as Contract from "./Contract.ts"
import { breakingAt, newFile, query } from "./Duckdb.ts"
import { errorOf } from "./Failure.ts"

const priceRows = `SELECT asset, strftime(time, '%Y-%m-%dT%H:%M:%S.%n') || 'Z' AS time, "PriceUSD"::VARCHAR AS "PriceUSD"
  FROM prices ORDER BY asset, time`

/** Both write a number as they like. */
const plain = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  rows.map(({ asset, PriceUSD, time }): Contract.Price => ({
    asset: String(asset),
    time: String(time),
    PriceUSD: PriceUSD === null ? null : String(Number(PriceUSD))
  }))

const database = (file: string): Contract.Database => ({
  store: DatasetDuckdb.make({ file, table: "prices" }),
  rows: Effect.suspend(() => Effect.map(query(file, priceRows), plain))
})

const whole = (asset: string): Dataset.Span => ({ entity: asset, from: undefined, to: undefined })

const first: Contract.PriceChange = {
  spans: [whole("btc"), whole("eth")],
  records: [Contract.price("btc", 1, "1"), Contract.price("btc", 2, "2"), Contract.price("eth", 1, "3")]
}

/** Revises a price, removes one, and brings a late one. */
const second: Contract.PriceChange = {
  spans: [{ entity: "btc", from: Contract.day(2), to: Contract.day(9) }, whole("eth")],
  records: [Contract.price("btc", 2, "2.5"), Contract.price("btc", 3, "4"), Contract.price("eth", 2, "5")]
}

describe("a dataset in DuckDB", () => {
  it.live("holds what the changes say, over several runs", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= times(2, 25); seed++) {
        yield* Effect.scoped(Effect.flatMap(newFile, (file) => Contract.followsModel(database(file), seed, 12)))
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("holds all of a change or nothing, whichever statement fails, and goes on after that", () =>
    Effect.gen(function* () {
      const db = database(yield* newFile)
      const run = (change: Contract.PriceChange) =>
        Effect.scoped(Effect.flatMap(db.store.open(Contract.prices), (open) => open.apply(Contract.changeOf(change))))
      const attempt = Effect.fnUntraced(function* (at: number) {
        const model = new Contract.Model()
        model.apply(first)
        yield* run(first)
        const { count, exit } = yield* breakingAt(at, run(second))
        if (Exit.isSuccess(exit)) model.apply(second)
        yield* Contract.compare(db, model, `statement ${at}`)
        if (Exit.isFailure(exit)) {
          assert.strictEqual((yield* errorOf(exit))._tag, "StoreFailed", `statement ${at}`)
          yield* run(second)
          model.apply(second)
          yield* Contract.compare(db, model, `after statement ${at}`)
        }
        return count
      })
      const all = yield* attempt(Infinity)
      assert.isAbove(all, 10)
      for (let at = 1; at <= all; at += times(4, 1)) yield* attempt(at)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("keeps nothing of a change whose records fail or that is interrupted", () =>
    Effect.gen(function* () {
      const db = database(yield* newFile)
      const model = new Contract.Model()
      model.apply(first)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const open = yield* db.store.open(Contract.prices)
          yield* open.apply(Contract.changeOf(first))
          const change = Contract.changeOf(second)
          const never = { ...change, records: Stream.concat(change.records, Stream.never) }
          // A connection that is closed too early ends the process.
          for (let n = 0; n < times(4, 60); n++) yield* Effect.timeoutOption(open.apply(never), `${n % 15} millis`)
          const badValue = { ...second, records: [...second.records, Contract.price("eth", 3, "N/A")] }
          const error = yield* Effect.flip(open.apply(Contract.changeOf(badValue)))
          assert.strictEqual(
            error.message,
            `record 4, column "PriceUSD": "N/A" cannot be written to DuckDB: expected a number that a double can hold`
          )
          const twice = { ...second, records: [...second.records, Contract.price("eth", 2, "6")] }
          const repeated = yield* Effect.flip(open.apply(Contract.changeOf(twice)))
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
          const open = yield* db.store.open(Contract.prices)
          yield* open.apply(Contract.changeOf(first))
          yield* open.define(Contract.pricesAndCaps)
          yield* open.apply({
            ...Contract.changeOf(first),
            spans: [{ entity: "eth", from: undefined, to: undefined }],
            records: Stream.make({ ...Contract.price("eth", 1, "3"), CapMrktCurUSD: "7" })
          })
        })
      )
      assert.deepStrictEqual((yield* db.store.look)?.definition, Contract.pricesAndCaps)
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
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* store.open(Contract.prices)
          assert.strictEqual((yield* Effect.flip(Effect.scoped(store.open(Contract.prices))))._tag, "StoreInUse")
          yield* Effect.scoped(other.open(Contract.prices))
          // Looking takes nothing.
          assert.strictEqual((yield* store.look)?.cursors.size, 0)
        })
      )
      yield* Effect.scoped(store.open(Contract.prices))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("refuses a table that no sync has made, other settings, and a file that is none", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = yield* newFile
      const { store } = database(file)
      assert.isUndefined(yield* store.look)
      assert.isFalse(yield* files.exists(file))
      yield* query(file, "CREATE TABLE prices (a INTEGER)")
      const refused = yield* Effect.flip(Effect.scoped(store.open(Contract.prices)))
      assert.strictEqual(
        refused.message,
        `cannot create the table in ${file} main.prices: there is one of this name that no sync has made; choose another name, or drop it`
      )
      yield* query(file, "DROP TABLE prices")
      yield* Effect.scoped(store.open(Contract.prices))
      const decimal = DatasetDuckdb.make({ file, table: "prices", numbers: "decimal" })
      const other = yield* Effect.flip(Effect.scoped(decimal.open(Contract.prices)))
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
      yield* Effect.scoped(Effect.flatMap(store.open(Contract.prices), (open) => open.apply(Contract.changeOf(first))))
      yield* query(file, "DELETE FROM prices WHERE asset = 'eth'")
      const damaged = yield* Effect.flip(store.verify(Contract.prices.series, () => Effect.void))
      assert.deepStrictEqual(damaged._tag === "DatasetDamaged" ? damaged.issues : [], [
        "eth has 0 records, and 1 were written"
      ])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("keeps trades of one time, nanoseconds, any text, and all digits", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const store = DatasetDuckdb.make({ file, table: "trades", schema: "raw", numbers: "decimal" })
      yield* Effect.scoped(Effect.flatMap(store.open(Contract.trades), (open) => open.apply(Contract.tradesChange)))
      const rows = yield* query(
        file,
        "SELECT coin_metrics_id AS id, strftime(time, '%H:%M:%S.%n') AS time, amount::VARCHAR AS amount, txid FROM raw.trades"
      )
      assert.deepStrictEqual(
        rows,
        Contract.tradeRecords.map(({ amount, coin_metrics_id, time, txid }) => ({
          id: coin_metrics_id,
          time: time.slice(11, -1),
          amount: amount.includes(".") ? amount.padEnd(amount.indexOf(".") + 19, "0") : `${amount}.${"0".repeat(18)}`,
          txid
        }))
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
