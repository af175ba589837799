import { assert, describe, it } from "@effect/vitest"
import { Decimal, Field, Timeseries, Timestamp } from "@sluice/core"
import * as Schema from "effect/Schema"

const told = (record: Schema.Top) =>
  Object.fromEntries([...Field.allOf(record)].map(([name, { kind }]) => [name, kind]))

const kindOf = (record: Schema.Top, name: string) => Field.allOf(record).get(name)?.kind

describe("Field", () => {
  it("says what the fields of a record hold, of a record somebody writes as well", () => {
    const record = Schema.Struct({
      id: Schema.String,
      price: Schema.optionalKey(Schema.NullOr(Decimal.Decimal)),
      at: Timestamp.Timestamp,
      size: Schema.optional(Schema.Finite),
      either: Schema.Union([Schema.Finite, Schema.String]),
      word: Schema.NullOr(Schema.Literals(["a", "b"])),
      flag: Schema.Boolean,
      odd: Schema.Union([Schema.Boolean, Schema.String]),
      inner: Schema.Array(Schema.String)
    })
    assert.deepStrictEqual(told(record), {
      id: "text",
      price: "decimal",
      at: "timestamp",
      size: "number",
      either: "text",
      word: "text",
      flag: "boolean",
      odd: "json",
      inner: "json"
    })
    assert.deepInclude(Field.allOf(record).get("price"), { isOptional: true, isNullable: true })
    assert.deepInclude(Field.allOf(record).get("word"), { isOptional: false, isNullable: true })
  })

  it("says what a value may be, the items of a list and the fields of an object included", () => {
    const item = Schema.Struct({ size: Schema.optionalKey(Schema.NullOr(Decimal.Decimal)) })
    const record = Schema.Struct({
      side: Schema.NullOr(Schema.Union([Schema.Literals(["buy", "sell"]), Schema.String])),
      levels: Schema.optionalKey(Schema.NullOr(Schema.Array(item))),
      odd: Schema.Literal(7)
    })
    const fields = Field.allOf(record)
    assert.deepStrictEqual(fields.get("side")?.types, [
      { _tag: "Word", word: "buy" },
      { _tag: "Word", word: "sell" },
      { _tag: "Plain", kind: "text" }
    ])
    const [list] = fields.get("levels")?.types ?? []
    const [object] = list?._tag === "List" ? list.of : []
    assert(object?._tag === "Object")
    assert.deepStrictEqual([...Field.fieldsOf(object.ast)], [...Field.allOf(item)])
    assert.strictEqual(fields.get("odd")?.types[0]?._tag, "Other")
    assert.deepStrictEqual(told(record), { side: "text", levels: "json", odd: "json" })
  })

  it("says of a record that follows from the call what its columns hold", () => {
    const record = Timeseries.assetMetrics.record({ metrics: ["PriceUSD"] } as never)
    assert.deepStrictEqual(told(record), {
      PriceUSD: "decimal",
      "PriceUSD-status": "text",
      "PriceUSD-status-time": "timestamp",
      asset: "text",
      time: "timestamp"
    })
  })

  it("tells whole numbers from decimals and from other text", () => {
    const blocks = Timeseries.assetMetrics.record({ metrics: ["PriceUSD"], frequency: "1b" } as never)
    assert.deepStrictEqual(
      ["height", "block_hash"].map((name) => kindOf(blocks, name)),
      ["integer", "text"]
    )
    const candles = Timeseries.marketCandles.record()
    assert.deepStrictEqual(
      ["candle_trades_count", "volume"].map((name) => kindOf(candles, name)),
      ["integer", "decimal"]
    )
  })
})
