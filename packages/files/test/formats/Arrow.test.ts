import * as path from "node:path"
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Columns, Timeseries, Timestamp } from "@sluice/core"
import { Arrow, Format } from "@sluice/files"
import * as Flechette from "@uwdata/flechette"
import * as Apache from "apache-arrow"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as fields from "../../../core/src/internal/wire/fields.ts"
import * as UnscaledDecimal from "../../../core/src/internal/columns/UnscaledDecimal.ts"

/** A column of each type. */
const Row = Schema.Struct({
  name: fields.id,
  side: fields.word(["buy", "sell"]),
  time: fields.timestamp,
  price: fields.decimal,
  count: fields.integer,
  number: fields.maybe(Schema.Finite),
  flag: fields.flag,
  notes: fields.texts
})

// Type boundary: what columns read of an endpoint.
const source = {
  path: "/timeseries/rows",
  parameters: new Map(),
  order: "series",
  identity: [],
  record: () => Row
} as never as Format.Source

type Rec = Readonly<{ [Key in keyof typeof Row.fields]?: unknown }>

const texts = ["", "plain", "Ξ→₿ é", "😀👨‍👩‍👧", "\u0000\u0001", 'quote "', "line\r\nline", "𐀀", "N/A", "long ".repeat(40)]

/** Doubles, and what they say is the nearest one of. */
const decimals = ["0", "-0.0", "10449.354354068401236", "1e-18", "-99999999999999999999.999999999999999999", "7"]

const times = [
  "1970-01-01T00:00:00.000000000Z",
  "1969-12-31T23:59:59.999999999Z",
  "2020-02-29T23:59:59.123456789Z",
  "1678-01-01T00:00:00.000000001Z",
  "2261-12-31T23:59:59.999999999Z"
]

/** So many records: one value in three is null or absent, and words are met for the first time all along. */
const recordsOf = (count: number, prices: ReadonlyArray<string> = decimals): ReadonlyArray<Rec> => {
  const draw = Draw.from(TestMode.firstSeed)
  const maybe = (value: unknown) => draw.one<unknown>([value, value, value, value, null, undefined])
  return Array.from({ length: count }, (_, index) => ({
    name: draw.one(texts),
    side: maybe(draw.one(["buy", "sell", `Ξ${draw.below(1 + (index >> 3))}`])),
    time: maybe(draw.one(times)),
    price: maybe(draw.one(prices)),
    count: maybe(draw.one(["0", "-9223372036854775808", "9223372036854775807", String(index)])),
    number: maybe(draw.one([0.1, -5e-324, 1.7976931348623157e308, index])),
    flag: maybe(draw.below(2) === 0),
    notes: maybe([draw.one(texts)])
  }))
}

const nanosOf = (time: unknown) => Result.getOrThrow(Timestamp.toEpochNanos(String(time)))

/** How prices are written, and what a reader gives of one. */
const ways: Readonly<
  Record<string, { readonly of: (text: string) => unknown; readonly prices?: ReadonlyArray<string> }>
> = {
  double: { of: Number, prices: [...decimals, "1e300", "123456789".repeat(20)] },
  decimal: { of: UnscaledDecimal.makeReader({ precision: 38, scale: 18 }) },
  text: { of: (text) => text, prices: [...decimals, "N/A", `${"7".repeat(200)}.${"3".repeat(200)}`] }
}

const expected = (records: ReadonlyArray<Rec>, numbers: string) =>
  records.map(({ count, flag, name, notes, number, price, side, time }) => ({
    name,
    side: side ?? null,
    time: time === undefined || time === null ? null : nanosOf(time),
    price: typeof price === "string" ? ways[numbers]!.of(price) : null,
    count: typeof count !== "string" ? null : numbers === "text" ? count : BigInt(count),
    number: number ?? null,
    flag: flag ?? null,
    notes: Array.isArray(notes) ? JSON.stringify(notes) : null
  }))

const names = Object.keys(Row.fields)

const exact = { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true }

/** The rows of a table, each value as the buffers have it. */
const apacheRows = (bytes: Uint8Array) => {
  const table = Apache.tableFromIPC(bytes)
  const columns = names.map((name) =>
    table.getChild(name)!.data.flatMap((data) => {
      const vector = new Apache.Vector([data])
      return Array.from({ length: data.length }, (_, index): unknown => {
        if (!data.getValid(index)) return null
        if (Apache.DataType.isTimestamp(data.type)) return (data.values as BigInt64Array)[index]
        if (!Apache.DataType.isDecimal(data.type)) return vector.get(index)
        const words: Uint32Array = data.values
        const bits = [0, 1, 2, 3].map((word) => BigInt(words[4 * index + word]!) << BigInt(32 * word))
        return BigInt.asIntN(
          128,
          bits.reduce((sum, part) => sum + part)
        )
      })
    })
  )
  return Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(names.map((name, index) => [name, columns[index]![row]]))
  )
}

const flechetteRows = (table: Flechette.Table) =>
  table.toArray().map((row) => Object.fromEntries(names.map((name) => [name, row[name]])))

const batchesOf = (records: ReadonlyArray<Rec>, numbers: string, rows: number) =>
  // Type boundary: see `source`.
  Columns.fromRecords(source as never, {}, Stream.fromIterable(records), {
    rows,
    numbers: numbers as Columns.Numbers
  }) as Stream.Stream<Columns.Batch<Readonly<Record<string, Columns.AnyColumn>>>, Columns.FormatError>

const bytesOf = <E>(stream: Stream.Stream<Uint8Array, E>) =>
  Effect.map(Stream.runCollect(stream), (chunks) => new Uint8Array(Buffer.concat(chunks)))

const each = Object.keys(ways).flatMap((numbers) => [0, 1, 300].map((count) => [numbers, count] as const))

const typeOf = (numbers: string) => ({ double: "Float64", decimal: "Decimal[38e+18]", text: "Utf8" })[numbers]!

describe("Arrow, read back", () => {
  it.effect.each(each)("numbers as %s, %d records, by apache-arrow and flechette", ([numbers, count]) =>
    Effect.gen(function* () {
      const records = recordsOf(count, ways[numbers]!.prices)
      const rows = expected(records, numbers)
      for (const [format, write] of Object.entries({ stream: Arrow.stream, file: Arrow.file })) {
        const bytes = yield* bytesOf(write(batchesOf(records, numbers, 32)))
        assert.deepStrictEqual(apacheRows(bytes), rows, format)
        assert.deepStrictEqual(flechetteRows(Flechette.tableFromIPC(bytes, exact)), rows, format)
        const table = Apache.tableFromIPC(bytes)
        assert.strictEqual(table.batches.length, Math.max(1, Math.ceil(count / 32)))
        const { fields: found } = table.schema
        assert.deepStrictEqual(
          found.map(({ name, nullable }) => [name, nullable]),
          names.map((name) => [name, name !== "name"])
        )
        assert.deepStrictEqual(
          found.map(({ type }) => String(type)),
          [
            "Utf8",
            "Dictionary<Int32, Utf8>",
            "Timestamp<NANOSECOND, UTC>",
            typeOf(numbers),
            numbers === "text" ? "Utf8" : "Int64",
            "Float64",
            "Bool",
            "Utf8"
          ]
        )
        assert.deepStrictEqual([...found.at(-1)!.metadata], [["content-type", "application/json"]])
      }
    })
  )

  if (TestMode.isLong) {
    it.effect("by DuckDB, times to the microsecond", () =>
      Effect.gen(function* () {
        const connection = yield* duck
        for (const numbers of Object.keys(ways)) {
          const records = recordsOf(300, ways[numbers]!.prices)
          const bytes = yield* bytesOf(Arrow.stream(batchesOf(records, numbers, 32)))
          connection.insertArrowFromIPCStream(bytes, { name: numbers })
          const price = numbers === "decimal" ? "replace(price::text, '.', '')::hugeint::text" : "price"
          const found = connection
            .query(
              `select name, side, epoch_us(time)::text as time, ${price} as price, count::text as count, number, flag, notes from "${numbers}"`
            )
            .toArray()
            .map((row) => row.toJSON())
          const rows = expected(records, numbers).map((row) => ({
            ...row,
            time: row.time === null ? null : String(row.time / 1_000n),
            price: typeof row.price === "bigint" ? String(row.price) : row.price,
            count: row.count === null ? null : String(row.count)
          }))
          assert.deepStrictEqual(found, rows)
        }
      })
    )
  }

  it.effect("a table in memory shares the values of its batches", () =>
    Effect.gen(function* () {
      for (const numbers of Object.keys(ways)) {
        const records = recordsOf(100, ways[numbers]!.prices)
        const batches = yield* Stream.runCollect(batchesOf(records, numbers, 32))
        const table = Arrow.table(batches)
        assert.deepStrictEqual(flechetteRows(table), expected(records, numbers))
        assert.deepStrictEqual(apacheRows(Flechette.tableToIPC(table, {})!), expected(records, numbers))
        for (const [index, { columns }] of batches.entries()) {
          for (const column of Object.values(columns)) {
            const of = "codes" in column ? column.codes : "bytes" in column ? column.bytes : column.values
            assert.strictEqual(table.getChild(column.name)!.data[index]!.values.buffer, of.buffer)
          }
        }
      }
      assert.strictEqual(Arrow.table([]).numRows, 0)
    })
  )
})

/** DuckDB as WebAssembly, which reads streams; the native one needs an extension from the network. */
const duck = Effect.promise(async () => {
  const { createDuckDB, NODE_RUNTIME, VoidLogger } = await import("@duckdb/duckdb-wasm/blocking")
  const module = createRequire(import.meta.url).resolve("@duckdb/duckdb-wasm/dist/duckdb-eh.wasm")
  const bundle = (name: string) => ({
    mainModule: path.join(path.dirname(module), `duckdb-${name}.wasm`),
    mainWorker: ""
  })
  const database = await createDuckDB({ mvp: bundle("mvp"), eh: bundle("eh") }, new VoidLogger(), NODE_RUNTIME)
  await database.instantiate(() => undefined)
  return database.connect()
})

const market = (name: string, columns: ReadonlyArray<"market" | "time" | "price"> = ["market", "time", "price"]) =>
  Columns.fromRecords(
    Timeseries.marketTrades,
    { markets: name },
    // Type boundary: the record has the required fields alone.
    Stream.make({
      market: name,
      time: "2024-01-01T00:00:00.000000000Z",
      coin_metrics_id: name,
      price: "1.5"
    } as never),
    { columns }
  )
const marketsOf = (table: { readonly getChild: (name: string) => { readonly toArray: () => unknown } | null }) => [
  ...(table.getChild("market")!.toArray() as Iterable<unknown>)
]

describe("batches of several calls", () => {
  const names = ["coinbase-btc-usd-spot", "kraken-eth-usd-spot", "coinbase-btc-usd-spot", "binance-sol-usdt-spot"]

  it.effect("are one table, whose words have one code, whatever the order of their columns", () =>
    Effect.gen(function* () {
      const streams = names.map((name, index) => market(name, index === 1 ? ["price", "market", "time"] : undefined))
      const all = Stream.flatMap(Stream.fromIterable(streams), (one) => one)
      const batches = yield* Stream.runCollect(all)
      assert.deepStrictEqual(marketsOf(Arrow.table(batches)), names)
      for (const bytes of [Arrow.stream(all), Arrow.file(all)]) {
        const written = Buffer.concat(yield* Stream.runCollect(bytes))
        assert.deepStrictEqual(marketsOf(Apache.tableFromIPC(written)), names)
        assert.deepStrictEqual(marketsOf(Flechette.tableFromIPC(new Uint8Array(written))), names)
      }
    })
  )

  it.effect("are refused where their columns differ", () =>
    Effect.gen(function* () {
      const all = Stream.concat(market("a", ["market", "price"]), market("b", ["market", "time"]))
      const error = yield* Effect.flip(Stream.runDrain(Arrow.stream(all)))
      const reason = 'column "price" is absent in a batch, and double in the first'
      assert.deepInclude({ ...error }, { _tag: "BadFormat", option: "batches", reason })
      const batches = yield* Stream.runCollect(all)
      assert.throws(() => Arrow.table(batches), reason)
    })
  )
})

describe("the messages of Arrow", () => {
  it.effect("have each buffer at a multiple of 64 bytes, and a word once in a file", () =>
    Effect.gen(function* () {
      const records = recordsOf(300)
      const bytes = yield* bytesOf(Arrow.file(batchesOf(records, "double", 32)))
      const table = Flechette.tableFromIPC(bytes, exact)
      for (const { data } of table.children) {
        for (const { values } of data) assert.strictEqual(values.byteOffset % 64, 0)
      }
      const sides = new Set(records.flatMap(({ side }) => side ?? []))
      const dictionary = Apache.tableFromIPC(bytes).getChild("side")!.data.at(-1)!.dictionary!
      assert.sameMembers([...dictionary], [...new Set(["buy", "sell", ...sides])])
    })
  )

  it.effect("are those of one batch at a time, and a failure leaves a file without its end", () =>
    Effect.gen(function* () {
      const endless = Stream.forever(batchesOf(recordsOf(32), "double", 32))
      assert.lengthOf(yield* Stream.runCollect(Stream.take(Arrow.stream(endless), 20)), 20)
      const batches = Stream.concat(batchesOf(recordsOf(64), "double", 32), Stream.fail("cut"))
      const seen: Array<Uint8Array> = []
      const error = yield* Effect.flip(
        Stream.runForEach(Arrow.file(batches), (chunk) => Effect.sync(() => seen.push(chunk)))
      )
      assert.strictEqual(error, "cut")
      const whole = yield* bytesOf(Arrow.file(batchesOf(recordsOf(64), "double", 32)))
      const cut = Buffer.concat(seen)
      assert.isBelow(cut.length, whole.length)
      assert.isTrue(cut.equals(whole.subarray(0, cut.length)))
    })
  )
})

const encoded = (options: Format.Options, records: ReadonlyArray<unknown>) =>
  Effect.flatMap(Format.encode(source, {}, options), (encode) => bytesOf(encode(Stream.fromIterable(records))))

/** The records of each batch. */
const lengths = (bytes: Uint8Array) => Apache.tableFromIPC(bytes).batches.map(({ numRows }) => numRows)

describe("a file of the format arrow", () => {
  it.effect("has the bytes of its columns", () =>
    Effect.gen(function* () {
      const records = recordsOf(100)
      for (const [as, write] of [
        ["arrow", Arrow.file],
        ["arrows", Arrow.stream]
      ] as const) {
        const bytes = yield* encoded({ as, numbers: "decimal" }, records)
        const same = yield* bytesOf(write(batchesOf(records, "decimal", 16_384)))
        assert.isTrue(Buffer.from(bytes).equals(same), as)
      }
    })
  )

  it.effect("ends a batch by its rows, and by the bytes of its texts", () =>
    Effect.gen(function* () {
      const [record] = recordsOf(1)
      const many = Array.from({ length: 20_000 }, () => record)
      assert.deepStrictEqual(
        lengths(yield* encoded({ as: "arrow", columns: ["price", "time"] }, many)),
        [16_384, 3_616]
      )
      const long = Array.from({ length: 150 }, () => ({ ...record, name: "x".repeat(50_000) }))
      assert.deepStrictEqual(lengths(yield* encoded({ as: "arrow" }, long)), [84, 66])
    })
  )

  it.effect("refuses what a column cannot hold, by the number of its record", () =>
    Effect.gen(function* () {
      for (const [column, wrong] of [
        ["price", "N/A"],
        ["side", "\uD83D"],
        ["name", "\uD83D"],
        ["time", "2024-13-01"]
      ] as const) {
        const records = [...recordsOf(40), { ...recordsOf(1)[0], [column]: wrong }]
        const error = yield* Effect.flip(encoded({ as: "arrow" }, records))
        assert.deepInclude(error, { _tag: "Unwritable", as: "arrow", column, record: 41 })
      }
      const refused = yield* Effect.flip(encoded({ as: "arrow", compression: "zstd" }, []))
      assert.deepInclude(refused, { _tag: "BadFormat", option: "compression", reason: "arrow is not compressed" })
    })
  )
})
