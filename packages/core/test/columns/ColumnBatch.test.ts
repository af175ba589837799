import { assert, describe, it } from "@effect/vitest"
import { Batch, Timeseries } from "@sluice/core"
import type * as Schema from "effect/Schema"
import * as ColumnBatch from "../../src/internal/columns/ColumnBatch.ts"
import * as LazyDecoder from "../../src/internal/read/LazyDecoder.ts"
import * as RecordDecoder from "../../src/internal/wire/RecordDecoder.ts"

const { decoder } = LazyDecoder.make(
  // Type boundary: records of endpoints need no services.
  RecordDecoder.make(Timeseries.marketTrades.record() as Schema.Codec<unknown>)
)

const sides = ["buy", "sell", null]

const count = 30

const line = (index: number) =>
  JSON.stringify({
    market: index % 2 === 0 ? "abcd" : "abc",
    time: `2024-01-01T00:00:00.${String(index).padStart(9, "0")}Z`,
    coin_metrics_id: String(index),
    price: index % 3 === 2 ? null : `${index}.5`,
    side: sides[index % 3],
    block_height: String(index)
  })

const bytes = new TextEncoder().encode(Array.from({ length: count }, (_, index) => line(index)).join("\n"))

const column = (key: number) => ({ key, nullable: true })

/** The columns of a run of records as usual are written with one call each, and do not rely on JavaScript to go on. */
describe("a batch of records as usual", () => {
  const batch = Batch.of(decoder.read(bytes, 0, bytes.length, 10) ?? [])!
  const [run] = batch.runs
  const written = ColumnBatch.make()
  written.load(batch)
  written.loadRun(run!)
  const from = 3
  const all = count - from

  it.each([
    ["time", 1, 0, (index: number) => 1_704_067_200_000_000_000n + BigInt(index)],
    ["integer", 5, 0, (index: number) => BigInt(index)]
  ] as const)("is written as words of 64 bits: %s", (kind, key, nulls, expected) => {
    const { bytes, ...rest } = written.words(kind, column(key), from, count)
    assert.deepStrictEqual(rest, { records: all, nulls })
    assert.deepStrictEqual(
      [...new BigInt64Array(bytes.slice().buffer)],
      Array.from({ length: all }, (_, index) => expected(from + index))
    )
  })

  it("is written as doubles, of which null is NaN", () => {
    const { bytes, ...rest } = written.words("double", column(3), from, count)
    assert.deepStrictEqual(rest, { records: all, nulls: 9 })
    assert.deepStrictEqual(
      [...new Float64Array(bytes.slice().buffer)],
      Array.from({ length: all }, (_, index) => ((from + index) % 3 === 2 ? Number.NaN : from + index + 0.5))
    )
  })

  it.each([
    [false, ""],
    [true, '"']
  ] as const)("is written as texts, one behind the other: as JSON %s", (isJson, quote) => {
    const { bytes, ends, ...rest } = written.texts(isJson, column(4), from, count, 7)
    assert.deepStrictEqual(rest, { records: all, nulls: 9 })
    const texts = Array.from({ length: all }, (_, index) => sides[(from + index) % 3] ?? "")
    const quoted = texts.map((text) => (text === "" ? "" : `${quote}${text}${quote}`))
    assert.strictEqual(new TextDecoder().decode(bytes), quoted.join(""))
    assert.deepStrictEqual(
      [...new Int32Array(ends.slice().buffer)],
      quoted.map((_, index) => 7 + quoted.slice(0, index + 1).join("").length)
    )
  })

  it("is written as codes of known words, of which null is 0, up to a word that is not known", () => {
    const words = ["other", "sell", "buy"].map((word, index) => [new TextEncoder().encode(word), 5 + index] as const)
    const { bytes, ...rest } = written.codes(ColumnBatch.wordList(words), column(4), from, count)
    assert.deepStrictEqual(rest, { records: all, nulls: 9 })
    assert.deepStrictEqual(
      [...new Int32Array(bytes.slice().buffer)],
      Array.from({ length: all }, (_, index) => [7, 6, 0][(from + index) % 3])
    )
    assert.strictEqual(written.codes(ColumnBatch.wordList(words.slice(2)), column(4), from, count).records, 1)
    const markets = ["abcd", "abc"].map((word, index) => [new TextEncoder().encode(word), index] as const)
    const codes = written.codes(ColumnBatch.wordList(markets), column(0), 0, count).bytes
    assert.deepStrictEqual(
      [...new Int32Array(codes.slice().buffer)],
      Array.from({ length: count }, (_, index) => index % 2)
    )
  })

  it("stops at a null where there may be none", () => {
    const required = { key: 4, nullable: false }
    assert.strictEqual(written.words("double", { key: 3, nullable: false }, 0, count).records, 2)
    assert.strictEqual(written.texts(false, required, 0, count, 0).records, 2)
    const words = ["buy", "sell"].map((word, index) => [new TextEncoder().encode(word), index] as const)
    assert.strictEqual(written.codes(ColumnBatch.wordList(words), required, 0, count).records, 2)
  })
})
