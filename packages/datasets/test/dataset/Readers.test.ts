import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Client, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as Duck from "../../../files/test/formats/Duck.ts"
import { job, temporary, world } from "./Harness.ts"

const sources = {
  parquet: (to: string) => `read_parquet('${to}/**/*.parquet', hive_partitioning = true)`,
  csv: (to: string) => `read_csv('${to}/**/*.csv', hive_partitioning = true)`,
  ndjson: (to: string) => `read_json('${to}/**/*.ndjson', hive_partitioning = true, format = 'newline_delimited')`
} as const

/** Rows of an asset by year, and those with a value. */
const years = (asset: string) => [
  [asset, 2024, 366, 366],
  [asset, 2025, 365, 365],
  [asset, 2026, 305, 305]
]

describe("readers of a dataset", () => {
  for (const as of ["parquet", "csv", "ndjson"] as const) {
    it.live(`see the partitions of ${as} as columns, by one glob, and open the files of a query alone`, () =>
      Effect.gen(function* () {
        const to = yield* temporary
        yield* Stream.runDrain(Dataset.sync({ ...job, format: { as }, to }))
        const source = sources[as](to)
        const types = yield* Duck.query(`select column_name, column_type from (describe select * from ${source})`)
        const names = types.map(([name]) => String(name)).filter((name) => !name.includes("-status"))
        assert.deepStrictEqual(names.toSorted(), ["PriceUSD", "TxCnt", "asset", "time", "year"])
        const typeOf = new Map(types.map(([name, type]) => [name, type]))
        assert.deepStrictEqual([typeOf.get("asset"), typeOf.get("year")], ["VARCHAR", "BIGINT"])
        if (as === "parquet") {
          assert.deepStrictEqual([...typeOf.values()].toSorted(), [
            "BIGINT",
            "DOUBLE",
            "DOUBLE",
            "TIMESTAMP_NS",
            "VARCHAR"
          ])
        }
        const rows = yield* Duck.query(
          `select asset, year::int, count(*)::int, count("TxCnt")::int from ${source} group by all order by all`
        )
        assert.deepStrictEqual(rows, ["btc", "eth", "ltc"].flatMap(years))
        const [[, plan] = []] = yield* Duck.query(
          `explain analyze select sum("PriceUSD"::double) from ${source} where asset = 'eth' and year = 2025`
        )
        assert.match(String(plan), /Scanning Files: 1\/9/)
      }).pipe(Effect.provide(world))
    )
  }

  it.effect("see whole files, each record once and no fewer than before, while syncs go on", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const run = Stream.runDrain(
        Dataset.sync({
          endpoint: Timeseries.assetMetrics,
          params: { assets: ["btc", "eth", "ltc"], metrics: ["PriceUSD"], start_time: "2026-01-01" },
          to,
          layout: { period: "month" },
          format: { as: "parquet" },
          lookBack: "8 days"
        })
      )
      yield* run
      const query = `select count(*)::int, count(distinct (asset, time))::int from ${sources.parquet(to)}`
      let seen = 0
      let during = 0
      // Until so many queries have met a sync: it is by chance whether one ends before the other begins.
      for (let day = 0; day < 5 || during < 5; day++) {
        yield* TestClock.adjust("1 day")
        const sync = yield* Effect.forkChild(run)
        let isRunning = true
        while (isRunning) {
          const [[rows = 0, distinct = 0] = []] = yield* Duck.query(query)
          assert.strictEqual(rows, distinct)
          assert.isAtLeast(Number(rows), seen)
          seen = Number(rows)
          isRunning = sync.pollUnsafe() === undefined
          if (isRunning) during += 1
        }
        yield* Fiber.join(sync)
      }
      const held = (yield* Dataset.status(to))?.entities.reduce((sum, { rows }) => sum + rows, 0)
      assert.deepStrictEqual(yield* Duck.query(query), [[held, held]])
    }).pipe(
      Effect.provide(Layer.merge(Sandbox.layerClient(Client.layer, { history: { seed: 3 } }), NodeServices.layer))
    )
  )
})
