import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import * as Duration from "effect/Duration"
import * as DatasetPostgres from "@sluice/datasets/DatasetPostgres"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Stream from "effect/Stream"
import * as Days from "./Days.ts"
import * as Duckdb from "./Duckdb.ts"
import * as PostgresServer from "./PostgresServer.ts"
import { temporary } from "../dataset/Harness.ts"

const { assetMetrics } = Timeseries

const metrics = ["TxCnt", "PriceUSD"]
const params = { assets: ["btc", "eth"], metrics, start_time: "2026-09-12" }

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

const order = "CAST(time AS text) AS time, CAST(TxCnt AS double) AS TxCnt, CAST(PriceUSD AS double) AS PriceUSD"

/** A place, and the records in it. */
interface Place {
  readonly of: Pick<Dataset.Job, "to" | "layout" | "format">
  readonly rows: Effect.Effect<Rows, unknown>
}

const folder = (as: "ndjson" | "csv" | "parquet", layout: Dataset.Layout) =>
  Effect.map(temporary, (to): Place => {
    const reader = { ndjson: "read_json_auto", csv: "read_csv_auto", parquet: "read_parquet" }[as]
    const sql = `SELECT asset, ${order} FROM ${reader}('${to}/**/*.${as}', hive_partitioning = true, union_by_name = true) ORDER BY asset, time`
    return { of: { to, layout, format: { as } }, rows: Duckdb.query(":memory:", sql) }
  })

const table = Effect.map(Duckdb.newFile, (file): Place => {
  const sql = `SELECT asset, ${order} FROM prices ORDER BY asset, time`
  return { of: { to: DatasetDuckdb.make({ file, table: "prices" }) }, rows: Duckdb.query(file, sql) }
})

const postgres = Effect.map(PostgresServer.make, (server): Place => {
  const sql = 'SELECT asset, time::text AS time, "TxCnt", "PriceUSD" FROM public.prices ORDER BY asset, time'
  return {
    of: { to: DatasetPostgres.make({ url: server.url(), schema: "public", table: "prices" }) },
    rows: PostgresServer.query(server, sql)
  }
})

const places = {
  "files of JSON lines, one for each asset": folder("ndjson", { period: "none" }),
  "files of CSV, by month": folder("csv", { byEntity: false, period: "month" }),
  "one file of Parquet": folder("parquet", { byEntity: false, period: "none" }),
  "a table of DuckDB": table,
  ...(PostgresServer.isInstalled ? { "a table of PostgreSQL": postgres } : {})
}

/** What a run tells. */
const run = (service: Days.Service, job: Dataset.Job<typeof assetMetrics>) =>
  Effect.provide(Stream.runCollect(Dataset.sync({ lookBack: "5 days", ...job })), service.layer)

/** What the service has now of one metric, by asset and time, which stand in the order of the rows. */
const now = (service: Days.Service, metric: string, from = params.start_time) =>
  Stream.runCollect(assetMetrics({ ...params, metrics: [metric], start_time: from })).pipe(
    Effect.map((records): Rows => [...records]),
    Effect.provide(service.layer)
  )

const keyOf = ({ asset, time }: Rows[number]) => `${String(asset)} ${String(time).slice(0, 10)}`

const byKey = (rows: Rows, metric: string) =>
  new Map(rows.filter((row) => row[metric] != null).map((row) => [keyOf(row), Number(row[metric])] as const))

const retiredIn = (events: Iterable<Dataset.Event>) =>
  [...events].flatMap((event) => (event._tag === "Retired" ? event.metrics : []))

describe("a metric that the service has no more", () => {
  for (const [name, make] of Object.entries(places)) {
    it.live(`stays in ${name}, while the other goes on`, () =>
      Effect.gen(function* () {
        const service = yield* Days.make(7, { TxCnt: "2026-10-03" })
        const { of, rows } = yield* make
        const job = { endpoint: assetMetrics, params, ...of }
        yield* run(service, job)
        const before = byKey(yield* rows, "TxCnt")
        assert.isAbove(before.size, 20)
        service.at(3)
        assert.deepStrictEqual(retiredIn(yield* run(service, job)), ["TxCnt"])
        const same = Effect.fnUntraced(function* (from?: string) {
          const held = yield* rows
          assert.deepStrictEqual(byKey(held, "TxCnt"), before)
          const said = byKey(yield* now(service, "PriceUSD", from), "PriceUSD")
          for (const [key, value] of said) assert.strictEqual(byKey(held, "PriceUSD").get(key), value, key)
          assert.strictEqual(held.length, new Set(held.map(keyOf)).size)
        })
        yield* same()
        // All of it read again, and the next days, by a job that names the metric and by one that names nothing.
        // Each run that names it says that it is still refused.
        assert.deepStrictEqual(retiredIn(yield* run(service, { ...job, recheck: Duration.infinity })), ["TxCnt"])
        yield* same()
        service.at(5)
        yield* Effect.provide(Stream.runDrain(Dataset.sync({ to: of.to })), service.layer)
        yield* same()
        // An earlier start has none of it.
        const earlier = { ...params, start_time: "2026-09-05" }
        yield* run(service, { ...job, params: earlier })
        yield* same("2026-09-05")
        yield* Stream.runDrain(Dataset.verify(of.to))
        const definition = yield* Dataset.defined(of.to)
        assert.deepInclude(definition, { retired: ["TxCnt"] })
        assert.deepStrictEqual(definition?.params["metrics"], metrics)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }

  for (const [name, make] of Object.entries(places)) {
    it.live(`stays in ${name}, also where the other has no record of its time`, () =>
      Effect.gen(function* () {
        const to = "2026-09-20"
        const service = yield* Days.make(7, { TxCnt: "2026-10-03" }, (request) => {
          const valueOf = (name: string) => String(request.urlParams.params.find(([own]) => own === name)?.[1])
          // The other begins some days later.
          return valueOf("metrics") === "PriceUSD" && valueOf("start_time") < to
            ? HttpClientRequest.setUrlParam(request, "start_time", to)
            : request
        })
        const { of, rows } = yield* make
        const job = { endpoint: assetMetrics, params, ...of } as const
        yield* run(service, job)
        const before = byKey(yield* rows, "TxCnt")
        service.at(3)
        yield* run(service, { ...job, recheck: Duration.infinity })
        yield* run(service, { ...job, recheck: Duration.infinity })
        const held = yield* rows
        assert.deepStrictEqual(byKey(held, "TxCnt"), before)
        assert.isFalse(
          [...byKey(held, "PriceUSD").keys()].some((key) => key < `btc ${to}` || (key > "eth" && key < `eth ${to}`))
        )
        yield* Stream.runDrain(Dataset.verify(of.to))
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }

  it.live("is asked for again, over all times, when a job names it and the service has it", () =>
    Effect.gen(function* () {
      const service = yield* Days.make(7)
      const { of, rows } = yield* places["one file of Parquet"]
      const job = { endpoint: assetMetrics, ...of }
      yield* run(service, { ...job, params })
      service.at(4)
      const only = { ...job, params: { ...params, metrics: ["PriceUSD"] }, lookBack: "1 day" } as const
      assert.deepStrictEqual(retiredIn(yield* run(service, only)), ["TxCnt"])
      // Longer than the look-back.
      service.at(20)
      yield* run(service, only)
      assert.deepInclude(yield* Dataset.defined(of.to), { retired: ["TxCnt"] })
      assert.isBelow(byKey(yield* rows, "TxCnt").size, byKey(yield* rows, "PriceUSD").size)
      yield* run(service, { ...job, params })
      assert.notProperty(yield* Dataset.defined(of.to), "retired")
      assert.deepStrictEqual(byKey(yield* rows, "TxCnt"), byKey(yield* now(service, "TxCnt"), "TxCnt"))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("is asked for again by each run that names nothing, with one request, once the service refused it", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      // The same service, with some of the metrics away.
      const without = Effect.fnUntraced(function* (...away: ReadonlyArray<string>) {
        const retired = Object.fromEntries(away.map((metric) => [metric, "2026-09-01"]))
        const service = yield* Days.make(7, retired, (request) => {
          asked.push(String(request.urlParams.params.find(([name]) => name === "metrics")?.[1]))
          return request
        })
        service.at(2)
        return service
      })
      const { of, rows } = yield* places["one file of Parquet"]
      const three = { ...params, metrics: ["TxCnt", "AdrActCnt", "PriceUSD"] }
      const all = yield* without()
      yield* run(all, { endpoint: assetMetrics, params: three, ...of })
      const again = (service: Days.Service) =>
        Effect.suspend(() => {
          asked.length = 0
          return Effect.provide(Stream.runDrain(Dataset.sync({ to: of.to })), service.layer)
        })
      yield* again(all)
      const usual = asked.length
      const neither = yield* without("TxCnt", "AdrActCnt")
      yield* again(neither)
      assert.sameMembers([...((yield* Dataset.defined(of.to))?.refused ?? [])], ["TxCnt", "AdrActCnt"])
      yield* again(neither)
      assert.strictEqual(asked.length, usual + 1)
      assert.include(["TxCnt,AdrActCnt", "AdrActCnt,TxCnt"], asked[0])
      // One of them is there again, and then the other.
      yield* again(yield* without("AdrActCnt"))
      assert.deepInclude(yield* Dataset.defined(of.to), { retired: ["AdrActCnt"], refused: ["AdrActCnt"] })
      assert.deepStrictEqual(byKey(yield* rows, "TxCnt"), byKey(yield* now(all, "TxCnt"), "TxCnt"))
      yield* again(all)
      assert.notProperty(yield* Dataset.defined(of.to), "retired")
      assert.notProperty(yield* Dataset.defined(of.to), "refused")
      yield* again(all)
      assert.strictEqual(asked.length, usual)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("is not asked for again where a job left it out", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const service = yield* Days.make(7, { TxCnt: "2026-10-03" }, (request) => {
        asked.push(String(request.urlParams.params.find(([name]) => name === "metrics")?.[1]))
        return request
      })
      const { of } = yield* places["one file of Parquet"]
      yield* run(service, { endpoint: assetMetrics, params, ...of })
      service.at(3)
      yield* Effect.provide(Stream.runDrain(Dataset.sync({ to: of.to })), service.layer)
      assert.deepInclude(yield* Dataset.defined(of.to), { retired: ["TxCnt"], refused: ["TxCnt"] })
      yield* run(service, { endpoint: assetMetrics, params: { ...params, metrics: ["PriceUSD"] }, ...of })
      assert.notProperty(yield* Dataset.defined(of.to), "refused")
      asked.length = 0
      yield* Effect.provide(Stream.runDrain(Dataset.sync({ to: of.to })), service.layer)
      assert.notInclude(asked, "TxCnt")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("comes back by itself, while another stays away, or may not be read", () =>
    Effect.gen(function* () {
      const { of, rows } = yield* places["one file of Parquet"]
      const three = { ...params, metrics: ["TxCnt", "AdrActCnt", "PriceUSD"] }
      const job = { endpoint: assetMetrics, params: three, ...of } as const
      yield* run(yield* Days.make(7), job)
      yield* run(yield* Days.make(7), { ...job, params: { ...params, metrics: ["PriceUSD"] } })
      const error = yield* Effect.flip(run(yield* Days.make(7), { ...job, params: { ...params, metrics: ["TxCnt"] } }))
      assert.deepInclude(error, { _tag: "OtherDefinition", differs: ["params.metrics"] })
      const service = yield* Days.make(7, { AdrActCnt: "2026-09-01" })
      yield* run(service, job)
      assert.deepInclude(yield* Dataset.defined(of.to), { retired: ["AdrActCnt"] })
      assert.deepStrictEqual(byKey(yield* rows, "TxCnt"), byKey(yield* now(service, "TxCnt"), "TxCnt"))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("ends a run where no other is left, and where it was never held", () =>
    Effect.gen(function* () {
      const service = yield* Days.make(7, { TxCnt: "2026-10-03", PriceUSD: "2026-10-03" })
      const { of } = yield* places["one file of Parquet"]
      const job = { endpoint: assetMetrics, params, ...of }
      yield* run(service, job)
      service.at(3)
      const error = yield* Effect.flip(run(service, job))
      assert.strictEqual(error._tag, "SyncFailed")
      const other = { ...params, metrics: ["AdrActCnt"] }
      const refused = yield* Effect.flip(run(service, { ...job, params: other }))
      assert.deepInclude(refused, { _tag: "OtherDefinition", missing: metrics })
      const unknown = { ...params, metrics: [...metrics, "NoSuchMetric"] }
      assert.strictEqual((yield* Effect.flip(run(service, { ...job, params: unknown })))._tag, "InvalidRequest")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
