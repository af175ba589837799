import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import { Duration, Effect, type FileSystem, type Path, Stream } from "effect"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import { data, temporary, world } from "../dataset/Harness.ts"
import * as Duckdb from "./Duckdb.ts"

const params = { markets: ["coinbase-btc-usd-spot"], start_time: "2026-10-31T12:00:00" }

const fresh = Effect.map(Stream.runCollect(Timeseries.marketTrades(params)), (trades) =>
  trades.map(({ coin_metrics_id }) => coin_metrics_id)
)

/** A store whose changes have few records, and the ids in it by time. */
interface Kept {
  readonly to: Dataset.Store
  readonly held: Effect.Effect<ReadonlyArray<string>, unknown, FileSystem.FileSystem | Path.Path>
}

const most = 400

const table = Effect.map(Duckdb.newFile, (file): Kept => {
  const store = DatasetDuckdb.make({ file, table: "trades" })
  const held = Duckdb.query(file, "SELECT coin_metrics_id AS id FROM trades ORDER BY time, id")
  return {
    to: { ...store, cut: { ...store.cut, rows: most } },
    held: Effect.map(held, (rows) => rows.map(({ id }) => String(id)))
  }
})

const folder = Effect.gen(function* () {
  const to = yield* temporary
  const held = Effect.map(data(to), (files) =>
    Object.values(files)
      .flatMap((text) => [...text.matchAll(/"time":"([^"]+)".*?"coin_metrics_id":"([^"]+)"/g)])
      .toSorted(([, a = ""], [, b = ""]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([, , id = ""]) => id)
  )
  const kept: Kept = {
    to: yield* FolderStore.make(to, { layout: { period: "year", rows: most }, format: { as: "ndjson" } }),
    held
  }
  return kept
})

const sync = (to: Dataset.Store) =>
  Dataset.sync({ endpoint: Timeseries.marketTrades, params, to, lookBack: "1 second" })

const changes = (events: Iterable<Dataset.Event>) => [...events].filter(({ _tag }) => _tag === "Changed")

describe.each([
  { name: "a table", store: table },
  { name: "a folder", store: folder }
])("records of an entity that become several changes of $name", ({ store }) => {
  it.live("are each there once", () =>
    Effect.gen(function* () {
      const { held, to } = yield* store
      const expected = yield* fresh
      const told = changes(yield* Stream.runCollect(sync(to)))
      assert.isAbove(told.length, 3)
      assert.isAbove(expected.length, (told.length - 1) * most)
      assert.deepStrictEqual(yield* held, expected)
      yield* Stream.runDrain(Dataset.verify(to))
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.live("stay when the run is stopped, and the next goes on behind them", () =>
    Effect.gen(function* () {
      const { held, to } = yield* store
      const expected = yield* fresh
      const counts: Array<number> = []
      for (let run = 0; run < 3; run++) {
        yield* sync(to).pipe(
          Stream.filter(({ _tag }) => _tag === "Changed"),
          Stream.take(1),
          Stream.runDrain
        )
        const ids = yield* held
        assert.deepStrictEqual(ids, expected.slice(0, ids.length))
        counts.push(ids.length)
      }
      assert.isAbove(counts[0]!, most - 1)
      assert.isAbove(counts[2]!, counts[0]!)
      const rest = changes(yield* Stream.runCollect(sync(to)))
      assert.isBelow(
        rest.reduce((sum, event) => sum + (event._tag === "Changed" ? event.records : 0), 0),
        expected.length - counts[2]! + 100
      )
      assert.deepStrictEqual(yield* held, expected)
    }).pipe(Effect.scoped, Effect.provide(world))
  )
})

describe("records of several periods of a folder", () => {
  it.live("are not asked for again that were kept when the run was stopped", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const layout = { period: "month", rows: 10 * most } as const
      const early = { ...params, start_time: "2026-09-28T12:00:00" }
      const run = Dataset.sync({ endpoint: Timeseries.marketTrades, params: early, to, layout, lookBack: "1 second" })
      let replaced = 0
      for (const count of [4, 3, 2, Infinity]) {
        const changed = run.pipe(
          Stream.filter((event) => event._tag === "Changed"),
          Stream.take(count)
        )
        for (const change of yield* Stream.runCollect(changed)) replaced += change.replaced
      }
      assert.isBelow(replaced, 10)
      yield* Stream.runDrain(Dataset.verify(to))
      const trades = yield* Stream.runCount(Timeseries.marketTrades(early))
      assert.strictEqual((yield* Dataset.status(to))?.entities[0]?.rows, trades)
    }).pipe(Effect.scoped, Effect.provide(world))
  )
})

describe("several tables of one file", () => {
  it.live("are begun and brought up to date at the same time", () =>
    Effect.gen(function* () {
      const file = yield* Duckdb.newFile
      const params = { assets: ["btc"], metrics: ["PriceUSD"], start_time: "2026-10-01" }
      const stores = ["a", "b", "c", "d"].map((table) => DatasetDuckdb.make({ file, table }))
      const run = (to: Dataset.Store) =>
        Stream.runDrain(Dataset.sync({ endpoint: Timeseries.assetMetrics, params, to, recheck: "1 day" }))
      for (let turn = 0; turn < 5; turn++) {
        yield* Effect.forEach(stores, run, { concurrency: "unbounded", discard: true })
      }
      for (const to of stores) {
        const status = yield* Dataset.status(to)
        assert.deepStrictEqual(
          [status?.entities.map(({ rows }) => rows), status?.unread, status?.missing],
          [[32], [], []]
        )
      }
    }).pipe(Effect.scoped, Effect.provide(world))
  )
})

describe("a run that looks further back", () => {
  it.live("finds what differs before the look-back, and keeps no longer one", () =>
    Effect.gen(function* () {
      const file = yield* Duckdb.newFile
      const to = DatasetDuckdb.make({ file, table: "prices" })
      const params = { assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2026-01-01" }
      const run = (recheck?: Duration.Input) =>
        Stream.runDrain(Dataset.sync({ endpoint: Timeseries.assetMetrics, params, to, recheck }))
      yield* run()
      const sum = Duckdb.query(file, `SELECT count(*) AS rows, sum("PriceUSD")::VARCHAR AS total FROM prices`)
      const expected = yield* sum
      yield* Duckdb.query(file, `UPDATE prices SET "PriceUSD" = 1 WHERE asset = 'btc' AND time::DATE = '2026-02-01'`)
      const revised = yield* sum
      assert.notDeepEqual(revised, expected)
      yield* run()
      yield* run("100 days")
      assert.deepStrictEqual(yield* sum, revised)
      const { requests } = yield* Dataset.check({ to, recheck: Duration.infinity })
      assert.deepStrictEqual(
        requests.map(({ entities, from, to }) => [entities, from, to]),
        [[["btc", "eth"], "2026-01-01T00:00:00.000000000Z", undefined]]
      )
      yield* run(Duration.infinity)
      assert.deepStrictEqual(yield* sum, expected)
      assert.notStrictEqual((yield* Dataset.check({ to })).requests[0]?.from, "2026-01-01T00:00:00.000000000Z")
    }).pipe(Effect.scoped, Effect.provide(world))
  )
})
