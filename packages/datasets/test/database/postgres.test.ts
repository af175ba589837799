import { NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import type { Dataset } from "@sluice/datasets"
import * as DatasetPostgres from "@sluice/datasets/DatasetPostgres"
import { Context, Effect, Exit, Fiber, Layer, Redacted, Stream } from "effect"
import { isLong, seeds } from "../../../core/test/TestMode.ts"
import * as Certificate from "../../../node/test/Certificate.ts"
import * as Contract from "./Contract.ts"
import * as CuttingProxy from "./CuttingProxy.ts"
import { errorOf } from "./Failure.ts"
import * as Prices from "./Prices.ts"
import * as PostgresServer from "./PostgresServer.ts"

class Server extends Context.Service<Server, Effect.Success<typeof PostgresServer.make>>()("test/Server") {
  static readonly layer = Layer.provideMerge(Layer.effect(Server, PostgresServer.make), NodeServices.layer)
}

/** The rows of a statement, over a connection of its own. */
const query = (sql: string) => Effect.flatMap(Server, (server) => PostgresServer.query(server, sql))

const priceRows = (table: string) =>
  `SELECT asset, to_char(time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"000Z"') AS time, "PriceUSD"::text AS "PriceUSD"
  FROM ${table} ORDER BY asset COLLATE "C", time`

const plain = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  rows.map(({ asset, PriceUSD, time }): Prices.Price => ({
    asset: String(asset),
    time: String(time),
    PriceUSD: PriceUSD === null ? null : String(PriceUSD)
  }))

/** A table of prices, reached through a port. */
const database = Effect.fnUntraced(function* (table: string, port?: number) {
  const server = yield* Server
  const context = yield* Effect.context<Server>()
  const rows = Effect.provide(Effect.map(query(priceRows(table)), plain), context)
  return { store: DatasetPostgres.make({ url: server.url(port), table }), rows } satisfies Contract.Database
})

const run = (store: Dataset.Store, change: Prices.PriceChange) =>
  Effect.scoped(Effect.flatMap(store.open(Prices.prices), (open) => open.apply(Prices.changeOf(change))))

/** How looking fails. */
const look = (text: string, table = "prices") =>
  Effect.flip(DatasetPostgres.make({ url: Redacted.make(text), table }).look)

describe.skipIf(!PostgresServer.isInstalled)(PostgresServer.title("a dataset in PostgreSQL"), () => {
  layer(Server.layer, { excludeTestServices: true })((it) => {
    it.effect("holds what the changes say, over several runs", () =>
      Effect.gen(function* () {
        for (const seed of seeds(1, 25)) {
          yield* Contract.followsModel(yield* database(`model_${seed}`), seed, 12)
        }
      })
    )

    it.effect("says what is wrong, and no password", () =>
      Effect.gen(function* () {
        const { port, url } = yield* Server
        const wrong = yield* look(Redacted.value(url()).replace(PostgresServer.password, "other-horse"))
        assert.strictEqual(
          wrong.message,
          'cannot connect to the database of public.prices (28P01): password authentication failed for user "sluice"'
        )
        const closed = yield* look(`postgres://sluice:${PostgresServer.password}@127.0.0.1:1/postgres`)
        assert.include(closed.message, "ECONNREFUSED")
        const encrypted = yield* look(`${Redacted.value(url())}?sslmode=require`)
        assert.include(encrypted.message, "the server offers no encryption")
        const none = yield* look(`postgres//sluice:${PostgresServer.password}@127.0.0.1:${port}`)
        assert.include(none.message, "the URL is none of PostgreSQL")
        const long = yield* look(Redacted.value(url()), "t".repeat(64))
        assert.include(long.message, "names of PostgreSQL have 1 to 63 bytes")
        for (const error of [wrong, closed, encrypted, none, long]) {
          assert.notInclude(JSON.stringify(error) + String(error.stack) + String(error.cause), "horse")
        }
        const preferred = Redacted.make(`${Redacted.value(url())}?sslmode=prefer`)
        assert.isUndefined(yield* DatasetPostgres.make({ url: preferred, table: "prices" }).look)
      })
    )

    it.effect("refuses a table that no sync has made, and other settings", () =>
      Effect.gen(function* () {
        const { url } = yield* Server
        yield* query("CREATE TABLE occupied (a integer)")
        const refused = yield* Effect.flip(run((yield* database("occupied")).store, Prices.first))
        assert.strictEqual(
          refused.message,
          "cannot create the table in public.occupied: there is one of this name that no sync has made; choose another name, or drop it"
        )
        const { store } = yield* database("settings")
        yield* run(store, Prices.first)
        const text = DatasetPostgres.make({ url: url(), table: "settings", numbers: "text" })
        const other = yield* Effect.flip(run(text, Prices.first))
        assert.strictEqual(other._tag === "OtherDefinition" ? other.differs.join() : "", "numbers")
        yield* query("UPDATE sluice_datasets SET version = 2 WHERE name = 'settings'")
        assert.strictEqual((yield* Effect.flip(store.look))._tag, "NewerVersion")
      })
    )

    it.effect("keeps nothing of a change whose records fail or that is interrupted, and goes on in the same run", () =>
      Effect.gen(function* () {
        const db = yield* database("failing")
        const model = new Contract.Model()
        model.apply(Prices.first)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const open = yield* db.store.open(Prices.prices)
            yield* open.apply(Prices.changeOf(Prices.first))
            const change = Prices.changeOf(Prices.second)
            const never = { ...change, records: Stream.concat(change.records, Stream.never) }
            yield* Effect.timeoutOption(open.apply(never), "50 millis")
            const badValue = { ...Prices.second, records: [...Prices.second.records, Prices.price("eth", 3, "N/A")] }
            const error = yield* Effect.flip(open.apply(Prices.changeOf(badValue)))
            assert.strictEqual(
              error.message,
              `record 4, column "PriceUSD": "N/A" cannot be written to PostgreSQL: expected a number that a double can hold`
            )
            const twice = { ...Prices.second, records: [...Prices.second.records, Prices.price("eth", 2, "6")] }
            const repeated = yield* Effect.flip(open.apply(Prices.changeOf(twice)))
            assert.include(repeated.message, "cannot add records in public.failing (21000)")
            yield* Contract.compare(db, model, "after failures")
            model.apply(Prices.second)
            yield* open.apply(change)
          })
        )
        yield* Contract.compare(db, model, "after")
      })
    )

    it.effect("keeps nothing of a first change that has a record twice", () =>
      Effect.gen(function* () {
        const db = yield* database("twice")
        const twice = { ...Prices.first, records: [...Prices.first.records, Prices.price("eth", 1, "3")] }
        const { message } = yield* Effect.flip(run(db.store, twice))
        assert.include(message, "cannot add records in public.twice (23505)")
        assert.deepStrictEqual(yield* db.rows, [])
        const model = new Contract.Model()
        model.apply(Prices.first)
        yield* run(db.store, Prices.first)
        yield* Contract.compare(db, model, "after")
      })
    )

    it.effect("writes nothing to rows that come again as they are", () =>
      Effect.gen(function* () {
        const { store } = yield* database("same")
        // Where a row is, and which transactions have written or locked it.
        const versions = Effect.map(
          query("SELECT ctid::text, xmin::text, xmax::text, asset, time::text FROM same ORDER BY asset, time"),
          (rows) => rows.map((row) => JSON.stringify(row))
        )
        yield* run(store, Prices.first)
        const before = yield* versions
        const again = yield* run(store, Prices.first)
        assert.deepStrictEqual(yield* versions, before)
        assert.deepInclude(again, { records: 3, replaced: 3 })
        const [btc, ...others] = Prices.first.records
        yield* run(store, {
          ...Prices.first,
          records: [{ ...Prices.price("btc", 1, "9"), time: btc?.time ?? "" }, ...others]
        })
        assert.deepStrictEqual((yield* versions).slice(1), before.slice(1))
        assert.notStrictEqual((yield* versions)[0], before[0])
      })
    )

    it.effect("adds columns for a definition that grows", () =>
      Effect.gen(function* () {
        const { store } = yield* database("growing")
        yield* Effect.scoped(
          Effect.gen(function* () {
            const open = yield* store.open(Prices.prices)
            yield* open.apply(Prices.changeOf(Prices.first))
            yield* open.define(Prices.pricesAndCaps)
            yield* open.apply({
              ...Prices.changeOf(Prices.first),
              spans: [Prices.whole("eth")],
              records: Stream.make({ ...Prices.price("eth", 1, "3"), CapMrktCurUSD: "7" })
            })
          })
        )
        assert.deepStrictEqual((yield* store.look)?.definition, Prices.pricesAndCaps)
        assert.deepStrictEqual(yield* query(`SELECT asset, "CapMrktCurUSD" AS cap FROM growing ORDER BY asset, time`), [
          { asset: "btc", cap: null },
          { asset: "btc", cap: null },
          { asset: "eth", cap: 7 }
        ])
      })
    )

    it.effect("excludes a second sync of the table, and ends the right of one whose connection was lost", () =>
      Effect.gen(function* () {
        const { store } = yield* database("exclusive")
        const { store: other } = yield* database("another")
        yield* Effect.scoped(
          Effect.gen(function* () {
            const open = yield* store.open(Prices.prices)
            assert.strictEqual((yield* Effect.flip(run(store, Prices.first)))._tag, "StoreInUse")
            yield* run(other, Prices.first)
            yield* open.apply(Prices.changeOf(Prices.first))
            // The server forgets the connection that has the lock, and the run does not notice.
            yield* query(
              // The lock is free when the process has ended, which is waited for.
              "SELECT pg_terminate_backend(pid, 60000) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"
            )
            yield* run(store, Prices.second)
            assert.strictEqual((yield* Effect.flip(open.apply(Prices.changeOf(Prices.first))))._tag, "StoreInUse")
          })
        )
        const model = new Contract.Model()
        model.apply(Prices.first)
        model.apply(Prices.second)
        yield* Contract.compare(yield* database("exclusive"), model, "after")
      })
    )

    it.effect("fails where the server restarts, and goes on after that", () =>
      Effect.gen(function* () {
        const { start, stop } = yield* Server
        const db = yield* database("restarted")
        const model = new Contract.Model()
        yield* Effect.scoped(
          Effect.gen(function* () {
            const open = yield* db.store.open(Prices.prices)
            yield* open.apply(Prices.changeOf(Prices.first))
            model.apply(Prices.first)
            yield* stop
            assert.strictEqual((yield* Effect.flip(open.apply(Prices.changeOf(Prices.second))))._tag, "StoreFailed")
            assert.strictEqual((yield* Effect.flip(db.store.look))._tag, "StoreFailed")
            yield* start
            const error = yield* Effect.flip(open.define(Prices.pricesAndCaps))
            assert.strictEqual(error._tag, "StoreFailed")
          })
        )
        yield* Contract.compare(db, model, "after the restart")
        yield* run(db.store, Prices.second)
        model.apply(Prices.second)
        yield* Contract.compare(db, model, "after the next run")
      })
    )

    it.effect("checks the certificate of an encrypted connection, and speaks over a socket of the machine", () =>
      Effect.gen(function* () {
        const { folder, port, startEncrypted, stop, url } = yield* Server
        const certificate = Certificate.selfSigned("localhost")
        yield* stop
        yield* startEncrypted(certificate)
        const named = Redacted.value(url()).replace("127.0.0.1", "localhost")
        const required = Redacted.make(`${named}?sslmode=require`)
        const unknown = yield* look(`${named}?sslmode=require`)
        assert.include(unknown.message, "self-signed certificate")
        const other = yield* look(Redacted.value(url()).replace("/postgres", "/postgres?sslmode=verify-full"))
        assert.include(other.message, "self-signed certificate")
        const store = DatasetPostgres.make({ url: required, table: "encrypted", tls: { ca: certificate.cert } })
        yield* run(store, Prices.first)
        const local = Redacted.make(`${named}?host=${encodeURIComponent(folder)}&port=${port}`)
        yield* run(DatasetPostgres.make({ url: local, table: "encrypted" }), Prices.second)
        const model = new Contract.Model()
        model.apply(Prices.first)
        model.apply(Prices.second)
        yield* Contract.compare(yield* database("encrypted"), model, "after")
      })
    )

    it.effect("proves the number of records", () =>
      Effect.gen(function* () {
        const { store } = yield* database("counted")
        yield* run(store, Prices.first)
        yield* query("DELETE FROM counted WHERE asset = 'eth'")
        const damaged = yield* Effect.flip(store.verify(Prices.prices.series, () => Effect.void))
        assert.deepStrictEqual(damaged._tag === "DatasetDamaged" ? damaged.issues : [], [
          "eth has 0 records, and 1 were written"
        ])
      })
    )

    it.effect("finds a table without its primary key, or with that of other columns", () =>
      Effect.gen(function* () {
        const { store } = yield* database("unkeyed")
        const issues = Effect.gen(function* () {
          const error = yield* Effect.flip(store.verify(Prices.prices.series, () => Effect.void))
          return error._tag === "DatasetDamaged" ? error.issues : [error._tag]
        })
        yield* run(store, Prices.first)
        yield* store.verify(Prices.prices.series, () => Effect.void)
        yield* query("ALTER TABLE unkeyed DROP CONSTRAINT unkeyed_pkey")
        assert.deepStrictEqual(yield* issues, ["its primary key was dropped"])
        yield* query("ALTER TABLE unkeyed ADD COLUMN id serial PRIMARY KEY")
        // One more of a record, and one less of another of its entity.
        yield* query(
          "UPDATE unkeyed SET time = (SELECT min(time) FROM unkeyed WHERE asset = 'btc') WHERE asset = 'btc'"
        )
        assert.include(yield* issues, "its primary key has other columns")
      })
    )

    it.effect("keeps trades of one time, nanoseconds, any text, and all digits", () =>
      Effect.gen(function* () {
        const { url } = yield* Server
        const store = DatasetPostgres.make({ url: url(), table: 'tra"des', schema: "raw", numbers: "decimal" })
        const apply = (change: Dataset.Change) =>
          Effect.scoped(Effect.flatMap(store.open(Prices.trades), (open) => open.apply(change)))
        yield* apply(Prices.tradesChange)
        const select = `SELECT coin_metrics_id AS id, to_char(time AT TIME ZONE 'UTC', 'HH24:MI:SS.US') AS time, (time_ns % 1000)::integer AS ns,
          amount::text AS amount, txid FROM raw."tra""des" ORDER BY time_ns, coin_metrics_id`
        const expected = Prices.tradeRecords.map(({ amount, coin_metrics_id, time, txid }) => ({
          id: coin_metrics_id,
          time: time.slice(11, 26),
          ns: Number(time.slice(26, 29)),
          amount,
          txid
        }))
        assert.deepStrictEqual(yield* query(select), expected)
        const held = { entity: "coinbase-btc-usd-spot", rows: 4, first: expectedTime(0), last: expectedTime(3) }
        assert.deepStrictEqual(yield* store.held, [held])
        for (const none of ["2026-02-29T00:00:00.000000000Z", "2026-01-01T23:60:00.000000000Z", "0000-01-01"]) {
          const records = Stream.fromArray([{ ...Prices.tradeRecords[0], database_time: none }])
          assert.strictEqual(
            (yield* Effect.flip(apply({ ...Prices.tradesChange, records }))).message,
            `record 1, column "database_time": "${none}" cannot be written to PostgreSQL: expected a time that exists`
          )
        }
        // A span of a nanosecond within a microsecond.
        const span = { ...held, from: expectedTime(0), to: expectedTime(1) }
        const applied = yield* apply({ ...Prices.tradesChange, spans: [span], records: Stream.empty })
        assert.strictEqual(applied.replaced, 1)
        assert.deepStrictEqual(yield* query(select), expected.slice(1))
      })
    )

    it.effect.skipIf(!isLong)(
      "holds all of a change or nothing, wherever connections break, and goes on after that",
      () =>
        Effect.gen(function* () {
          const { port } = yield* Server
          const direct = yield* database("cut")
          const attempt = Effect.fnUntraced(function* (cut: CuttingProxy.Cut | undefined) {
            const where = `${cut?.lost} ${cut?.at}`
            const before = new Contract.Model()
            before.apply(Prices.first)
            yield* run(direct.store, Prices.first)
            const after = new Contract.Model()
            after.apply(Prices.first)
            after.apply(Prices.second)
            const proxy = yield* CuttingProxy.make(port, cut)
            const through = yield* database("cut", proxy.port)
            const exit = yield* Effect.exit(run(through.store, Prices.second))
            // Whether the last message counted is known to the server alone, where its answer was lost.
            const rows = yield* direct.rows
            const isBefore = JSON.stringify(rows) === JSON.stringify(before.rows)
            yield* Contract.compare(direct, isBefore ? before : after, where)
            if (Exit.isSuccess(exit)) assert.isFalse(isBefore, where)
            else assert.strictEqual((yield* errorOf(exit))._tag, "StoreFailed", where)
            // The server may notice the end of the connection that has the lock later than the client.
            yield* Effect.retry(run(direct.store, Prices.second), { while: ({ _tag }) => _tag === "StoreInUse" })
            yield* Contract.compare(direct, after, `after ${where}`)
            return { sent: proxy.sent, isBefore }
          }, Effect.scoped)

          const { sent } = yield* attempt(undefined)
          assert.isAbove(sent, 20)
          const kept: Array<boolean> = []
          for (let at = 1; at <= sent; at++) {
            for (const lost of ["message", "answer"] as const) kept.push(!(yield* attempt({ at, lost })).isBefore)
          }
          // Most break before the commit, and some after.
          assert.isTrue(kept.includes(false) && kept.includes(true))
        })
    )

    it.effect.skipIf(!isLong)(
      "holds all of a change or nothing, when the server kills the process of a connection",
      () =>
        Effect.gen(function* () {
          const db = yield* database("killed")
          const model = new Contract.Model()
          yield* run(db.store, Prices.first)
          model.apply(Prices.first)
          for (const change of Contract.changes(7, 40)) {
            const before = new Contract.Model()
            before.rows = model.rows
            for (const [entity, cursor] of model.cursors) before.cursors.set(entity, cursor)
            const fiber = yield* Effect.forkChild(Effect.exit(run(db.store, change)))
            yield* query(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice' AND pid <> pg_backend_pid()"
            )
            yield* Fiber.join(fiber)
            model.apply(change)
            const isBefore = JSON.stringify(yield* db.rows) === JSON.stringify(before.rows)
            if (!isBefore) yield* Contract.compare(db, model, "killed")
            yield* Effect.retry(run(db.store, change), { while: ({ _tag }) => _tag === "StoreInUse" })
            yield* Contract.compare(db, model, "again")
          }
        })
    )
  })
})

const expectedTime = (index: number) => Prices.tradeRecords[index]?.time ?? ""
