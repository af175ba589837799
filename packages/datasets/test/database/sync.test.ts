import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import * as DatasetPostgres from "@sluice/datasets/DatasetPostgres"
import { Clock, Effect, FileSystem, Stream } from "effect"
import * as fs from "node:fs"
import { assertSame } from "../../../core/test/Same.ts"
import { isLong, seeds, times } from "../../../core/test/TestMode.ts"
import * as CuttingProxy from "./CuttingProxy.ts"
import * as Days from "./Days.ts"
import * as Duckdb from "./Duckdb.ts"
import * as PostgresServer from "./PostgresServer.ts"

type Row = Readonly<Record<string, unknown>>

/** What is kept on a day: a metric more from the third day on, and an asset more from the fifth. */
const jobOn = (day: number) =>
  ({
    endpoint: Timeseries.assetMetrics,
    params: {
      assets: day < 4 ? ["btc", "eth", "sol", "usdc"] : ["btc", "eth", "ltc", "sol", "usdc"],
      metrics: day < 2 ? ["FlowInExUSD", "SplyExNtv"] : ["FlowInExUSD", "SplyExNtv", "PriceUSD"],
      start_time: "2026-09-20"
    },
    lookBack: "3 days"
  }) as const

/** Assets that come, go and are renamed. */
const everyAsset = () =>
  ({
    endpoint: Timeseries.assetMetrics,
    params: {
      assets: "*",
      metrics: ["futures_aggregate_funding_rate_usd_margin_1d_period"],
      start_time: "2026-09-26"
    },
    lookBack: "3 days",
    onRemoved: "remove"
  }) as const

const trades = () =>
  ({
    endpoint: Timeseries.marketTrades,
    params: { markets: ["coinbase-eth-usd-spot", "kraken-btc-usd-spot"], start_time: "2026-09-30T23:00:00" },
    lookBack: "1 hour"
  }) as const

type Job = (day: number) => Omit<Dataset.Job, "to">

interface Target {
  readonly name: string
  readonly job: Job
  /** Numbers as tables have them; other values are text. */
  readonly isNumber: (column: string) => boolean
  readonly key: ReadonlyArray<string>
  readonly days: number
}

// Type boundary: parameters have types of their own, and are data here.
const target = (name: string, job: (day: number) => unknown, others: Omit<Target, "name" | "job">): Target => ({
  name,
  job: job as Job,
  ...others
})

const metrics = { isNumber: (column: string) => column !== "asset" && column !== "time", key: ["asset", "time"] }

const targets: ReadonlyArray<Target> = [
  target("reviewed metrics, which grow", jobOn, { ...metrics, days: times(5, 12) }),
  target("every asset", everyAsset, { ...metrics, days: times(0, 10) }),
  target("trades", trades, {
    isNumber: (column) => column === "amount" || column === "price",
    key: ["market", "time", "coin_metrics_id"],
    days: times(1, 2)
  })
]

/** The records of a folder of NDJSON, in order, as rows of a table. */
const rowsOf = (folder: string, { isNumber, key }: Target): ReadonlyArray<Row> => {
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ndjson") && !name.startsWith("."))
  const records = files.flatMap((name) =>
    fs
      .readFileSync(`${folder}/${name}`, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      // Type boundary: the records of the stand-in are objects.
      .map((line) => JSON.parse(line) as Row)
  )
  const rows = records.map((record) =>
    Object.fromEntries(
      Object.entries(record)
        .filter(([name, value]) => value !== null && !/-status(-time)?$/.test(name))
        .map(([name, value]) => [name, isNumber(name) ? Number(value) : value])
    )
  )
  return inOrder(rows, key)
}

const inOrder = (rows: ReadonlyArray<Row>, key: ReadonlyArray<string>) => {
  const keyOf = (row: Row) => key.map((name) => String(row[name])).join(" ")
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** Rows of a table as records have them: without null, and with times of nine digits. */
const asRecords = (rows: ReadonlyArray<Row>, { isNumber, key }: Target) =>
  inOrder(
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => [name, isNumber(name) ? Number(value) : value])
      )
    ),
    key
  )

/** What a read gives of all that is held, with numbers as tables have them. */
const readBack = Effect.fnUntraced(function* ({ isNumber, job }: Target, day: number, from: string | Dataset.Store) {
  const { endpoint, params } = job(day)
  const held = (yield* Dataset.status(from))?.entities.map(({ entity }) => entity) ?? []
  // Type boundary: parameters have types of their own, and are data here.
  const [name = ""] = ["assets", "markets"].filter((one) => one in params)
  const given = { ...params, [name]: held } as never
  const records = yield* Stream.runCollect(Dataset.read(endpoint, given, { from, offline: true }))
  return records.map((record) =>
    Object.fromEntries(
      Object.entries(record as Row)
        .filter(([column, value]) => value !== null && !/-status(-time)?$/.test(column))
        .map(([column, value]) => [column, isNumber(column) ? Number(value) : value])
    )
  )
})

/** Runs a sync on days of a service whose past changes, and compares with a folder after each. */
const followsFolder = Effect.fnUntraced(function* (
  target: Target,
  seed: number,
  place: {
    readonly store: Dataset.Store
    /** Runs a sync that something disturbs. */
    readonly disturbed: (
      sync: (store: Dataset.Store) => Effect.Effect<unknown, Dataset.DatasetError>,
      drawn: number
    ) => Effect.Effect<unknown, unknown>
    readonly rows: Effect.Effect<ReadonlyArray<Row>, unknown>
  }
) {
  const files = yield* FileSystem.FileSystem
  const folder = `${yield* files.makeTempDirectoryScoped()}/folder`
  const service = yield* Days.make(seed)
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof Dataset.status>>>()
  const { store } = place
  for (let day = 0; day < target.days; day++) {
    service.at(day)
    const sync = (to: string | Dataset.Store) =>
      Stream.runDrain(Dataset.sync({ ...target.job(day), to, format: { as: "ndjson" } })).pipe(
        Effect.provide(service.layer),
        Effect.provideService(Clock.Clock, service.clock),
        Effect.provideContext(context)
      )
    const where = `${target.name}, seed ${seed}, day ${day}`
    yield* sync(folder)
    const expected = rowsOf(folder, target)
    assert.isAbove(expected.length, 10, where)
    yield* place.disturbed(sync, (seed * 31 + day * 17) % 97)
    yield* Effect.retry(sync(store), { while: ({ _tag }) => _tag === "StoreInUse" })
    assertSame(asRecords(yield* place.rows, target), expected, where)
    assertSame(yield* readBack(target, day, store), yield* readBack(target, day, folder), where)
    yield* Stream.runDrain(Dataset.verify(store)).pipe(Effect.provideContext(context))
    const [held, other] = [yield* Dataset.status(store), yield* Dataset.status(folder)]
    assert.deepStrictEqual(held?.entities, other?.entities, where)
  }
})

describe("a sync into a database", () => {
  for (const target of targets.filter(({ days }) => days > 0)) {
    it.live(`holds in DuckDB what the folder holds, day after day: ${target.name}`, () =>
      Effect.gen(function* () {
        for (const seed of seeds(1, 2)) {
          const file = yield* Duckdb.newFile
          const store = DatasetDuckdb.make({ file, table: "data" })
          const select = `SELECT * REPLACE (strftime(time, '%Y-%m-%dT%H:%M:%S.%n') || 'Z' AS time${
            target.name === "trades" ? ", strftime(database_time, '%Y-%m-%dT%H:%M:%S.%n') || 'Z' AS database_time" : ""
          }) FROM data`
          yield* followsFolder(target, seed, {
            store,
            disturbed: (sync, drawn) => Duckdb.breakingAt(1 + (drawn % 40), sync(store)),
            rows: Duckdb.query(file, select)
          })
        }
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }
})

/** A time of PostgreSQL as the service writes it. */
const asText = (column: string, nanos: string) =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || ${nanos} || 'Z'`

describe.skipIf(!PostgresServer.isInstalled)(PostgresServer.title("a sync into PostgreSQL"), () => {
  for (const target of targets) {
    it.live.skipIf(!isLong)(`holds what the folder holds, day after day: ${target.name}`, () =>
      Effect.gen(function* () {
        const server = yield* PostgresServer.make
        const store = (port?: number) => DatasetPostgres.make({ url: server.url(port), table: "data" })
        const isTrades = target.name === "trades"
        const times = [
          `'time', ${asText("t.time", isTrades ? "lpad((time_ns % 1000)::text, 3, '0')" : "'000'")}`,
          ...(isTrades ? [`'database_time', ${asText("t.database_time", "'000'")}`] : [])
        ]
        const select = `SELECT (to_jsonb(t) - 'time_ns' || jsonb_build_object(${times.join(", ")}))::text AS row FROM data t`
        yield* followsFolder(target, 3, {
          store: store(),
          disturbed: Effect.fnUntraced(function* (sync, drawn) {
            const cut = { at: 1 + (drawn % 60), lost: drawn % 2 === 0 ? "message" : "answer" } as const
            const proxy = yield* CuttingProxy.make(server.port, cut)
            yield* Effect.exit(sync(store(proxy.port)))
          }, Effect.scoped),
          // Type boundary: the text is that of an object.
          rows: Effect.map(PostgresServer.query(server, select), (all) =>
            all.map(({ row }) => JSON.parse(String(row)) as Row)
          )
        })
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }
})
