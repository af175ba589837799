import { assert, describe, it } from "@effect/vitest"
import { ApiError, Batch, Columns, Field, Timeseries } from "@sluice/core"
import { required } from "@sluice/interface/Least"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as RecordDecoder from "../../src/internal/wire/RecordDecoder.ts"
import * as FakeApi from "../FakeApi.ts"
import * as Table from "../table/Expected.ts"
import * as Endpoints from "../table/Read.ts"
import * as TestMode from "../TestMode.ts"
import * as ColumnsOf from "./ColumnsOf.ts"

const markets = "coinbase-btc-usd-spot"

const time = (index: number) => `2024-01-01T00:00:00.${String(index).padStart(9, "0")}Z`

const trade = (index: number, more: object = {}) => ({
  market: markets,
  time: time(index),
  coin_metrics_id: String(index),
  amount: `0.${index + 1}`,
  price: String(index / 2),
  database_time: time(index),
  side: index % 3 === 0 ? "sell" : "buy",
  ...more
})

const trades = (count: number, more: (index: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, index) => trade(index, more(index)))

const decoder = RecordDecoder.make(Timeseries.marketTrades.record() as Schema.Codec<unknown>)

const linesOf = (records: ReadonlyArray<object>) => records.map((record) => JSON.stringify(record))

/** Blocks of so many lines. */
const blocksOf = (records: ReadonlyArray<object>, size: number) =>
  Array.from({ length: Math.ceil(records.length / size) }, (_, index) =>
    linesOf(records.slice(index * size, (index + 1) * size))
  )

type Options = Columns.Options<string>

/** The same records as batches, of which there must be some, and as objects. */
const readBoth = (records: ReadonlyArray<object>, size: number, options: Options = {}) =>
  Effect.gen(function* () {
    let batches = 0
    const onBatch = () => {
      batches++
    }
    const blocks = blocksOf(records, size)
    const params = { markets }
    const lazily = ColumnsOf.lazily(decoder, blocks, onBatch)
    const read = yield* ColumnsOf.read(Timeseries.marketTrades, params, lazily, options)
    assert.isAbove(batches, 0)
    ColumnsOf.assertSame(
      read,
      yield* ColumnsOf.read(Timeseries.marketTrades, params, ColumnsOf.objects(blocks), options)
    )
    return read
  })

const lengthsOf = ({ batches }: ColumnsOf.Read) => batches.map(({ length }) => length)

/** Lengths of batches of so many records. */
const lengths = (count: number, rows: number) =>
  Array.from({ length: Math.ceil(count / rows) }, (_, index) => Math.min(rows, count - index * rows))

describe("a value that its column cannot hold", () => {
  it.effect.each([1, 3, 7, 10, 39, 40, 41])("ends the stream behind all before it, with batches of %i", (rows) =>
    Effect.gen(function* () {
      for (const at of TestMode.eachNth(
        Array.from({ length: 40 }, (_, index) => index),
        3
      )) {
        const records = trades(40, (index) => (index === at ? { price: "N/A" } : {}))
        for (const size of [1, 10, 40]) {
          const read = yield* readBoth(records, size, { rows })
          assert.instanceOf(read.error, Columns.Unwritable)
          assert.deepInclude(read.error, { as: "columns", column: "price", record: at + 1, value: '"N/A"' })
          assert.deepStrictEqual(lengthsOf(read), lengths(at, rows))
          assert.deepStrictEqual(
            [...ColumnsOf.valuesOf(read, "coin_metrics_id")],
            Array.from({ length: at }, (_, index) => String(index))
          )
        }
      }
    })
  )

  it.effect.each([
    { amount: 9, price: 12, column: "amount", record: 10 },
    { amount: 12, price: 9, column: "price", record: 10 },
    { amount: 9, price: 9, column: "amount", record: 10 },
    { amount: 30, price: 29, column: "price", record: 30 }
  ])("is the one of the earlier record: $column of $record", ({ amount, column, price, record }) =>
    Effect.gen(function* () {
      const records = trades(40, (index) => ({
        ...(index === amount ? { amount: "1e400" } : {}),
        ...(index === price ? { price: "N/A" } : {})
      }))
      for (const rows of [4, 10, 100]) {
        const read = yield* readBoth(records, 20, { rows })
        assert.instanceOf(read.error, Columns.Unwritable)
        assert.deepInclude(read.error, { column, record })
        assert.deepStrictEqual(lengthsOf(read), lengths(record - 1, rows))
      }
    })
  )

  it.effect("is kept where numbers are text", () =>
    Effect.gen(function* () {
      const read = yield* readBoth(
        trades(3, () => ({ price: "N/A" })),
        3,
        { numbers: "text" }
      )
      assert.deepStrictEqual([...ColumnsOf.valuesOf(read, "price")], ["N/A", "N/A", "N/A"])
    })
  )
})

const page = (from: number, to: number, token?: string) => FakeApi.page(trades(to).slice(from), token)

describe("a stream of columns", () => {
  it.effect("emits what was read before the service fails", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([page(0, 5, "t1"), FakeApi.refusal(403, "forbidden", "no")])
      const seen: Array<number> = []
      const columns = Columns.stream(Timeseries.marketTrades, { markets }, { rows: 3 })
      const failure = yield* Stream.runForEach(columns, ({ length }) => Effect.sync(() => seen.push(length))).pipe(
        Effect.flip,
        Effect.provide(api.layer())
      )
      assert.isTrue(ApiError.isApiError(failure))
      assert.deepStrictEqual(seen, [3, 2])
    })
  )

  it.effect("asks for records without objects, and goes over pages", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([page(0, 5, "t1"), page(5, 8)])
      const { columns, length, rows } = yield* Columns.collect(Timeseries.marketTrades, { markets }).pipe(
        Effect.provide(api.layer())
      )
      assert.strictEqual(length, 8)
      assert.deepStrictEqual([...columns.price.values], [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5])
      assert.strictEqual(columns.time.values[7], 1_704_067_200_000_000_007n)
      assert.deepStrictEqual<unknown>([...rows()][2], {
        ...trade(2),
        time: 1_704_067_200_000_000_002n,
        amount: 0.3,
        price: 1,
        database_time: 1_704_067_200_000_000_002n,
        ...Object.fromEntries(
          Object.keys(columns)
            .filter((name) => !(name in trade(2)))
            .map((name) => [name, null])
        )
      })
    })
  )

  it.effect("has one batch of no records where there are none", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([])])
      const { columns, length, rows } = yield* Columns.collect(Timeseries.marketTrades, { markets }).pipe(
        Effect.provide(api.layer())
      )
      assert.strictEqual(length, 0)
      assert.deepStrictEqual([...rows()], [])
      for (const column of Object.values<Columns.AnyColumn>(columns)) {
        assert.deepInclude(column, { length: 0, nulls: 0, validity: undefined })
        if ("offsets" in column) assert.deepStrictEqual(column.offsets, Int32Array.of(0))
      }
    })
  )

  it.effect.each([0, -1, Number.NaN, 1.5])("sends nothing where a batch is to have %d records", (rows) =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      const failure = yield* Stream.runDrain(Columns.stream(Timeseries.marketTrades, { markets }, { rows })).pipe(
        Effect.flip,
        Effect.provide(api.layer())
      )
      assert.instanceOf(failure, Columns.BadFormat)
      assert.strictEqual(failure.option, "rows")
      assert.deepStrictEqual(yield* api.requests, [])
    })
  )

  it.effect("reads the same without WebAssembly", () =>
    Effect.gen(function* () {
      const records = trades(40)
      const expected = yield* readBoth(records, 10)
      const module = Object.getOwnPropertyDescriptor(WebAssembly, "Module")!
      Object.defineProperty(WebAssembly, "Module", { configurable: true, value: undefined })
      const blocks = blocksOf(records, 10)
      // Another schema of the same fields: readers of the first one are kept.
      const own = RecordDecoder.make(Timeseries.marketTrades.record() as Schema.Codec<unknown>)
      const lazily = ColumnsOf.lazily({ ...own }, blocks, () => assert.fail("a batch"))
      const read = yield* ColumnsOf.read(Timeseries.marketTrades, { markets }, lazily).pipe(
        Effect.ensuring(Effect.sync(() => Object.defineProperty(WebAssembly, "Module", module)))
      )
      ColumnsOf.assertSame(read, expected)
    })
  )
})

describe("a column of words", () => {
  it.effect("gives each word one code, however many there are", () =>
    Effect.gen(function* () {
      const long = "long".repeat(500)
      const names = [
        ...Array.from({ length: 200 }, (_, index) => `market-${index * index}`),
        long,
        `${long}er`,
        "",
        "é"
      ]
      // Some follow each other, some come again long after.
      const nameOf = (index: number) => names[index < 1_000 ? index % 3 : (index * 7) % names.length]!
      const records = trades(3_000, (index) => ({ market: nameOf(index) }))
      for (const options of [{ rows: 100 }, { rows: Infinity }]) {
        const read = yield* readBoth(records, 125, options)
        assert.deepStrictEqual(
          [...ColumnsOf.valuesOf(read, "market")],
          records.map(({ market }) => market)
        )
        const codes = new Map<string, number>([[markets, 0]])
        let before: ReadonlyArray<string> = []
        for (const { columns } of read.batches) {
          const { market } = columns
          assert(market?.type === "word")
          assert.deepStrictEqual(market.words.slice(0, before.length), before)
          before = market.words
          for (const [index, code] of market.codes.entries()) {
            const word = market.at(index)!
            assert.strictEqual(code, codes.get(word) ?? codes.size)
            codes.set(word, code)
          }
          assert.strictEqual(market.words.length, codes.size)
        }
      }
    })
  )

  it.effect("has null as code 0, which is no word of its own", () =>
    Effect.gen(function* () {
      const sides = ["buy", null, "sell", null, "other"]
      const read = yield* readBoth(
        trades(500, (index) => ({ side: sides[index % 5] })),
        50,
        { rows: Infinity }
      )
      const { side } = read.batches[0]!.columns
      assert(side?.type === "word")
      assert.strictEqual(side.nulls, 200)
      assert.notInclude(side.words, "null")
      assert.deepStrictEqual(
        [...ColumnsOf.valuesOf(read, "side")],
        Array.from({ length: 500 }, (_, index) => sides[index % 5])
      )
    })
  )
})

describe("a column with many nulls", () => {
  // Null up to a record, from one on, and in longer and longer parts.
  const parts: Readonly<Record<string, (index: number) => boolean>> = {
    "at the beginning": (index) => index < 19_997,
    "at the end": (index) => index >= 3,
    "in parts": (index) => Math.floor(Math.sqrt(index)) % 2 === 0,
    everywhere: () => true
  }
  it.effect.each(Object.entries(parts))("has its values where they were: nulls %s", ([, isNull]) =>
    Effect.gen(function* () {
      // Of three fields: null, absent, and absent in whole batches alone.
      const records = trades(20_000, (index) => ({
        ...(isNull(index) ? { amount: null, side: null, database_time: null } : {}),
        ...(isNull(index) ? { price: undefined } : { txid: String(index) })
      }))
      for (const rows of TestMode.isLong ? [7, 1_000, Infinity] : [1_000, Infinity]) {
        const { batches } = yield* readBoth(records, 400, { rows })
        let at = 0
        for (const { columns, length } of batches) {
          for (const name of ["amount", "price", "side", "txid", "database_time"]) {
            const column = columns[name]!
            let nulls = 0
            for (let index = 0; index < length; index++) {
              const isExpected = isNull(at + index)
              nulls += Number(isExpected)
              if (column.isNull(index) !== isExpected || (column.at(index) === null) !== isExpected) {
                assert.fail(`${name} of ${at + index}`)
              }
            }
            assert.strictEqual(column.nulls, nulls)
            assert.strictEqual(column.validity === undefined, nulls === 0)
            if (column.type === "double")
              assert.isTrue(column.values.every((value, index) => Number.isNaN(value) === isNull(at + index)))
          }
          at += length
        }
        assert.strictEqual(at, records.length)
      }
    })
  )
})

describe("the times of records", () => {
  it.effect("are what the type of columns says", () =>
    Effect.gen(function* () {
      let series = 0
      for (const operation of Endpoints.all) {
        const { endpoint, path } = operation
        const params = { ...required(path), ...Table.views(operation)[0]!.params }
        const time = Field.allOf(endpoint.record(params as never)).get("time")
        // `Columns.Of` says times of such records alone; of others, times or texts.
        if (time?.kind !== "timestamp" || time.isOptional || time.isNullable) continue
        const { batches } = yield* ColumnsOf.read(endpoint, params, Stream.empty)
        assert.strictEqual(batches[0]!.columns["time"]?.type, "time", path)
        assert.strictEqual(endpoint.order, "series", path)
        series++
      }
      assert.isAbove(series, 20)
    })
  )
})

describe("records that something else reads", () => {
  it.effect("are columns too, where they are lazy", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page(trades(500))])
      let batches = 0
      const records = Timeseries.marketTrades({ markets }, { lazy: Batch.lazy }).pipe(
        Stream.mapArray((some) => {
          if (Batch.of(some) !== undefined) batches++
          return some
        })
      )
      const read = yield* Stream.runCollect(Columns.fromRecords(Timeseries.marketTrades, { markets }, records)).pipe(
        Effect.provide(api.layer())
      )
      assert.deepStrictEqual(
        read.map(({ length }) => length),
        [500]
      )
      assert.isAbove(batches, 0)
    })
  )
})
