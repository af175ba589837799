import { assert, describe, it, layer } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { PGlite } from "@electric-sql/pglite"
import { DuckDBInstance } from "@duckdb/node-api"
import { Bulk, Client, Endpoints, ReferenceData, Timeseries } from "@sluice/core"
import { Format, TableSchema } from "@sluice/files"
import { Sandbox } from "@sluice/sandbox"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Fixtures from "../../../core/test/Fixtures.ts"
import * as PostgresServer from "../../../datasets/test/database/PostgresServer.ts"
import * as ExampleParams from "../../../node/test/ExampleParams.ts"
import { inVirtualTime, settings } from "../../../node/test/Harness.ts"
import * as Duck from "./Duck.ts"

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, validateFormats: false })

/** Schemas that many replies share are compiled once. */
const compiled = new Map<string, ReturnType<typeof ajv.compile>>()

/** What is wrong with records by their JSON Schema. */
const wrong = ({ json }: TableSchema.TableSchema, records: ReadonlyArray<unknown>) => {
  const text = JSON.stringify(json)
  const validate = compiled.get(text) ?? ajv.compile(json)
  compiled.set(text, validate)
  return records.flatMap((record) =>
    validate(record) ? [] : [`${JSON.stringify(record)} ${ajv.errorsText(validate.errors)}`]
  )
}

const duck = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => DuckDBInstance.create(":memory:", { threads: "1" })),
    (database) => Effect.sync(() => database.closeSync())
  ),
  (database) => (sql: string) =>
    Effect.promise(async () => {
      const connection = await database.connect()
      const reader = await connection.runAndReadAll(sql)
      connection.closeSync()
      return reader.getRowsJson()
    })
)

type Query = (sql: string) => Effect.Effect<ReadonlyArray<unknown>>

/** The PostgreSQL of this machine: with it these tests take 3.2 instead of 6.8 seconds of processor time. */
const installed = Effect.gen(function* () {
  const server = yield* PostgresServer.make
  const connection = yield* PgConnection.make({ url: server.url(), ssl: false })
  return (sql: string) =>
    connection.query(sql, [], false).pipe(
      Effect.map(({ rows }) => rows.map((row) => Object.values(row))),
      Effect.orDie
    )
}).pipe(Effect.provide(NodeServices.layer))

/** One in WebAssembly. */
const inMemory = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => PGlite.create()),
    (database) => Effect.promise(() => database.close())
  ),
  (database) => (sql: string) => Effect.promise(async () => (await database.query(sql, [], { rowMode: "array" })).rows)
)

/** A PostgreSQL, on every machine. */
class Postgres extends Context.Service<Postgres, Query>()("Postgres") {
  static readonly layer = PostgresServer.isInstalled
    ? Layer.effect(Postgres, installed)
    : Layer.effect(Postgres, inMemory)
}

/** Schemas of all endpoints whose columns are known. */
const schemas = Effect.runSync(
  Effect.cached(
    Effect.forEach(Endpoints.entries, ({ endpoint, name, section }) =>
      Effect.map(
        Effect.result(TableSchema.make(endpoint, ExampleParams.of(endpoint), { statusColumns: true })),
        (made): ReadonlyArray<readonly [string, TableSchema.TableSchema]> =>
          Result.isSuccess(made) ? [[`${section}.${name}`, made.success]] : []
      )
    ).pipe(Effect.map((all) => all.flat()))
  )
)

const blocks = { assets: "btc", metrics: ["PriceUSD", 'Odd"name'], frequency: "1b" }

const created = (dialect: TableSchema.Dialect, options: TableSchema.Options) =>
  Effect.map(TableSchema.make(Timeseries.assetMetrics, blocks, options), (schema) =>
    TableSchema.ddl(schema, { dialect, table: "t", ifNotExists: true })
  )

const keyOf = (endpoint: Parameters<typeof TableSchema.make>[0], params: object, columns?: ReadonlyArray<string>) =>
  Effect.map(TableSchema.make(endpoint, params, { columns }), ({ key }) => key)

const refusal = (params: object, options: TableSchema.Options = {}) =>
  Effect.map(Effect.flip(TableSchema.make(Timeseries.assetMetrics, params, options)), ({ message }) => message)

// Started once: it takes seconds, and on a busy machine minutes.
layer(Layer.merge(Sandbox.layerMemory(), Postgres.layer), { timeout: "3 minutes" })(
  "the table of an endpoint's records",
  (it) => {
    it.effect("is created in DuckDB, of every endpoint", () =>
      Effect.gen(function* () {
        const run = yield* duck
        const all = yield* schemas
        assert.isAbove(all.length, 100)
        for (const [name, schema] of all) {
          for (const sql of TableSchema.ddl(schema, { dialect: "duckdb", table: name })) yield* run(sql)
        }
        assert.deepStrictEqual(yield* run("select count(*) from duckdb_tables()"), [[String(all.length)]])
      })
    )

    it.effect("is created in PostgreSQL, of every endpoint", () =>
      Effect.gen(function* () {
        const run = yield* Postgres
        const all = yield* schemas
        yield* run("create schema every")
        for (const [name, schema] of all) {
          for (const sql of TableSchema.ddl(schema, { dialect: "postgres", table: ["every", name] })) yield* run(sql)
        }
        assert.deepStrictEqual(yield* run("select count(*)::int from pg_tables where schemaname = 'every'"), [
          [all.length]
        ])
      })
    )

    it.effect("has types, keys and comments in both", () =>
      Effect.gen(function* () {
        const options = { descriptions: { PriceUSD: "What it's worth" } }
        const duckdb = yield* duck
        for (const sql of yield* created("duckdb", options)) yield* duckdb(sql)
        assert.deepStrictEqual(
          yield* duckdb(
            "select column_name, data_type, is_nullable, comment from duckdb_columns() where table_name = 't'"
          ),
          [
            ["asset", "VARCHAR", false, null],
            ["time", "TIMESTAMP_NS", false, null],
            ["PriceUSD", "DOUBLE", true, "What it's worth"],
            ['Odd"name', "DOUBLE", true, null],
            ["block_hash", "VARCHAR", false, null],
            ["parent_block_hash", "VARCHAR", true, null],
            ["height", "BIGINT", false, null]
          ]
        )
        const pg = yield* Postgres
        for (const sql of yield* created("postgres", { ...options, numbers: "decimal" })) yield* pg(sql)
        assert.deepStrictEqual(
          yield* pg(
            "select column_name, data_type, is_nullable, col_description('t'::regclass, ordinal_position) from information_schema.columns where table_name = 't' order by ordinal_position"
          ),
          [
            ["asset", "text", "NO", null],
            ["time", "timestamp with time zone", "NO", null],
            ["PriceUSD", "numeric", "YES", "What it's worth"],
            ['Odd"name', "numeric", "YES", null],
            ["block_hash", "text", "NO", null],
            ["parent_block_hash", "text", "YES", null],
            ["height", "bigint", "NO", null]
          ]
        )
        // All digits that the service may write.
        const [long] = yield* pg(`select '${"7".repeat(40)}.${"3".repeat(400)}'::numeric::text`)
        assert.deepStrictEqual(long, [`${"7".repeat(40)}.${"3".repeat(400)}`])
        assert.include((yield* created("postgres", { decimal: { precision: 20, scale: 2 } }))[0], "numeric(20, 2)")
        assert.include((yield* created("duckdb", { numbers: "decimal" }))[0], "DECIMAL(38, 18)")
        assert.include((yield* created("postgres", { numbers: "text" }))[0], '"PriceUSD" text,')
      })
    )

    it.effect("has the key that the interface documents, where all of it is chosen", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* keyOf(Timeseries.assetMetrics, { metrics: "A" }), ["asset", "time"])
        assert.deepStrictEqual(yield* keyOf(Timeseries.assetMetrics, blocks), ["asset", "height", "block_hash"])
        assert.deepStrictEqual(yield* keyOf(Timeseries.marketTrades, {}), ["market", "time", "coin_metrics_id"])
        assert.deepStrictEqual(yield* keyOf(Timeseries.marketTrades, {}, ["market", "time", "price"]), [])
        assert.deepStrictEqual(yield* keyOf(Timeseries.marketGreeks, {}), ["market", "time"])
        const protocols = { metrics: "A", frequency: "1d" }
        assert.sameMembers(
          [...(yield* keyOf(Timeseries.protocolMetrics, protocols))],
          ["protocol", "market", "chain", "time"]
        )
        assert.deepStrictEqual(yield* keyOf(ReferenceData.assets, {}), [])
      })
    )

    it.effect("is refused as files are, and without the parameter that names its columns", () =>
      Effect.gen(function* () {
        assert.include(yield* refusal({}), 'need "metrics"')
        assert.include(yield* refusal({ metrics: "A*" }), "is a wildcard")
        assert.include(yield* refusal({ metrics: "A" }, { columns: ["B"] }), 'there is no column "B"')
        const decimal = { precision: 39, scale: 0 }
        assert.include(yield* refusal({ metrics: "A" }, { decimal }), "a precision is from 1 to 38")
      })
    )

    const paths = ["asset-metrics", "market-trades", "asset-chains"].map((name) => `/timeseries/${name}`)
    const series = Endpoints.all.filter(({ path }) => paths.includes(path))
    it.effect.each(series)("and its JSON Schema take the records of the stand-in: $path", (endpoint) =>
      Effect.gen(function* () {
        const { url } = yield* Sandbox.Sandbox
        const client = yield* Client.make({ ...settings, root: url, plan: "download" })
        const params = ExampleParams.of(endpoint)
        const read = Stream.runCollect(Bulk.read(endpoint, { index: 0, params }))
        const records = yield* inVirtualTime(Effect.provideService(read, Client.Client, client))
        assert.isAbove(records.length, 10)
        const schema = yield* TableSchema.make(endpoint, params)
        assert.deepStrictEqual(wrong(schema, records), [])

        // A Parquet file with the same options has the same columns.
        const run = yield* duck
        for (const sql of TableSchema.ddl(schema, { dialect: "duckdb", table: "t" })) yield* run(sql)
        const file = yield* Duck.file(endpoint, params, { as: "parquet" }, records)
        yield* run(`insert into t select * from '${file}'`)
        assert.deepStrictEqual(yield* run("select count(*) from t"), [[String(records.length)]])

        const pg = yield* Postgres
        for (const sql of TableSchema.ddl(schema, { dialect: "postgres", table: "rows" })) yield* pg(sql)
        for (const sql of inserts(schema, records.slice(0, 50))) yield* pg(sql)
        assert.deepStrictEqual(yield* pg("select count(*)::int from rows"), [[Math.min(records.length, 50)]])
        yield* pg("drop table rows")
      })
    )
  }
)

describe("the JSON Schema", () => {
  it.effect("accepts the records of every endpoint, as the interface has them", () =>
    Effect.gen(function* () {
      let seen = 0
      for (const endpoint of Endpoints.all.filter(({ deprecated }) => deprecated === undefined)) {
        for (const { body, query } of Fixtures.all.find(({ path }) => path === endpoint.path)?.replies ?? []) {
          const params = Fixtures.paramsOf(endpoint.path, query)
          const made = yield* Effect.result(TableSchema.make(endpoint, params, { statusColumns: true }))
          if (Result.isFailure(made)) continue
          assert.deepStrictEqual(wrong(made.success, body.data), [], endpoint.path)
          seen += body.data.length
        }
      }
      assert.isAbove(seen, 200)
    })
  )

  it.effect("refuses records without their key, and numbers that are not text", () =>
    Effect.gen(function* () {
      const schema = yield* TableSchema.make(Timeseries.assetMetrics, blocks)
      const good = { asset: "btc", time: "2024-01-01T00:00:00.000000000Z", PriceUSD: "1", height: null, newer: [1] }
      assert.deepStrictEqual(wrong(schema, [good]), [])
      const bad = [{ ...good, asset: undefined }, { ...good, PriceUSD: 1 }, { ...good, height: 7 }, "text", null]
      assert.lengthOf(wrong(schema, JSON.parse(JSON.stringify(bad))), bad.length)
    })
  )
})

const literal = (text: string | undefined) => (text === undefined ? "NULL" : `'${text.replaceAll("'", "''")}'`)

const inserts = ({ columns }: TableSchema.TableSchema, records: ReadonlyArray<unknown>) =>
  records.map((record) => {
    const values = columns.map(({ name }) => {
      const text = Format.textOf(record, name)
      return literal(text === "null" ? undefined : text)
    })
    return `insert into rows values (${values.join(", ")})`
  })
