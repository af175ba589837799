import { assert, describe, it, layer } from "@effect/vitest"
import { Batch, Bulk, Client, Endpoints } from "@sluice/core"
import { Format } from "@sluice/files"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as fields from "../../../core/src/internal/wire/fields.ts"
import * as LazyDecoder from "../../../core/src/internal/read/LazyDecoder.ts"
import * as RecordDecoder from "../../../core/src/internal/wire/RecordDecoder.ts"
import * as Csv from "../../src/internal/format/Csv.ts"
import * as FileStream from "../../src/internal/format/FileStream.ts"
import type { FileWriter } from "../../src/internal/format/FileWriter.ts"
import * as Ndjson from "../../src/internal/format/Ndjson.ts"
import * as Parquet from "../../src/internal/parquet/Parquet.ts"
import * as ExampleParams from "../../../node/test/ExampleParams.ts"
import { inVirtualTime, settings } from "../../../node/test/Harness.ts"
import * as Draw from "../../../core/test/Draw.ts"

const formats = ["ndjson", "csv", "parquet", "arrow"] as const

/** The bytes of a stream, and how it ended. */
const written = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
  Effect.gen(function* () {
    const chunks: Array<Uint8Array> = []
    const end = yield* Effect.result(Stream.runForEach(bytes, (chunk) => Effect.sync(() => chunks.push(chunk))))
    return { bytes: Buffer.concat(chunks), end: Result.isSuccess(end) ? "whole" : JSON.stringify(end.failure) }
  })

const reads = <A, E>(program: Effect.Effect<A, E, Client.Client>) =>
  Effect.gen(function* () {
    const { url } = yield* Sandbox.Sandbox
    const client = yield* Client.make({ ...settings, root: url, plan: "download", deprecated: "ignore" })
    return yield* inVirtualTime(Effect.provideService(program, Client.Client, client))
  })

/** Most of what is downloaded. */
const usual = ["Timeseries.assetMetrics", "Timeseries.marketTrades", "Timeseries.marketCandles"]

// In `test` these and some of the series, whichever others there are; no catalog has records without lists.
const names = Endpoints.entries
  .filter(({ endpoint }) => TestMode.isLong || endpoint.order === "series")
  .map(({ endpoint, name, section }) => ({ endpoint, name: `${section}.${name}` }))
  .filter(({ name }) => TestMode.isLong || name.length % 3 === 1 || usual.includes(name))

/** An exchange with some of these markets. */
const exchangeOf = (name: string) => (/contract|greeks|implied/i.test(name) ? "deribit" : "kraken")

/** Endpoints of which some records came as batches. */
const asBatches = new Set<string>()

layer(Sandbox.layerMemory())("files without records in between", (it) => {
  it.effect.each(names)("$name: the same bytes as with them, in every format", ({ endpoint, name }) =>
    Effect.gen(function* () {
      // Of the catalogs of markets one exchange: more of their records are read alike.
      const few =
        endpoint.parameters.has("exchange") && endpoint.order !== "series" ? { exchange: exchangeOf(name) } : {}
      const params = { ...few, ...ExampleParams.of(endpoint) }
      // Pages as well as lines, where both are offered; in `test` of those that are usual.
      const hasBoth = endpoint.formats.includes("json_stream") && (TestMode.isLong || usual.includes(name))
      const pages = hasBoth ? [{ format: "json" }] : []
      for (const more of [{}, ...pages]) {
        const part = { index: 0, params: { ...params, ...more } }
        const read = (lazy: boolean) =>
          Stream.mapArray(Bulk.read(endpoint, part, lazy ? { lazy: Batch.lazy } : {}), (some) => {
            if (Batch.of(some) !== undefined) asBatches.add(name)
            return some
          })
        const records = yield* Stream.runCollect(read(false))
        for (const as of formats) {
          const encode = Result.getOrUndefined(yield* Effect.result(Format.encode(endpoint, params, { as })))
          if (encode === undefined) continue
          const expected = yield* written(encode(Stream.fromIterable(records)))
          const seen = yield* written(encode(read(true)))
          assert.isAbove(expected.bytes.length, 0)
          assert.strictEqual(seen.end, expected.end)
          assert.isTrue(seen.bytes.equals(expected.bytes), as)
        }
      }
    }).pipe(reads)
  )

  it.effect("is how most series are written", () =>
    Effect.sync(() => {
      assert.isAtLeast(asBatches.size, TestMode.times(12, 25))
      for (const name of usual) {
        assert.isTrue(asBatches.has(name), name)
      }
    })
  )
})

const Row = Schema.Struct({
  name: fields.id,
  time: fields.id,
  note: fields.text,
  price: fields.decimal,
  number: fields.number,
  count: fields.integer,
  flag: fields.flag
})

const columns: ReadonlyArray<Format.Column> = [
  { name: "time", kind: "timestamp", nullable: false },
  { name: "name", kind: "text", nullable: false },
  { name: "note", kind: "json", nullable: true },
  { name: "price", kind: "decimal", nullable: true },
  { name: "number", kind: "number", nullable: true },
  { name: "never", kind: "text", nullable: true },
  { name: "count", kind: "integer", nullable: true },
  { name: "flag", kind: "boolean", nullable: true },
  { name: "constructor", kind: "text", nullable: true }
]

let draw = Draw.from(1)
const below = (bound: number) => draw.below(bound)
const pick = <A>(of: ReadonlyArray<A>): A => draw.one(of)

const times = [
  "2024-01-01T00:00:00.000000000Z",
  "2024-01-01T23:59:59.999999999Z",
  "2024-01-02T12:34:56.123456789Z",
  "1969-12-31T23:59:59.999999999Z",
  "1970-01-01T00:00:00.000000000Z",
  "1678-01-01T00:00:00.000000001Z",
  "2261-12-31T23:59:59.999999999Z",
  "2016-02-29T01:02:03Z",
  "2024-01-03"
]
const texts = [
  "",
  "btc",
  "a,b",
  ",",
  ",,,,",
  "null",
  " around ",
  "x".repeat(70),
  `${"long,".repeat(300)}`,
  "1",
  "{}[]:"
]
const prices = [
  "1",
  "12.5",
  "0.000000001",
  "12345678901234.567890123",
  "-0",
  "1e3",
  "+1",
  "5e-8",
  "0.3000000000000000",
  null
]
const counts = ["0", "-7", "1234567890123456789", "12.0", "+5", null]

/** A text with a comma or none at any place in it. */
const anyText = () => `${"a".repeat(below(40))}${pick([",", ""])}${"b".repeat(below(20))}`

/** A record that the format can hold; some have keys that no other has, or values that are no batch. */
const row = (isOdd: boolean) => ({
  name: pick(texts),
  time: pick(times),
  ...(below(2) === 0 ? {} : { note: pick([...texts, null, anyText(), anyText(), anyText()]) }),
  ...(below(5) === 0 ? {} : { price: pick(prices) }),
  ...(below(3) === 0 ? { number: pick([0, 1, -1, 0.5, 1e-6, 123456789, null]) } : {}),
  ...(below(3) === 0 ? { flag: pick([true, false, null]) } : {}),
  ...(below(4) === 0 ? {} : { count: pick(counts) }),
  ...(below(9) === 0 ? { other: pick(texts) } : {}),
  ...(isOdd ? { name: pick(['"', "é", "\n", "\\", "😀"]) } : {})
})

/** What a format cannot hold, among what it can. */
const broken = [
  { time: "2300-01-01T00:00:00.000000000Z" },
  { time: "no time" },
  { time: "2024-13-01T00:00:00.000000000Z" },
  { price: "N/A" },
  { price: "1e400" },
  { count: "1.5" }
]

const decoder = RecordDecoder.make(Row)

const lineFeed = 10

/** Blocks of lines as arrays of records, each read when it is pulled. */
const recordsOf = (blocks: ReadonlyArray<Uint8Array>, read: (block: Uint8Array) => ReadonlyArray<unknown>) =>
  Stream.flatMap(Stream.fromIterable(blocks), (block) =>
    // Each block is read in memory that the next one uses again, as the blocks of a reply are.
    Stream.suspend(() => Stream.fromArray(read(block)))
  )

const parse = (block: Uint8Array) =>
  new TextDecoder()
    .decode(block)
    .split("\n")
    .map((line): unknown => JSON.parse(line))

/** The lines of so many records, whose texts are shorter than `length`. */
const block = (rows: number, length: number) => (_: unknown, index: number) =>
  new TextEncoder().encode(
    Array.from({ length: rows }, (_, row) =>
      JSON.stringify({
        name: `n${(index * row) % 7}`,
        time: times[(index + row) % 6],
        note: row % 5 === 0 ? null : "x".repeat((index + row) % length),
        ...(index % 3 === 0 && row % 2 === 0 ? { number: row, flag: true } : {})
      })
    ).join("\n")
  )

describe("a writer gives the same bytes for a batch as for its records", () => {
  const writers: Readonly<Record<string, () => FileWriter>> = {
    ndjson: Ndjson.make,
    csv: Csv.make(columns),
    "csv of one column": Csv.make(columns.filter(({ name }) => name === "note")),
    // Far more bytes than the records have.
    "csv of columns that records lack": Csv.make([
      ...columns,
      ...Array.from({ length: 2_000 }, (_, index) => ({ ...columns[5]!, name: `never${index}` }))
    ]),
    parquet: Parquet.make(columns, {}),
    "parquet with numbers as text": Parquet.make(columns, { numbers: "text" }),
    "parquet with decimals": Parquet.make(columns, { decimal: { precision: 38, scale: 9 } })
  }
  for (const [format, begin] of Object.entries(writers)) {
    it.effect(`as ${format}`, () =>
      Effect.gen(function* () {
        let batches = 0
        const isWide = format.includes("lack")
        const runs = isWide ? TestMode.times(2, 6) : TestMode.times(6, 50)
        // Of rows with 2,000 columns a few are longer than all that is written at once.
        const most = isWide ? TestMode.times(80, 300) : TestMode.times(150, 300)
        for (let run = 0; run < runs; run++) {
          draw = Draw.from(TestMode.firstSeed + run)
          const bad = run % 3 === 2 ? { at: below(6), record: { ...row(false), ...pick(broken) } } : undefined
          const blocks = Array.from({ length: 6 }, (_, block) => {
            const isOdd = below(6) === 0
            const rows = Array.from({ length: 1 + below(most) }, () => row(isOdd && below(20) === 0))
            const all = bad?.at === block ? [...rows, bad.record, ...rows] : rows
            return new TextEncoder().encode(all.map((record) => JSON.stringify(record)).join("\n"))
          })
          const lazy = LazyDecoder.make(decoder)
          const memory = new Uint8Array(1_000_000)
          const readLazily = (block: Uint8Array) => {
            memory.set(block)
            const records = lazy.decoder.read(memory, 0, block.length, lineFeed)
            if (records !== undefined && Batch.of(records) !== undefined) batches++
            return records ?? parse(block)
          }
          const expected = yield* written(FileStream.make(begin(), recordsOf(blocks, parse)))
          const seen = yield* written(FileStream.make(begin(), recordsOf(blocks, readLazily)))
          assert.strictEqual(seen.end, expected.end)
          assert.isTrue(seen.bytes.equals(expected.bytes))
        }
        assert.isAbove(batches, runs)
      })
    )
  }

  it.effect("as parquet, whatever row group ends in the middle of a batch", () =>
    Effect.gen(function* () {
      const begin = Parquet.make(columns, {})
      // By bytes, and of many short records by rows.
      const blocks = [
        ...Array.from({ length: TestMode.times(20, 90) }, block(300, 400)),
        ...Array.from({ length: TestMode.times(0, 220) }, block(1_000, 3))
      ]
      const lazy = LazyDecoder.make(decoder)
      const readLazily = (block: Uint8Array) => {
        const records = lazy.decoder.read(block, 0, block.length, lineFeed)
        assert.isDefined(records && Batch.of(records))
        return records ?? []
      }
      const expected = yield* written(FileStream.make(begin(), recordsOf(blocks, parse)))
      const seen = yield* written(FileStream.make(begin(), recordsOf(blocks, readLazily)))
      assert.isTrue(seen.bytes.equals(expected.bytes))
    })
  )
})
