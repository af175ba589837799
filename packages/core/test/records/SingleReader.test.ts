import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fields from "../../src/internal/wire/fields.ts"
import * as RecordReader from "../../src/internal/wire/RecordReader.ts"

const Trade = Schema.Struct({ market: fields.id, time: fields.id, price: fields.decimal, count: fields.number })

const isTrade = Schema.is(Trade)

const lineFeed = 10

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const bytes = (text: string) => new TextEncoder().encode(text)

const text = '{"market":"a-btc","time":"2026-01-01T00:00:00.000000000Z","price":"1.5","count":12}'

/** A reader that has read this record. */
const after = (learned: string) => {
  const reader = RecordReader.make(Trade, isTrade)
  const run = bytes(learned)
  assert.strictEqual(reader.read(run, 0, run.length, lineFeed)?.length, 1)
  return reader.readOne
}

/** What parsing and checking gives. */
const parsed = (given: Uint8Array) =>
  Result.getOrUndefined(
    Result.filterOrFail(
      Result.try((): unknown => JSON.parse(strict.decode(given))),
      isTrade,
      () => "no trade"
    )
  )

/** Characters with a meaning in JSON or UTF-8, and some without. */
const codes = [0, 9, 10, 32, 34, 44, 45, 46, 48, 57, 58, 65, 91, 92, 93, 101, 110, 123, 125, 127, 128, 195, 226, 255]

describe("A record that comes alone", () => {
  it("is that of JSON.parse, or left, whatever each byte of it is", () => {
    const readOne = after(text)
    const sound = bytes(text)
    let read = 0
    for (let at = 0; at < sound.length; at++) {
      for (const code of codes) {
        const given = sound.with(at, code)
        const seen = readOne(given)
        if (seen === undefined) continue
        assert.deepStrictEqual(seen, parsed(given), strict.decode(given))
        read += 1
      }
      assert.isUndefined(readOne(sound.subarray(0, at)))
    }
    assert.isAbove(read, 500)
    assert.deepStrictEqual(readOne(sound), parsed(sound))
  })

  it("is left where there is more than it, and where its layout is another one or not known", () => {
    const readOne = after(text)
    for (const more of [text, "}", "1", `\n${text}`, `,${text}`, "\0", "\n"])
      assert.isUndefined(readOne(bytes(text + more)))
    assert.isUndefined(readOne(bytes(text.replace(',"count":12', ""))))
    assert.isUndefined(readOne(bytes(text.replace(":12}", ":true}"))))
    assert.isUndefined(readOne(bytes(text.replace(":12}", ":12345678901234567890}"))))
    assert.isUndefined(RecordReader.make(Trade, isTrade).readOne(bytes(text)))
  })

  it("has text outside ASCII and escapes as JSON.parse does, and shares nothing with the one before", () => {
    const readOne = after(text)
    for (const market of ["café", "日本", "😀-usd", 'a\\"b', "\\u00e9", "x".repeat(3_000), "é".repeat(2_000)]) {
      const given = bytes(text.replace("a-btc", market))
      const [first, second] = [readOne(given), readOne(given)]
      assert.deepStrictEqual(first, parsed(given))
      assert.deepStrictEqual(second, first)
      assert.notStrictEqual(second, first)
    }
  })
})
