import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Format } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Csv from "../../src/internal/format/Csv.ts"

const params = { assets: ["btc"], metrics: ["PriceUSD", "TxCnt"] }

describe("CSV for a spreadsheet", () => {
  const values = ["=cmd|'/C calc'!A0", "+1+1", "-1-1", "@SUM(1)", "\t=1", "'=1", "-1.50", "+2e9", "plain", "a=b"]

  it.effect("has no text that is run as a formula, where that is asked for, and else the text as it came", () =>
    Effect.gen(function* () {
      const records = values.map((PriceUSD) => ({ asset: "btc", time: "2024-01-01T00:00:00.000000000Z", PriceUSD }))
      const cells = Effect.fnUntraced(function* (guardFormulas: boolean) {
        const options = { as: "csv", columns: ["PriceUSD", "asset"], guardFormulas } as const
        const encode = yield* Format.encode(Timeseries.assetMetrics, { assets: "btc", metrics: "PriceUSD" }, options)
        const text = Stream.decodeText(encode(Stream.fromIterable(records)))
        const read = (guardFormulas: boolean) =>
          Effect.map(Stream.runCollect(Csv.records(text, { guardFormulas })), (all) =>
            all.map(({ PriceUSD }) => PriceUSD)
          )
        assert.deepStrictEqual(yield* read(guardFormulas), values)
        return yield* read(false)
      })
      assert.deepStrictEqual(yield* cells(false), values)
      assert.deepStrictEqual(
        yield* cells(true),
        values.map((value, at) => (at < 6 ? `'${value}` : value))
      )
      const other = { as: "parquet", guardFormulas: true } as const
      const refused = yield* Effect.flip(Format.encode(Timeseries.assetMetrics, params, other))
      assert.deepInclude(refused, { _tag: "BadFormat", option: "guardFormulas" })
    })
  )
})

describe("a text file", () => {
  const values = ["", "plain", "a,b", ";", "|", "\t", '"', '""', "\r", "\n", "\r\n", "'", "=1", "\uFEFFmark", "é"]
  const time = "2024-01-01T00:00:00.000000000Z"

  it.effect("is read back as it was written", () =>
    Effect.gen(function* () {
      const records = values.map((PriceUSD) => ({ asset: "btc", time, PriceUSD }))
      for (const guardFormulas of [false, true]) {
        const options = { as: "csv", columns: ["asset", "time", "PriceUSD"], guardFormulas } as const
        const encode = yield* Format.encode(Timeseries.assetMetrics, { assets: "btc", metrics: "PriceUSD" }, options)
        const bytes = encode(Stream.fromIterable(records))
        // Wherever its pieces end.
        const pieces = Stream.flatMap(Stream.decodeText(bytes), (text) => Stream.fromIterable(text))
        assert.deepStrictEqual(yield* Stream.runCollect(Csv.records(pieces, options)), records)
      }
    })
  )
})

describe("what a program needs for a table of its own", () => {
  it.effect("all columns, or the chosen ones in their order", () =>
    Effect.gen(function* () {
      const all = yield* Format.columns(Timeseries.assetMetrics, params)
      const two = yield* Format.columns(Timeseries.assetMetrics, params, ["TxCnt", "asset"])
      assert.deepStrictEqual(
        two,
        ["TxCnt", "asset"].map((name) => all.find((column) => column.name === name)!)
      )
      const error = yield* Effect.flip(Format.columns(Timeseries.assetMetrics, params, ["Price"]))
      assert.instanceOf(error, Format.BadFormat)
    })
  )

  it("the text of a value: unchanged, or as JSON of any depth; nothing where the record lacks it", () => {
    let deep: unknown = 1
    for (let level = 0; level < 20_000; level++) deep = [deep]
    const record = { text: "a, b", empty: "", none: null, number: 7, list: ["a"], deep }
    const texts = Object.keys(record).map((name) => Format.textOf(record, name))
    assert.deepStrictEqual(texts.slice(0, 5), ["a, b", "", "null", "7", '["a"]'])
    assert.strictEqual(texts[5], `${"[".repeat(20_000)}1${"]".repeat(20_000)}`)
    assert.isUndefined(Format.textOf(record, "absent"))
    assert.isUndefined(Format.textOf(record, "toString"))
    assert.isUndefined(Format.textOf(null, "text"))
  })
})
