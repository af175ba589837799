import { assert, describe, it } from "@effect/vitest"
import { Profile, ReferenceData, Timeseries } from "@sluice/core"
import { Format } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as JsonText from "@sluice/core/internal/columns/JsonText"
import * as ParquetFile from "../../src/internal/parquet/ParquetFile.ts"
import * as Duck from "./Duck.ts"

/** A list in a list, and so on: deeper than `JSON.stringify` can go. */
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

/** An object in a list in an object, and so on. */
const mixed = (depth: number) => `${'{"a":1,"b":[true,'.repeat(depth)}null${',"é\\n"],"c":{}}'.repeat(depth)}`

const parse = (text: string): Record<string, never> => JSON.parse(text)

const textOf = (encode: Format.Encoder, records: ReadonlyArray<unknown>) =>
  encode(Stream.fromIterable(records)).pipe(Stream.decodeText(), Stream.mkString)

describe("a record that is nested deeper than JSON.stringify can follow", () => {
  it.effect.each([5_000, 100_000])("is a line of NDJSON as it came, between others: %i levels", (depth) =>
    Effect.gen(function* () {
      const encode = yield* Format.encode(ReferenceData.assets, {}, { as: "ndjson" })
      const lines = [
        '{"asset":"a"}',
        `{"asset":"b","newer":${nested(depth)},"n":1.5}`,
        `{"asset":"c","newer":${mixed(depth)}}`,
        '{"asset":"d"}'
      ]
      const records = lines.map((line) => parse(line))
      assert.strictEqual(yield* textOf(encode, records), `${lines.join("\n")}\n`)
    })
  )

  it.effect("is JSON text in a cell of CSV, and of Parquet", () =>
    Effect.gen(function* () {
      const text = `[{"rollup_type":"x","newer":${nested(20_000)}}]`
      const record = parse(`{"network":"n","rollup_info":${text}}`)
      const columns = ["network", "rollup_info"]
      const encode = yield* Format.encode(Profile.networks, {}, { as: "csv", columns })
      assert.strictEqual(
        yield* textOf(encode, [record]),
        `network,rollup_info\r\nn,"${text.replaceAll('"', '""')}"\r\n`
      )
      const file = yield* Duck.file(Profile.networks, {}, { as: "parquet", columns }, [record])
      assert.deepStrictEqual(yield* Duck.query(`from ${Duck.source(file)}`), [["n", text]])
    })
  )

  it("is written as JSON.stringify writes values that are less deep", () => {
    const values = [
      1,
      "é\n",
      null,
      true,
      [],
      {},
      [undefined, 1],
      { a: undefined, b: [{}, [[]], { c: { d: null } }], __proto__: null },
      new Date(0),
      { at: new Date(0), f: () => 1 },
      parse(mixed(3)),
      parse('{"__proto__":{"x":1},"toJSON":"text"}')
    ]
    for (const value of values) assert.strictEqual(JsonText.writeDeep(value), JSON.stringify(value))
  })
})

describe("a metric with the name of a property that every object has", () => {
  const words = Object.getOwnPropertyNames(Object.prototype)
  const params = { assets: ["a"], metrics: words }
  const time = "2024-01-01T00:00:00.000000000Z"
  const records = [
    parse(`{"asset":"a","time":"${time}",${words.map((word) => `"${word}":"1.5"`).join(",")}}`),
    { asset: "b", time }
  ]

  it.effect("is a column of CSV and of Parquet, empty where a record has none", () =>
    Effect.gen(function* () {
      const columns = ["asset", ...words]
      const encode = yield* Format.encode(Timeseries.assetMetrics, params, { as: "csv", columns })
      assert.strictEqual(
        yield* textOf(encode, records),
        [columns, ["a", ...words.map(() => "1.5")], ["b", ...words.map(() => "")], []].map(String).join("\r\n")
      )
      const file = yield* Duck.file(Timeseries.assetMetrics, params, { as: "parquet", columns }, records)
      assert.deepStrictEqual(yield* Duck.query(`from ${Duck.source(file)}`), [
        ["a", ...words.map(() => 1.5)],
        ["b", ...words.map(() => null)]
      ])
    })
  )
})

describe("a text that begins with a byte order mark", () => {
  it.effect("keeps it in Parquet", () =>
    Effect.gen(function* () {
      const record = { asset: "\ufeffbtc", full_name: "\ufeff" }
      const bytes = yield* Duck.bytes(ReferenceData.assets, {}, { as: "parquet" }, [record], 1)
      const read = (from: number, to: number) => Effect.succeed(Uint8Array.from(bytes.subarray(from, to)))
      const records = yield* Stream.runCollect(ParquetFile.records({ size: bytes.length, read }, new Set()))
      assert.deepStrictEqual(records, [record])
    })
  )
})
