import { assert, describe, it } from "@effect/vitest"
import { Catalog, ReferenceData, Timeseries } from "@sluice/core"
import { Format } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as Duck from "./Duck.ts"

const params = { assets: "btc", metrics: ["PriceUSD", "TxCnt"], frequency: "1b" }
const time = "2020-01-01T00:00:00.000000000Z"
const good = { asset: "btc", time, PriceUSD: "1.5", TxCnt: "7" }

const refusal = (options: Format.Options, given: object = params) =>
  Effect.map(Effect.flip(Format.encode(Timeseries.assetMetrics, given, options)), ({ message }) => message)

describe("options that do not fit", () => {
  const table: ReadonlyArray<readonly [Format.Options, string]> = [
    [
      { as: "csv", decimal: { precision: 38, scale: 18 } },
      `invalid format option "decimal": csv always writes decimals as text`
    ],
    [
      { as: "ndjson", decimal: { precision: 38, scale: 18 } },
      `invalid format option "decimal": ndjson always writes decimals as text`
    ],
    [{ as: "arrow", times: "micros" }, `invalid format option "times": arrow always has times as they are`],
    [{ as: "csv", numbers: "double" }, `invalid format option "numbers": csv always writes decimals as text`],
    [{ as: "ndjson", numbers: "decimal" }, `invalid format option "numbers": ndjson always writes decimals as text`],
    [
      { as: "parquet", numbers: "double", decimal: { precision: 38, scale: 18 } },
      `invalid format option "decimal": it is for numbers as decimal, and they are double`
    ],
    [
      { as: "ndjson", statusColumns: false },
      `invalid format option "statusColumns": ndjson always writes whole records`
    ],
    [
      { as: "parquet", decimal: { precision: 39, scale: 18 } },
      `invalid format option "decimal": a precision is from 1 to 38, got 39`
    ],
    [
      { as: "parquet", decimal: { precision: 0, scale: 0 } },
      `invalid format option "decimal": a precision is from 1 to 38, got 0`
    ],
    [
      { as: "parquet", decimal: { precision: 10, scale: 11 } },
      `invalid format option "decimal": a scale is from 0 to the precision of 10, got 11`
    ],
    [{ as: "ndjson", columns: ["asset"] }, `invalid format option "columns": ndjson always writes whole records`],
    [{ as: "csv", columns: [] }, `invalid format option "columns": at least one column is needed`],
    [{ as: "csv", columns: ["asset", "asset"] }, `invalid format option "columns": a column is named twice`]
  ]
  for (const [options, message] of table) {
    it.effect(message, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* refusal(options), message)
      })
    )
  }

  it.effect("an unknown column is named, with the known ones", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refusal({ as: "parquet", columns: ["asset", "Price"] }, { assets: "btc", metrics: "PriceUSD" }),
        `invalid format option "columns": there is no column "Price"; the columns are asset, time, PriceUSD, PriceUSD-status, PriceUSD-status-time`
      )
    })
  )

  it.effect("a wildcard among the metrics means unknown columns", () =>
    Effect.gen(function* () {
      const wild = { assets: "btc", metrics: "Price*" }
      assert.strictEqual(
        yield* refusal({ as: "csv" }, wild),
        `invalid format option "columns": "Price*" is a wildcard; name each metric`
      )
      yield* Format.encode(Timeseries.assetMetrics, wild, { as: "ndjson" })
    })
  )
})

describe("a value that cannot be written", () => {
  const decimal = { precision: 6, scale: 2 }
  const six = 'a decimal of 6 digits, 2 of them after the point; with numbers as "text" any value is kept'
  const double = 'a number that a DOUBLE can hold; with numbers as "text" any value is kept'
  const whole = 'a whole number of 64 bits; with numbers as "text" any value is kept'
  const nanos = "a time from 1678 to 2261, in nanoseconds at most"
  const table: ReadonlyArray<readonly [Format.Options, object, string]> = [
    [
      { as: "parquet", decimal },
      { PriceUSD: "1.005" },
      `"PriceUSD": "1.005" cannot be written to parquet: expected ${six}`
    ],
    [
      { as: "parquet", decimal },
      { PriceUSD: "10000" },
      `"PriceUSD": "10000" cannot be written to parquet: expected ${six}`
    ],
    [
      { as: "parquet", decimal },
      { PriceUSD: "1e4" },
      `"PriceUSD": "1e4" cannot be written to parquet: expected ${six}`
    ],
    [{ as: "parquet", decimal }, { TxCnt: "N/A" }, `"TxCnt": "N/A" cannot be written to parquet: expected ${six}`],
    [{ as: "parquet", decimal }, { TxCnt: "" }, `"TxCnt": "" cannot be written to parquet: expected ${six}`],
    [
      { as: "parquet", decimal },
      { TxCnt: "1".repeat(5_000) },
      `"TxCnt": "${"1".repeat(99)}… cannot be written to parquet: expected ${six}`
    ],
    ...["N/A", "", "NaN", "Infinity", "1e309", "9".repeat(309)].map(
      (PriceUSD): readonly [Format.Options, object, string] => [
        { as: "parquet" },
        { PriceUSD },
        `"PriceUSD": ${PriceUSD.length > 100 ? `"${PriceUSD.slice(0, 99)}…` : `"${PriceUSD}"`} cannot be written to parquet: expected ${double}`
      ]
    ),
    [
      { as: "parquet" },
      { height: "9223372036854775808" },
      `"height": "9223372036854775808" cannot be written to parquet: expected ${whole}`
    ],
    [
      { as: "parquet", numbers: "decimal" },
      { PriceUSD: "0.0000000000000000001" },
      `"PriceUSD": "0.0000000000000000001" cannot be written to parquet: expected ${six.replace("6", "38").replace("2", "18")}`
    ],
    [{ as: "parquet" }, { time: "N/A" }, `"time": "N/A" cannot be written to parquet: expected ${nanos}`],
    [
      { as: "parquet" },
      { time: "2021-02-30T00:00:00.000000000Z" },
      `"time": "2021-02-30T00:00:00.000000000Z" cannot be written to parquet: expected ${nanos}`
    ],
    [
      { as: "parquet" },
      { time: "9999-12-31T00:00:00.000000000Z" },
      `"time": "9999-12-31T00:00:00.000000000Z" cannot be written to parquet: expected ${nanos}`
    ],
    [{ as: "parquet" }, { time: null }, `"time": null cannot be written to parquet: expected ${nanos}`],
    [
      { as: "parquet" },
      { asset: undefined },
      `"asset": nothing cannot be written to parquet: expected text in Unicode, of at most 2 GiB together`
    ],
    [
      { as: "parquet" },
      { asset: "\uD83D" },
      String.raw`"asset": "\ud83d" cannot be written to parquet: expected text in Unicode, of at most 2 GiB together`
    ],
    [
      { as: "csv" },
      { TxCnt: "\uDE00" },
      String.raw`"TxCnt": "\ude00" cannot be written to csv: expected text in Unicode`
    ]
  ]
  for (const [options, wrong, message] of table) {
    it.effect(message, () =>
      Effect.gen(function* () {
        const records = [...Array.from({ length: 150 }, () => good), { ...good, ...wrong }, good]
        const error = yield* Effect.flip(Duck.bytes(Timeseries.assetMetrics, params, options, records))
        assert.strictEqual(error.message, `record 151, column ${message}`)
      })
    )
  }

  it.effect("NDJSON writes all of them", () =>
    Effect.gen(function* () {
      const records = table.map(([, wrong]) => ({ ...good, ...wrong }))
      const lines = (yield* Duck.bytes(Timeseries.assetMetrics, params, { as: "ndjson" }, records)).toString().trimEnd()
      assert.deepStrictEqual(
        lines.split("\n").map((line) => JSON.parse(line)),
        records.map((record) => JSON.parse(JSON.stringify(record)))
      )
    })
  )
})

describe("keys without a column", () => {
  const warnings = Effect.fnUntraced(function* (options: Format.Options, records: ReadonlyArray<unknown>) {
    const heard: Array<unknown> = []
    const logger = Logger.make<unknown, void>(({ message }) => void heard.push(message))
    const bytes = yield* Effect.provide(
      Duck.bytes(Timeseries.assetMetrics, params, options, records, 2),
      Logger.layer([logger])
    )
    return { heard: heard.flat(), text: bytes.toString("latin1") }
  })

  const odd = [good, { ...good, new: 1 }, { ...good, newer: 1, new: 2 }, { new: 3, ...good }, { ...good, newer: null }]

  it.effect("are reported once by each encoder, of CSV and Parquet", () =>
    Effect.gen(function* () {
      for (const as of ["csv", "parquet"] as const) {
        const says = (key: string) =>
          `/timeseries/asset-metrics as ${as} has no column for ${key}; ndjson keeps every key`
        assert.deepStrictEqual((yield* warnings({ as }, odd)).heard, [says("new"), says("newer")])
        assert.deepStrictEqual((yield* warnings({ as }, odd)).heard, [says("new"), says("newer")])
      }
    })
  )

  it.effect("are reported once for the files of one encoder", () =>
    Effect.gen(function* () {
      const heard: Array<unknown> = []
      const logger = Logger.make<unknown, void>(({ message }) => void heard.push(message))
      const encode = yield* Format.encode(Timeseries.assetMetrics, params, { as: "parquet" })
      const file = Stream.runDrain(encode(Stream.fromIterable(odd)))
      yield* Effect.provide(Effect.andThen(file, file), Logger.layer([logger]))
      assert.deepStrictEqual(heard.flat(), [
        "/timeseries/asset-metrics as parquet has no column for new, newer; ndjson keeps every key"
      ])
    })
  )

  it.effect("are kept by NDJSON", () =>
    Effect.gen(function* () {
      const { heard, text } = yield* warnings({ as: "ndjson" }, odd)
      assert.deepStrictEqual(heard, [])
      assert.strictEqual(text, odd.map((record) => `${JSON.stringify(record)}\n`).join(""))
    })
  )

  it.effect("are not reported where columns were chosen", () =>
    Effect.gen(function* () {
      const { heard, text } = yield* warnings({ as: "csv", columns: ["TxCnt"] }, [good])
      assert.deepStrictEqual(heard, [])
      assert.strictEqual(text, "TxCnt\r\n7\r\n")
    })
  )

  it.effect("are reported up to a bound", () =>
    Effect.gen(function* () {
      const records = Array.from({ length: 500 }, (_, index) => ({ ...good, [`key${index}`]: 1 }))
      assert.isBelow((yield* warnings({ as: "csv" }, records)).heard.length, 60)
    })
  )
})

describe("columns", () => {
  it.effect("are the fields that identify a record, then the metrics in their order, then their review status", () =>
    Effect.gen(function* () {
      const columns = yield* Format.columns(Timeseries.assetMetrics, { assets: "*", metrics: "B,A", frequency: "1b" })
      assert.deepStrictEqual(
        columns.map(({ kind, name, nullable }) => `${name}: ${kind}${nullable ? "?" : ""}`),
        [
          "asset: text",
          "time: timestamp",
          "B: decimal?",
          "A: decimal?",
          "block_hash: text?",
          "parent_block_hash: text?",
          "height: integer?",
          "B-status: text?",
          "B-status-time: timestamp?",
          "A-status: text?",
          "A-status-time: timestamp?"
        ]
      )
    })
  )

  it.effect("have kinds that follow from the interface", () =>
    Effect.gen(function* () {
      const markets = yield* Format.columns(ReferenceData.markets, {})
      const kindOf = (name: string) => markets.find((column) => column.name === name)?.kind
      assert.deepStrictEqual(["market", "type", "tick_size", "is_european", "listing"].map(kindOf), [
        "text",
        "text",
        "decimal",
        "boolean",
        "text"
      ])
      const alerts = yield* Format.columns(Catalog.assetAlerts, {})
      assert.deepStrictEqual(
        alerts.map(({ kind }) => kind),
        ["text", "text", "json"]
      )
    })
  )
})

describe("a file's name ends in", () => {
  const table: ReadonlyArray<readonly [string, Format.Options]> = [
    [".ndjson", { as: "ndjson" }],
    [".csv.gz", { as: "csv", compression: "gzip" }],
    [".ndjson.zst", { as: "ndjson", compression: "zstd" }],
    [".parquet", { as: "parquet", compression: "zstd" }]
  ]
  it.each(table)("%s", (extension, options) => assert.strictEqual(Format.extension(options), extension))
})
