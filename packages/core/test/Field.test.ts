import { assert, describe, it } from "@effect/vitest"
import { Decimal, Field, Timeseries, Timestamp } from "@sluice/core"
import * as Schema from "effect/Schema"

const told = (record: Schema.Top) =>
  Object.fromEntries([...Field.allOf(record)].map(([name, { kind }]) => [name, kind]))

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
})
