import { assert, describe, it } from "@effect/vitest"
import { Dataset } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Duck from "../formats/Duck.ts"
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
})
