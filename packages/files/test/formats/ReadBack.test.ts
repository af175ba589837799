import { assert, describe, it } from "@effect/vitest"
import { Catalog, Endpoints, ReferenceData, Timeseries, Timestamp } from "@sluice/core"
import { Format } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as zlib from "node:zlib"
import type { Json } from "@sluice/interface/Sample"
import * as Fixtures from "../../../core/test/Fixtures.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Duck from "./Duck.ts"
import * as Samples from "./Samples.ts"

const compressions = [undefined, "gzip", "zstd"] as const

const named = (compression: Format.Compression | undefined) => compression ?? "no compression"

/** A value as a table of texts has it. */
const expected = (kind: Format.Kind, value: unknown): unknown => {
  if (value === undefined || value === null) return null
  if (kind === "timestamp") return Timestamp.fromEpochNanos(Result.getOrThrow(Timestamp.toEpochNanos(String(value))))
  if (kind === "boolean" || kind === "number" || typeof value === "string") return value
  return JSON.stringify(value)
}

/** A value as a Parquet file has it where nothing is said. */
const typed = (kind: Format.Kind, value: unknown): unknown => {
  if (value === undefined || value === null) return null
  if (kind === "decimal") return Number(value)
  return kind === "integer" ? BigInt(String(value)) : expected(kind, value)
}

const typedTable = (columns: ReadonlyArray<Format.Column>, records: ReadonlyArray<Json>) =>
  records.map((record) => columns.map(({ kind, name }) => typed(kind, record[name])))

/** Leaves out the review status of metrics, which a Parquet file has on request. */
const withoutStatus = (columns: ReadonlyArray<Format.Column>) =>
  columns.filter(({ name }) => !/.-status(-time)?$/.test(name))

const types = { text: "VARCHAR", decimal: "DOUBLE", integer: "BIGINT", timestamp: "TIMESTAMP_NS", boolean: "BOOLEAN" }

const table = (columns: ReadonlyArray<Format.Column>, records: ReadonlyArray<Json>) =>
  records.map((record) => columns.map(({ kind, name }) => expected(kind, record[name])))

const asText = (value: unknown) => (value === null ? null : String(value))

const hex = (text: string) => Buffer.from(text).toString("hex").toUpperCase()

const at = (digits: string) => ({ asset: "btc", time: `2026-02-28T23:59:59.${digits}Z`, PriceUSD: "1.5" })

describe("DuckDB reads back", () => {
  const records = Samples.records(500)

  it.effect("times of Parquet in microseconds, as UTC, and is refused those with nanoseconds", () =>
    Effect.gen(function* () {
      const options = { as: "parquet", times: "micros" } as const
      const all = [at("000000000"), at("123456000"), at("999999000")]
      for (const some of [all, []]) {
        const file = yield* Duck.file(Timeseries.assetMetrics, Samples.params, options, some)
        const rows = yield* Duck.query(`select epoch_us(time), typeof(time) from ${Duck.source(file)}`)
        const micros = some.map(({ time }) => Result.getOrThrow(Timestamp.toEpochNanos(time)) / 1_000n)
        assert.deepStrictEqual(
          rows,
          micros.map((time) => [time, "TIMESTAMP WITH TIME ZONE"])
        )
      }
      const fine = Duck.bytes(Timeseries.assetMetrics, Samples.params, options, [...all, at("000000001")])
      const refused = yield* Effect.flip(fine)
      assert.strictEqual(refused._tag, "Unwritable")
      assert.include(refused.message, "whole microseconds")
    })
  )

  for (const compression of compressions) {
    it.effect(`every value of Parquet with ${named(compression)}, numbers as text`, () =>
      Effect.gen(function* () {
        const columns = yield* Format.columns(Timeseries.assetMetrics, Samples.params)
        const options = { ...Samples.exact, compression }
        const file = yield* Duck.file(Timeseries.assetMetrics, Samples.params, options, records)
        assert.deepStrictEqual(yield* Duck.query(`from ${Duck.source(file)}`), table(columns, records))
        const described = yield* Duck.query(`describe from ${Duck.source(file)}`)
        assert.deepStrictEqual(
          described.map(([name, type]) => [name, type]),
          columns.map(({ kind, name }) => [name, kind === "timestamp" ? "TIMESTAMP_NS" : "VARCHAR"])
        )
      })
    )

    it.effect(`Parquet with ${named(compression)}, numbers as the nearest DOUBLE`, () =>
      Effect.gen(function* () {
        const params = { ...Samples.params, frequency: "1b" }
        const columns = withoutStatus(yield* Format.columns(Timeseries.assetMetrics, params))
        const fitting = Samples.fittingRecords(500).map((record, index) =>
          index % 5 === 0 ? record : { ...record, height: String(index * 10 ** 15 - 1) }
        )
        const file = yield* Duck.file(Timeseries.assetMetrics, params, { as: "parquet", compression }, fitting)
        assert.deepStrictEqual(yield* Duck.query(`from ${Duck.source(file)}`), typedTable(columns, fitting))
        const described = yield* Duck.query(`describe from ${Duck.source(file)}`)
        assert.deepStrictEqual(
          described.map(([name, type]) => [name, type]),
          columns.map(({ kind, name }) => [name, Reflect.get(types, kind)])
        )
        const prices = fitting.flatMap(({ Price }) => (typeof Price === "string" ? [Number(Price)] : []))
        assert.deepStrictEqual(yield* Duck.query(`select max(Price), min(Price) from ${Duck.source(file)}`), [
          [Math.max(...prices), Math.min(...prices)]
        ])
      })
    )

    it.effect(`every value of CSV with ${named(compression)}`, () =>
      Effect.gen(function* () {
        const columns = yield* Format.columns(Timeseries.assetMetrics, Samples.params)
        const file = yield* Duck.file(Timeseries.assetMetrics, Samples.params, { as: "csv", compression }, records)
        assert.deepStrictEqual(
          yield* Duck.query(`from ${Duck.source(file)}`),
          table(
            columns.map((column) => ({ ...column, kind: "text" })),
            records
          )
        )
      })
    )

    it.effect(`every record of NDJSON with ${named(compression)}, null and absent told apart`, () =>
      Effect.gen(function* () {
        const options = { as: "ndjson", compression } as const
        const strange = [...records, { asset: "a", time: "t", unknown: [1, { deep: null }] }]
        const file = yield* Duck.file(Timeseries.assetMetrics, Samples.params, options, strange)
        const rows = yield* Duck.query(`select json::varchar from ${Duck.source(file)}`)
        assert.deepStrictEqual(
          rows.map(([text]) => JSON.parse(String(text))),
          strange
        )
      })
    )
  }

  it.effect("decimals as numbers, with the option decimal", () =>
    Effect.gen(function* () {
      const metric = { assets: "btc", metrics: "Price" }
      const write = (precision: number, prices: ReadonlyArray<string | null>) => {
        const rows = prices.map((Price) => ({ asset: "btc", time: "2020-01-01", Price }))
        return Duck.file(Timeseries.assetMetrics, metric, { as: "parquet", decimal: { precision, scale: 9 } }, rows)
      }
      const wide = yield* write(38, [
        "12345678901234567890123456789.012345678",
        "-0.000000001",
        "+5",
        "1.50e2",
        "7.",
        null
      ])
      assert.deepStrictEqual(yield* Duck.query(`select Price::varchar, typeof(Price) from ${Duck.source(wide)}`), [
        ["12345678901234567890123456789.012345678", "DECIMAL(38,9)"],
        ["-0.000000001", "DECIMAL(38,9)"],
        ["5.000000000", "DECIMAL(38,9)"],
        ["150.000000000", "DECIMAL(38,9)"],
        ["7.000000000", "DECIMAL(38,9)"],
        [null, "DECIMAL(38,9)"]
      ])
      const narrow = yield* write(18, ["-999999999.999999999", "0.10000000000"])
      assert.deepStrictEqual(yield* Duck.query(`select Price::varchar, typeof(Price) from ${Duck.source(narrow)}`), [
        ["-999999999.999999999", "DECIMAL(18,9)"],
        ["0.100000000", "DECIMAL(18,9)"]
      ])
    })
  )

  it.effect("the status of metrics where it is asked for, or chosen", () =>
    Effect.gen(function* () {
      const params = { assets: "btc", metrics: "A,B" }
      const time = "2020-01-01T00:00:00.000000000Z"
      const rows = [{ asset: "btc", time, A: "1", "A-status": "flash", "A-status-time": time }]
      const read = (options: Format.Options) =>
        Effect.flatMap(Duck.file(Timeseries.assetMetrics, params, options, rows), (file) =>
          Duck.query(`from ${Duck.source(file)}`)
        )
      assert.deepStrictEqual(yield* read({ as: "parquet" }), [["btc", time, 1, null]])
      assert.deepStrictEqual(yield* read({ as: "parquet", columns: ["A-status", "A"] }), [["flash", 1]])
      assert.deepStrictEqual(yield* read({ as: "csv", statusColumns: false }), [["btc", time, "1", null]])
      const all = ["btc", time, 1, null, "flash", time, null, null]
      assert.deepStrictEqual(yield* read({ as: "parquet", statusColumns: true }), [all])
      assert.deepStrictEqual(yield* read({ as: "csv" }), [all.map((value) => (value === 1 ? "1" : value))])
    })
  )

  it.effect("decimals as DECIMAL(38,18), where no digits are said", () =>
    Effect.gen(function* () {
      const rows = [{ asset: "btc", time: "2020-01-01", Price: "-12345678901234567890.123456789012345678" }]
      const params = { assets: "btc", metrics: "Price" }
      const file = yield* Duck.file(Timeseries.assetMetrics, params, { as: "parquet", numbers: "decimal" }, rows)
      assert.deepStrictEqual(yield* Duck.query(`select Price::varchar, typeof(Price) from ${Duck.source(file)}`), [
        ["-12345678901234567890.123456789012345678", "DECIMAL(38,18)"]
      ])
    })
  )

  it.effect("row groups of more than one write, in their order", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 120_000 }, (_, index) => ({
        asset: index % 2 === 0 ? "btc" : "eth",
        time: Timestamp.fromEpochNanos(1_500_000_000_000_000_000n + BigInt(index) * 60_000_000_001n),
        Price: index % 1000 === 0 ? null : `${index}.5`
      }))
      const params = { assets: "btc,eth", metrics: "Price" }
      const file = yield* Duck.file(Timeseries.assetMetrics, params, { as: "parquet" }, rows)
      const groups = yield* Duck.query(`select count(distinct row_group_id) > 1 from parquet_metadata('${file}')`)
      assert.deepStrictEqual(groups, [[true]])
      // DuckDB makes the same rows by itself and counts those that are another: far quicker than to hand them all over.
      const row = `select file_row_number as nth, asset, epoch_ns(time) as nanos, Price from read_parquet('${file}', file_row_number = true)`
      const expected = `select range as nth, if(range % 2 = 0, 'btc', 'eth') as asset, 1500000000000000000 + range * 60000000001 as nanos, if(range % 1000 = 0, null, range + 0.5::double) as Price from range(${rows.length})`
      assert.deepStrictEqual(yield* Duck.query(`select count(*) from ((${row}) intersect (${expected}))`), [
        [BigInt(rows.length)]
      ])
      assert.deepStrictEqual(yield* Duck.query(`select count(*) from (${row})`), [[BigInt(rows.length)]])
    })
  )

  it.effect("a file without records, by its columns", () =>
    Effect.gen(function* () {
      const columns = yield* Format.columns(ReferenceData.markets, {})
      for (const as of ["csv", "parquet"] as const) {
        const file = yield* Duck.file(ReferenceData.markets, {}, { as }, [])
        const described = yield* Duck.query(`describe from ${Duck.source(file)}`)
        assert.deepStrictEqual(
          described.map(([name]) => name),
          columns.map(({ name }) => name)
        )
        assert.deepStrictEqual(yield* Duck.query(`select count(*) from ${Duck.source(file)}`), [[0n]])
      }
    })
  )

  it.effect("values with structure as JSON", () =>
    Effect.gen(function* () {
      const conditions = [{ description: 'over "5"', threshold: null }, { nested: [[], {}] }]
      for (const as of ["csv", "parquet"] as const) {
        const rows = [{ asset: "btc", name: "a", conditions }]
        const file = yield* Duck.file(Catalog.assetAlerts, {}, { as }, rows)
        const read = yield* Duck.query(`select conditions from ${Duck.source(file)}`)
        assert.deepStrictEqual(JSON.parse(String(read[0]?.[0])), conditions)
      }
    })
  )

  it.effect("every record of a CSV file with one column, those without a value too", () =>
    Effect.gen(function* () {
      const times = [
        "2020-01-01T00:00:00.000000000Z",
        "2020-01-02T00:00:00.000000000Z",
        "2020-01-03T00:00:00.000000000Z"
      ]
      const rows = [
        { asset: "btc", time: times[0], Price: null },
        { asset: "btc", time: times[1] },
        { asset: "btc", time: times[2], Price: "1" },
        { asset: "eth", time: times[0], Price: "" },
        { asset: "eth", time: times[1], Price: null }
      ]
      const options = { as: "csv", columns: ["Price"] } as const
      const file = yield* Duck.file(Timeseries.assetMetrics, Samples.params, options, rows)
      assert.deepStrictEqual(yield* Duck.query(`from ${Duck.source(file)}`), [[""], [""], ["1"], [""], [""]])
      // Readers that skip empty lines have as many.
      const text = (yield* Duck.bytes(Timeseries.assetMetrics, Samples.params, options, rows)).toString()
      assert.deepStrictEqual(text.split("\r\n"), ["Price", '""', '""', "1", '""', '""', ""])
    })
  )

  it.effect("values that begin with a byte-order mark, unchanged", () =>
    Effect.gen(function* () {
      const mark = "\uFEFF"
      const rows = [mark, `${mark}btc`, `b${mark}`, `${mark}${mark},`].map((asset) => ({ asset, full_name: asset }))
      for (const columns of [["asset"], ["asset", "full_name"]]) {
        const options = { as: "csv", columns } as const
        const file = yield* Duck.file(ReferenceData.assets, {}, options, rows)
        const read = yield* Duck.query(
          `select ${columns.map((name) => `hex(encode(${name}))`)} from ${Duck.source(file)}`
        )
        assert.deepStrictEqual(
          read,
          rows.map(({ asset }) => columns.map(() => hex(asset)))
        )
        const lines = (yield* Duck.bytes(ReferenceData.assets, {}, options, rows)).toString().split("\r\n")
        assert.deepStrictEqual(
          lines.filter((line) => /^\uFEFF|,\uFEFF/.test(line)),
          []
        )
      }
    })
  )

  it.effect("the columns chosen, in the order chosen", () =>
    Effect.gen(function* () {
      const chosen = ["Price", "asset"]
      for (const as of ["csv", "parquet"] as const) {
        const rows = [{ asset: "btc", time: "2020-01-01T00:00:00.000000000Z", Price: "1.5" }]
        const options = { as, columns: chosen }
        const file = yield* Duck.file(Timeseries.assetMetrics, Samples.params, options, rows)
        const described = yield* Duck.query(`describe from ${Duck.source(file)}`)
        assert.deepStrictEqual(
          described.map(([name]) => name),
          chosen
        )
        const price = as === "csv" ? "1.5" : 1.5
        assert.deepStrictEqual(yield* Duck.query(`from ${Duck.source(file)}`), [[price, "btc"]])
      }
    })
  )
})

const line = (text: string): unknown => JSON.parse(text)

/** Whether only the records tell which columns there are. */
const lacksColumns = (path: string, params: object) => path === "/timeseries/protocol-metrics" && !("metrics" in params)

/** Records that are written with the same columns. */
interface Table {
  readonly params: object
  readonly columns: ReadonlyArray<Format.Column>
  readonly records: ReadonlyArray<Json>
}

describe("every endpoint's records, as the interface has them", () => {
  for (const { endpoint, name, section } of Endpoints.entries) {
    // What one decoder reads has the same columns.
    if (!TestMode.isLong && !Fixtures.isFirstReader(endpoint.path)) continue
    it.effect(`${section}.${name}`, () =>
      Effect.gen(function* () {
        const fixture = Fixtures.all.find(({ path }) => path === endpoint.path)
        const replies = fixture?.replies ?? []
        assert.isAbove(replies.length, 0)
        const tables = new Map<string, Table>()
        for (const { body, query } of replies) {
          const params = Fixtures.paramsOf(endpoint.path, query)
          if (lacksColumns(endpoint.path, params)) {
            for (const as of ["csv", "parquet"] as const) {
              const error = yield* Effect.flip(Format.encode(endpoint, params, { as }))
              assert.deepInclude(error, { _tag: "BadFormat", option: "as", endpoint: endpoint.path })
            }
            assert.deepStrictEqual(
              (yield* Duck.bytes(endpoint, params, { as: "ndjson" }, body.data))
                .toString()
                .trimEnd()
                .split("\n")
                .map(line),
              [...body.data]
            )
            continue
          }
          const columns = yield* Format.columns(endpoint, params)
          const key = JSON.stringify(columns)
          tables.set(key, { params, columns, records: [...(tables.get(key)?.records ?? []), ...body.data] })
        }
        // Replies with the same columns share a file of each format, since a query costs more than their records.
        for (const { columns, params, records } of tables.values()) {
          // `N/A` in place of a number or a time is text, which only a file of texts holds.
          const typed = records.filter((record) => !Object.values(record).includes("N/A"))
          const parquet = yield* Duck.file(endpoint, params, { as: "parquet" }, typed)
          const rows = typedTable(withoutStatus(columns), typed)
          assert.deepStrictEqual(yield* Duck.query(`from ${Duck.source(parquet)}`), rows)
          const csv = yield* Duck.file(endpoint, params, { as: "csv" }, records)
          const texts = table(
            columns.map((column) => ({ ...column, kind: "text" })),
            records
          )
          assert.deepStrictEqual(
            yield* Duck.query(`from ${Duck.source(csv, Duck.asWritten)}`),
            texts.map((row) => row.map(asText))
          )
        }
      })
    )
  }
})

describe("a compressed file", () => {
  it.effect("decompresses with zlib to the plain one", () =>
    Effect.gen(function* () {
      const records = Samples.records(3_000)
      const write = (compression: Format.Compression | undefined) =>
        Duck.bytes(Timeseries.assetMetrics, Samples.params, { as: "ndjson", compression }, records)
      const plain = yield* write(undefined)
      const gzip = yield* write("gzip")
      assert.isTrue(zlib.gunzipSync(gzip).equals(plain))
      assert.isTrue(zlib.zstdDecompressSync(yield* write("zstd")).equals(plain))
      assert.deepStrictEqual(
        [...gzip.subarray(4, 8)],
        [0, 0, 0, 0],
        "the time of writing would make each one different"
      )
    })
  )
})
