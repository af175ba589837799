import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Duckdb from "../database/Duckdb.ts"
import { temporary, world } from "./Harness.ts"

const job = {
  endpoint: Timeseries.assetMetrics,
  params: { assets: ["btc", "eth"], metrics: ["PriceUSD"] }
} as const

const issuesOf = (store: Dataset.Store) =>
  Effect.map(Effect.flip(Stream.runDrain(Dataset.verify(store))), (error) =>
    error._tag === "DatasetDamaged" ? error.issues : [error._tag]
  )

describe("the proof of a dataset", () => {
  it.live("of a table finds records of other times, and repeats, though their number is right", () =>
    Effect.gen(function* () {
      const file = yield* Duckdb.newFile
      const store = DatasetDuckdb.make({ file, table: "kept" })
      const params = { ...job.params, start_time: "2026-10-01" }
      yield* Stream.runDrain(Dataset.sync({ ...job, params, to: store }))
      yield* Stream.runDrain(Dataset.verify(store))
      const [row] = yield* Duckdb.query(file, "SELECT max(time)::VARCHAR AS last FROM kept")
      const last = `time = '${String(row?.["last"])}'`
      yield* Duckdb.query(file, `UPDATE kept SET time = '2030-01-01' WHERE asset = 'btc' AND ${last}`)
      yield* Duckdb.query(file, `UPDATE kept SET time = '2020-01-01' WHERE asset = 'eth' AND ${last}`)
      assert.deepStrictEqual(yield* issuesOf(store), [
        "btc has a record at 2030-01-01T00:00:00.000000000Z, and the last that was read is at 2026-11-01T00:00:00.000000000Z",
        "eth has a record at 2020-01-01T00:00:00.000000000Z, and the first that was read is at 2026-10-01T00:00:00.000000000Z"
      ])
      yield* Duckdb.query(
        file,
        "UPDATE kept SET time = '2026-10-05' WHERE time NOT BETWEEN '2026-01-01' AND '2027-01-01'"
      )
      assert.deepStrictEqual((yield* issuesOf(store)).toSorted(), ["btc has a record twice", "eth has a record twice"])
    }).pipe(Effect.provide(world))
  )

  it.live("compares with the catalog what is held of each entity, and nothing else", () =>
    Effect.gen(function* () {
      const file = yield* Duckdb.newFile
      const store = DatasetDuckdb.make({ file, table: "kept" })
      yield* Stream.runDrain(Dataset.sync({ ...job, to: store }))
      assert.deepStrictEqual(yield* Dataset.compare(store), { compared: 2, differences: [] })
      yield* Duckdb.query(file, "DELETE FROM kept WHERE asset = 'eth'")
      yield* Duckdb.query(file, "DELETE FROM kept WHERE time NOT BETWEEN '2020-01-01' AND '2020-12-31'")
      const { differences } = yield* Dataset.compare(store)
      assert.deepStrictEqual(
        differences.map(({ entity, held, reason }) => ({ entity, held, reason })),
        [
          { entity: "btc", reason: "earlier", held: "2020-01-01T00:00:00.000000000Z" },
          { entity: "btc", reason: "later", held: "2020-12-31T00:00:00.000000000Z" },
          { entity: "eth", reason: "absent", held: undefined }
        ]
      )
      for (const { held, listed, reason } of differences) {
        assert.strictEqual(reason === "earlier", held !== undefined && listed < held)
      }
    }).pipe(Effect.provide(world))
  )

  it.live("says of a start in the middle of the series nothing, and of a folder that is none that it is none", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const params = { ...job.params, start_time: "2026-10-20T12:00:00" }
      yield* Stream.runDrain(Dataset.sync({ ...job, params, to }))
      assert.deepStrictEqual((yield* Dataset.compare(to)).differences, [])
      assert.strictEqual((yield* Effect.flip(Dataset.compare(`${to}/none`)))._tag, "NoDataset")
    }).pipe(Effect.provide(world))
  )
})
