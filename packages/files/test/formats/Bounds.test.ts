import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Duck from "./Duck.ts"

const params = { assets: "*", metrics: ["PriceUSD", "TxCnt"], frequency: "1d" }

const texts = ["", "a", "btc", "btc_long_name_of_an_asset", "é", "日本", "\u{10ffff}", "\u{10ffff}".repeat(9), "~"]
const numbers = [null, "0", "-0", "0.1", "-1.5", "1e-7", "12345678901234567890", "-12345678901234567890"]

describe("the bounds of a column in Parquet", () => {
  for (const seed of TestMode.seeds(6, 60)) {
    it.effect(`are below and above all of its values, and narrow where they are short: seed ${seed}`, () =>
      Effect.gen(function* () {
        const draw = Draw.from(seed)
        const [some, few] = [texts.slice(draw.below(4)), numbers.slice(draw.below(5))]
        const records = Array.from({ length: 1 + draw.below(300) }, (_, index) => ({
          asset: draw.one(some),
          time: `2026-01-01T00:00:00.${String(index).padStart(9, "0")}Z`,
          PriceUSD: draw.one(few),
          TxCnt: null
        }))
        const file = yield* Duck.file(Timeseries.assetMetrics, params, { as: "parquet" }, records)
        const bounds = new Map(
          (yield* Duck.query(
            `select path_in_schema, stats_min_value, stats_max_value, stats_null_count from parquet_metadata('${file}')`
          )).map(([name, ...rest]) => [name, rest])
        )
        const prices = records.flatMap(({ PriceUSD }) => (PriceUSD === null ? [] : [Number(PriceUSD)]))
        const [least, greatest, nulls] = bounds.get("PriceUSD")!
        assert.strictEqual(Number(nulls), records.length - prices.length)
        if (prices.length > 0) {
          assert.strictEqual(Number(least) + 0, Math.min(...prices) + 0)
          assert.strictEqual(Number(greatest), Math.max(...prices))
        } else assert.deepStrictEqual([least, greatest], [null, null])
        assert.deepStrictEqual(bounds.get("TxCnt"), [null, null, BigInt(records.length)])
        for (const { asset } of records) {
          const [[rows] = []] = yield* Duck.query(`select count(*)::int from '${file}' where asset = '${asset}'`)
          assert.strictEqual(rows, records.filter((record) => record.asset === asset).length, asset)
        }
        const names = records.map(({ asset }) => Buffer.from(asset)).toSorted(Buffer.compare)
        if (names.at(-1)!.length <= 16) assert.strictEqual(bounds.get("asset")![1], names.at(-1)!.toString())
      })
    )
  }
})
