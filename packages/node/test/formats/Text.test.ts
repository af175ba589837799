import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Format } from "@sluice/node"
import * as Effect from "effect/Effect"

const params = { assets: ["btc"], metrics: ["PriceUSD", "TxCnt"] }

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
