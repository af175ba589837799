import { assert, describe, it } from "@effect/vitest"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as ColumnBatch from "@sluice/core/internal/columns/ColumnBatch"
import * as NumberText from "@sluice/core/internal/columns/NumberText"
import * as Draw from "../../../core/test/Draw.ts"

const batches = ColumnBatch.make()

/** What the module writes for texts of one column, and how many it wrote before one that it leaves to JavaScript. */
const written = (kind: ColumnBatch.WordKind, texts: ReadonlyArray<string>) => {
  const values = texts.map((text) => JSON.stringify(text))
  const bytes = new TextEncoder().encode(values.map((value) => `{"a":${value}}`).join(","))
  let at = 0
  const offsets = values.flatMap((value) => {
    const start = at
    const end = start + value.length + 6
    at = end + 1
    return [start, start + 5, end - 1, end]
  })
  const run = { keys: ["a"], count: values.length, offsets: Int32Array.from(offsets), first: 0 }
  batches.load({ bytes, from: 0, to: bytes.length, length: values.length, runs: [run] })
  batches.loadRun(run)
  const { bytes: result, records } = batches.words(kind, { key: 0, nullable: true }, 0, values.length)
  return { records, bits: [...new BigUint64Array(Uint8Array.from(result).buffer)] }
}

const bitsOf = (value: number) => new BigUint64Array(Float64Array.of(value).buffer)[0]!

const { below } = Draw.from(7)
const digits = (count: number) => Array.from({ length: count }, () => below(10)).join("")

/** Decimals of all lengths, and those next to half-way between two doubles. */
const drawn = (): string => {
  const sign = below(4) === 0 ? "-" : ""
  switch (below(4)) {
    case 0:
      return `${sign}${digits(1 + below(25))}`
    case 1:
      return `${sign}${digits(below(12))}.${digits(1 + below(25))}`
    case 2:
      return `${sign}0.${"0".repeat(below(30))}${digits(1 + below(22))}`
    default: {
      const half = (2n ** 53n + BigInt(below(2 ** 31))) * 2n + 1n
      const moved = half * 10n ** BigInt(below(4)) + BigInt(below(3) - 1)
      return `${sign}${moved << BigInt(below(8))}`
    }
  }
}

describe("a column of doubles", () => {
  it("has the double that JavaScript reads, to the last bit", () => {
    let read = 0
    const all = TestMode.times(20_000, 1_000_000)
    for (let from = 0; from < all; from += 1_000) {
      const texts = Array.from({ length: 1_000 }, drawn)
      for (let at = 0; at < texts.length; at++) {
        const { bits, records } = written("double", texts.slice(at))
        for (let index = 0; index < records; index++) {
          const text = texts[at + index]!
          if (bits[index] !== bitsOf(Number(text))) assert.strictEqual(bits[index], bitsOf(Number(text)), text)
        }
        read += records
        // The next one is for JavaScript.
        at += records
      }
    }
    assert.isAbove(read, all * 0.99)
  })

  it.each([
    "0",
    "-0",
    "0.000",
    "00012.500",
    "7.",
    ".5",
    "9007199254740993",
    "10449.354354068401236",
    "123456789012345678901234567890",
    "0.000000000000000000000000000000123456789012345678901",
    "4.35",
    "179769313486231570000000000000000000000000000000000000"
  ])("%s is read many at a time", (text) => {
    assert.deepStrictEqual(written("double", [text]), { records: 1, bits: [bitsOf(Number(text))] })
  })

  it.each(["", "-", ".", "1e3", "+1", "1.2.3", "N/A", "1 ", " 1", "--1", "0x10", "1,5", "9".repeat(100), "NaN"])(
    "%s is left to JavaScript",
    (text) => {
      assert.strictEqual(written("double", ["1", text, "2"]).records, 1)
    }
  )

  it("holds what is a finite number, and nothing else", () => {
    assert.strictEqual(NumberText.toDouble("1e3"), 1_000)
    assert.strictEqual(NumberText.toDouble("+.5"), 0.5)
    assert.strictEqual(NumberText.toDouble(1.5), 1.5)
    assert.strictEqual(NumberText.toDouble("9".repeat(308)), 1e308)
    const refused = ["", "N/A", "NaN", "Infinity", "1e309", "9".repeat(309), "1e400", "0x10", "1 ", true, {}, Infinity]
    for (const value of refused) assert.isUndefined(NumberText.toDouble(value), String(value))
  })
})

describe("a column of 64-bit integers", () => {
  it.each(["0", "-0", "7", "-12", "000123", "999999999999999999", "-999999999999999999"])(
    "%s is read many at a time",
    (text) => {
      assert.deepStrictEqual(written("integer", [text]), { records: 1, bits: [BigInt.asUintN(64, BigInt(text))] })
    }
  )

  it.each(["", "-", "1.5", "1e3", "N/A", "9223372036854775807", "+1", " 1"])("%s is left to JavaScript", (text) => {
    assert.strictEqual(written("integer", ["1", text, "2"]).records, 1)
  })

  it("holds what fits, and nothing else", () => {
    assert.strictEqual(NumberText.toInt64("9223372036854775807"), 2n ** 63n - 1n)
    assert.strictEqual(NumberText.toInt64("-9223372036854775808"), -(2n ** 63n))
    assert.strictEqual(NumberText.toInt64("+12.000"), 12n)
    const refused = ["9223372036854775808", "-9223372036854775809", "", "1.5", "N/A", "1e3", "9".repeat(5_000), 7, true]
    for (const value of refused) assert.isUndefined(NumberText.toInt64(value), String(value))
  })
})

describe("a column of times", () => {
  it.each(["2262-01-05", "1677-12-31", "2024-02-30", "9999-12-31", "2024-13-01", "20x4-01-01"])(
    "is not changed by a day that it refuses: %s",
    (refused) => {
      const time = "2024-01-31T12:00:00.000000000Z"
      const expected = { records: 1, bits: [BigInt(Date.parse(time)) * 1_000_000n] }
      assert.deepStrictEqual(written("time", [time]), expected)
      assert.deepStrictEqual(written("time", [`${refused}T12:00:00.000000000Z`]), { records: 0, bits: [] })
      assert.deepStrictEqual(written("time", [time]), expected)
    }
  )
})
