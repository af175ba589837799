import { assert, describe, it } from "@effect/vitest"
import { ReferenceData } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Json from "../../src/internal/wire/Json.ts"
import * as FakeApi from "../FakeApi.ts"

/** What stands in JSON, and what a record has of it. */
const numbers: ReadonlyArray<readonly [json: string, value: unknown]> = [
  ["0", 0],
  ["12345", 12345],
  ["-0.25", -0.25],
  ["0.1", 0.1],
  ["1.50", 1.5],
  ["1e3", 1000],
  ["1.5E-7", 1.5e-7],
  ["0.00000000000000000001", 1e-20],
  ["9007199254740991", 9_007_199_254_740_991],
  ["100000000000000000000", 1e20],
  ["9007199254740993", "9007199254740993"],
  ["-9007199254740993", "-9007199254740993"],
  ["12345678901234567890", "12345678901234567890"],
  ["0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"],
  ["1.00000000000000000001", "1.00000000000000000001"],
  ["123456.1234567890123", "123456.1234567890123"],
  ["1e999", "1e999"],
  ["-1E+400", "-1E+400"],
  ["1e-999", "1e-999"]
]

/** Bodies of records that say the same number in a documented field, in one that is new, and inside of another. */
const record = (json: string, index: number) =>
  `{"market":"m${index}","exchange":"e","type":"spot","security_id":${json},"new": ${json},"inner":{"list":[1,${json}],"text":":${json}"}}`

const expected = (value: unknown, json: string, index: number) => ({
  market: `m${index}`,
  exchange: "e",
  type: "spot",
  security_id: value,
  new: value,
  inner: { list: [1, value], text: `:${json}` }
})

const read = (body: string, format?: "json_stream") =>
  ReferenceData.markets({ include: "talos", ...(format && { format }) }).pipe(
    Stream.runCollect,
    Effect.provide(FakeApi.make([{ body }]).layer())
  )

describe("numbers of records", () => {
  for (const [size, times] of [
    ["small", 1],
    ["large", 100]
  ] as const) {
    const rows = Array.from({ length: times }, () => numbers).flat()
    const texts = rows.map(([json], index) => record(json, index))
    const values = rows.map(([json, value], index) => expected(value, json, index))

    it.effect(`are what the service wrote, as text where a double is not: a ${size} page`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* read(`{"data":[${texts.join(",")}]}`), values)
      })
    )

    it.effect(`are what the service wrote, as text where a double is not: a ${size} json_stream`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* read(texts.map((text) => `${text}\n`).join(""), "json_stream"), values)
      })
    )

    it.effect(`are what the service wrote also where a line has to be read by itself: a ${size} json_stream`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* read(texts.map((text) => `\r\n${text}\r\n`).join(""), "json_stream"), values)
      })
    )
  }

  it.effect("are kept in a page that begins or ends with the one that needs it", () =>
    Effect.gen(function* () {
      const plain = Array.from(
        { length: 1_000 },
        (_, index) => `{"market":"m${index}","exchange":"e","type":"spot","new":"text"}`
      )
      for (const at of [0, 500, 999]) {
        const texts = plain.toSpliced(at, 1, '{"market":"m","exchange":"e","type":"spot","new":9007199254740993}')
        const records = yield* read(`{"data":[${texts.join(",")}]}`)
        assert.deepStrictEqual(records[at], {
          market: "m",
          exchange: "e",
          type: "spot",
          new: "9007199254740993"
        } as never)
      }
    })
  )

  it.effect("do no harm in JSON nested a hundred thousand times", () =>
    Effect.gen(function* () {
      const deep = `${"[".repeat(100_000)}1${"]".repeat(100_000)}`
      const market = (more: string) => `{"data":[{"market":"m","exchange":"e","type":"spot","new":${deep}${more}}]}`
      assert.lengthOf(yield* read(market("")), 1)
      assert.lengthOf(yield* read(market(',"other":"x 12345678901234567890 1e999"')), 1)
      const error = yield* Effect.flip(read(market(',"other":1e999')))
      assert.deepInclude(error, { _tag: "Decode", issue: Json.inexact } as const)
    })
  )
})
