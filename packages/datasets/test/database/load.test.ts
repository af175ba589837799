import { NodeServices } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { Client, Retry, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetPostgres from "@sluice/datasets/DatasetPostgres"
import * as SharedTable from "@sluice/datasets/SharedTable"
import { Sandbox } from "@sluice/sandbox"
import { Context, Deferred, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { HttpClient } from "effect/http"
import { memory } from "../../../files/test/download/Harness.ts"
import * as PostgresServer from "./PostgresServer.ts"

class Server extends Context.Service<Server, Effect.Success<typeof PostgresServer.make>>()("test/Server") {
  static readonly layer = Layer.effect(Server, PostgresServer.make).pipe(
    Layer.provideMerge(Layer.merge(memory(), NodeServices.layer))
  )
}

const query = (sql: string) => Effect.flatMap(Server, (server) => PostgresServer.query(server, sql))

const endpoint = Timeseries.assetMetrics

/** Two assets over two months, in four parts; 124 records. */
const params = {
  assets: ["btc", "eth"],
  metrics: ["PriceUSD", "TxCnt"],
  start_time: "2026-07-01",
  end_time: "2026-08-31"
} as const

const split = { by: "assets", every: "1 month" } as const

/** A load of a table, as a process of a group sees it. */
const loadOf = Effect.fnUntraced(function* (table: string, group = "backfill 1") {
  const { url } = yield* Server
  return yield* SharedTable.make({ endpoint, params, split, into: { url: url(), table } }, group)
})

/** Loads what is not there. Gives how many parts were. */
const load = Effect.fnUntraced(function* (table: string) {
  const shared = yield* loadOf(table)
  const { done } = yield* shared.begin
  const has = new Set(done.map(({ part }) => part))
  for (let part = 0; part < shared.parts; part++) if (!has.has(part)) yield* shared.read(part)
  yield* shared.end
  return done.length
}, Effect.scoped)

const sync = Effect.fnUntraced(function* (table: string) {
  const { url } = yield* Server
  const { end_time: _, ...open } = params
  yield* Stream.runDrain(Dataset.sync({ endpoint, params: open, to: DatasetPostgres.make({ url: url(), table }) }))
})

const verify = Effect.fnUntraced(function* (table: string) {
  const { url } = yield* Server
  yield* Stream.runDrain(Dataset.verify(DatasetPostgres.make({ url: url(), table })))
})

const rows = (table: string) =>
  Effect.map(
    query(`SELECT md5(string_agg(r::text, '|' ORDER BY asset, time)), count(*)::text FROM ${table} r`),
    (rows) => JSON.stringify(rows)
  )

describe("the database of a load", () => {
  it.each([
    ["postgres://me:secret@DB.Example/market", "db.example:5432/market"],
    ["postgresql://me@db.example:6432/market?sslmode=require", "db.example:6432/market"],
    ["postgres://me@db.example/?dbname=market", "db.example:5432/market"],
    ["postgres://me@localhost/market?host=/run/Postgres", "/run/Postgres:5432/market"],
    ["postgres://me@db.example", undefined],
    ["https://db.example/market", undefined]
  ])("is kept of %s without the user", (url, database) => {
    assert.strictEqual(SharedTable.databaseOf(Redacted.make(url)), database)
  })
})

const made = (into: SharedTable.TargetTable) => SharedTable.make({ endpoint, params, split, into }, "backfill 1")

describe("the table of a load", () => {
  it.effect("is refused where a sync would refuse it: its schema stands before its name", () =>
    Effect.gen(function* () {
      const url = Redacted.make("postgres://me@db.example/market")
      const error = yield* Effect.flip(made({ url, table: "market.prices" }))
      assert.deepInclude(error, { _tag: "BadDefinition", setting: "table" })
      assert.include(error.message, 'give the schema as "schema"')
      yield* made({ url, schema: "market", table: "prices.daily" })
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )
})

describe.skipIf(!PostgresServer.isInstalled)(PostgresServer.title("a table that several processes load"), () => {
  layer(Server.layer, { excludeTestServices: true })((it) => {
    it.effect("is loaded again where it was removed, with or without its bookkeeping, or has lost rows", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* load("prices"), 0)
        const whole = yield* rows("prices")
        assert.include(whole, '"124"')
        for (const loss of ["DROP TABLE prices", "TRUNCATE prices"]) {
          yield* query(loss)
          assert.strictEqual(yield* load("prices"), 0, loss)
          assert.strictEqual(yield* rows("prices"), whole, loss)
        }
        assert.strictEqual(yield* load("prices"), 4)
        yield* verify("prices")
        yield* query("DROP TABLE prices")
        yield* query("DELETE FROM sluice_datasets WHERE name = 'prices'")
        yield* query("DELETE FROM sluice_cursors WHERE dataset = 'prices'")
        assert.strictEqual(yield* load("prices"), 0)
        assert.strictEqual(yield* rows("prices"), whole)
        yield* verify("prices")
        yield* query("DELETE FROM sluice_datasets WHERE name = 'prices'")
        const refused = yield* Effect.flip(load("prices"))
        assert.strictEqual(refused._tag, "TableOccupied")
        assert.strictEqual(yield* rows("prices"), whole)
      })
    )

    it.effect("is loaded again in place of rows that are missing, and synced from there", () =>
      Effect.gen(function* () {
        yield* load("cut")
        yield* sync("cut")
        const whole = yield* rows("cut")
        yield* query("DELETE FROM cut WHERE time > '2026-08-20'")
        assert.strictEqual(yield* load("cut"), 0)
        yield* sync("cut")
        assert.strictEqual(yield* rows("cut"), whole)
        yield* verify("cut")
      })
    )

    it.effect("is in use by the load until it ends, and what a sync has begun is no load's", () =>
      Effect.gen(function* () {
        const shared = yield* loadOf("busy")
        yield* shared.begin
        const { message } = yield* Effect.flip(sync("busy"))
        assert.include(message, "in use by backfill 1")
        const other = yield* Effect.flip(Effect.flatMap(loadOf("busy", "backfill 2"), ({ begin }) => begin))
        assert.strictEqual(other._tag === "StoreInUse" ? other.by : other._tag, "backfill 1")
        yield* shared.read(0)
        yield* shared.end
        assert.strictEqual((yield* Effect.flip(shared.read(1)))._tag, "StoreInUse")
        yield* sync("busy")
        yield* sync("synced")
        assert.strictEqual(yield* rows("busy"), yield* rows("synced"))
        const synced = yield* Effect.flip(load("synced"))
        assert.include(synced.message, "a sync has begun its dataset")
      }).pipe(Effect.scoped)
    )

    it.effect("takes nothing of a process that was frozen while the table was released, synced and taken again", () =>
      Effect.gen(function* () {
        const shared = yield* loadOf("frozen")
        yield* shared.begin
        const isAsked = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        const { url } = yield* Sandbox.Sandbox
        const frozen = Client.layer({ root: url, apiKey: Redacted.make("demo-key"), retry: Retry.none }).pipe(
          Layer.provide(
            Layer.effect(
              HttpClient.HttpClient,
              Effect.map(
                HttpClient.HttpClient,
                HttpClient.mapRequestEffect((request) =>
                  Deferred.succeed(isAsked, undefined).pipe(Effect.andThen(Deferred.await(goOn)), Effect.as(request))
                )
              )
            )
          )
        )
        const reading = yield* Effect.forkChild(Effect.flip(Effect.provide(shared.read(0), frozen)))
        yield* Deferred.await(isAsked)
        yield* shared.end
        yield* shared.begin
        yield* Deferred.succeed(goOn, undefined)
        assert.strictEqual((yield* Fiber.join(reading))._tag, "StoreInUse")
        assert.deepStrictEqual((yield* shared.begin).done, [])
        assert.strictEqual((yield* shared.read(0)).part, 0)
      }).pipe(Effect.scoped)
    )
  })
})
