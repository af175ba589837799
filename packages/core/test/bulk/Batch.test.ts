import { assert, describe, it } from "@effect/vitest"
import { Batch } from "@sluice/core"
import * as Schema from "effect/Schema"
import * as fields from "../../src/internal/wire/fields.ts"
import * as LazyDecoder from "../../src/internal/read/LazyDecoder.ts"
import * as Changes from "../../src/internal/wire/Changes.ts"
import * as KnownLayouts from "../../src/internal/wire/KnownLayouts.ts"
import * as RecordDecoder from "../../src/internal/wire/RecordDecoder.ts"
import { assertSame } from "../Same.ts"
import * as TestMode from "../TestMode.ts"
import * as Draw from "../Draw.ts"

const Metrics = Schema.Struct({
  asset: fields.id,
  time: fields.id,
  PriceUSD: fields.decimal,
  TxCnt: fields.decimal,
  count: fields.number,
  flag: fields.flag
})

const decoder = RecordDecoder.make(Metrics)

const [comma, lineFeed] = [44, 10]

const readTexts = (
  lazy: LazyDecoder.LazyDecoder<unknown>,
  texts: ReadonlyArray<string>,
  between: number = lineFeed
): ReadonlyArray<unknown> | undefined => {
  const bytes = new TextEncoder().encode(`[${texts.join(String.fromCharCode(between))}]`)
  return lazy.decoder.read(bytes, 1, bytes.length - 1, between)
}

const recordOf = (length: number) => `{"asset":"btc","time":"${"t".repeat(length - 25)}"}`

const records = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    asset: index < count / 2 ? "btc" : "coinbase-btc-usd-spot",
    time: `2024-01-01T00:00:00.${String(index).padStart(9, "0")}Z`,
    PriceUSD: index % 7 === 0 ? null : `${index}.000000000000001`,
    ...(index % 5 === 0 ? {} : { TxCnt: `${index}` }),
    count: index / 8,
    flag: index % 2 === 0
  }))

const sound = records(40).map((record) => JSON.stringify(record))

/** The texts of the records of a batch. */
const textsOf = ({ bytes, runs }: Batch.Batch) =>
  runs.flatMap(({ count, first, keys, offsets }) =>
    Array.from({ length: count }, (_, index) => {
      const place = first + index * (2 * keys.length + 2)
      return new TextDecoder().decode(bytes.subarray(offsets[place], offsets[place + 2 * keys.length + 1]))
    })
  )

/** Records whose text is not the one that `JSON.stringify` writes, or that have no layout. */
const unusual = [
  `{"asset":"btc", "time":"t"}`,
  `{ "asset":"btc","time":"t"}`,
  `{"asset":"btc","time":"t" }`,
  `{"asset":"b\\u0074c","time":"t"}`,
  `{"asset":"é","time":"t"}`,
  `{"asset":"btc","time":"t","asset":"eth"}`,
  `{"asset":"btc","time":"t","1":"x"}`,
  `{"asset":"btc","time":"t","__proto__":null}`,
  `{"asset":"btc","time":"t","other":[1]}`,
  ...["1.0", "1.50", "-0", "0.0000001", "1e3", "1E3", "1.5e1", "12345678901234567890", "0.12345678901234567"].map(
    (number) => `{"asset":"btc","time":"t","count":${number}}`
  )
]

const invalid = [
  `{"asset":"btc"}`,
  `{"asset":1,"time":"t"}`,
  `{"asset":"btc","time":"t","flag":"true"}`,
  `{"asset":"btc","time":"t","count":01}`,
  `{"asset":"btc","time":"t","count":-}`,
  `{"asset":"btc","time":"t","count":1.}`,
  `{"asset":"btc","time":"t","flag":nul}`,
  `{"asset":"btc","time":"\t"}`,
  `{"asset":"btc","time":"t"`,
  `{"asset":"btc","time":"t"}}`,
  `{"asset":"btc","time":"t`,
  `{"error":{"type":"x"}}`,
  ``,
  `[]`
]

describe("a batch", () => {
  for (const between of [comma, lineFeed]) {
    it(`has the records and the texts of what was received, between ${between === comma ? "commas" : "line feeds"}`, () => {
      const lazy = LazyDecoder.make(decoder)
      for (let time = 0; time < 2; time++) {
        const seen = readTexts(lazy, sound, between) ?? []
        const batch = Batch.of(seen)
        assert.isDefined(batch)
        assert.deepStrictEqual(textsOf(batch), sound)
        assert.strictEqual(batch.length, 40)
        assert.strictEqual(batch.bytes[batch.to], lineFeed)
        assert.deepStrictEqual([...seen], records(40))
        assert.deepStrictEqual(
          seen.map((record) => JSON.stringify(record)),
          sound
        )
      }
    })
  }

  it("is an array like any other", () => {
    const lazy = LazyDecoder.make(decoder)
    const fresh = () => readTexts(lazy, sound) ?? []
    const all = records(40)
    assert.isTrue(Array.isArray(fresh()))
    assert.deepStrictEqual(fresh().at(-1), all.at(-1))
    assert.deepStrictEqual(fresh().slice(3, 5), all.slice(3, 5))
    assert.deepStrictEqual(
      fresh().filter((_, index) => index > 30),
      all.slice(31)
    )
    assert.deepStrictEqual(Object.keys(fresh()), Object.keys(all))
    assert.strictEqual(JSON.stringify(fresh()), JSON.stringify(all))
    assert.isUndefined(fresh()[40])
    assert.isUndefined(fresh()[-1])
    assert.isTrue(39 in fresh())
    assert.isFalse(40 in fresh())
    const some = fresh()
    assert.strictEqual(some[5], some[5])
  })

  for (const text of [...unusual, ...invalid]) {
    it(`is not made where a record is ${text}`, () => {
      const lazy = LazyDecoder.make(decoder)
      assert.isDefined(Batch.of(readTexts(lazy, sound) ?? []))
      const seen = readTexts(lazy, [...sound.slice(0, 20), text, ...sound.slice(20)])
      assert.isUndefined(Batch.of(seen ?? []))
      if (invalid.includes(text)) assert.isUndefined(seen)
    })
  }

  it("ends when more is read, and none of its records is read after that", () => {
    const lazy = LazyDecoder.make(decoder)
    const seen = readTexts(lazy, sound) ?? []
    const [first] = seen
    lazy.expire()
    assert.isUndefined(Batch.of(seen))
    assert.strictEqual(seen[0], first)
    assert.throws(() => seen[1], /after more records had been asked for/)
  })

  it("ends when its stream does, and the reader serves the next stream", () => {
    const lazy = LazyDecoder.make(decoder)
    const seen = readTexts(lazy, sound) ?? []
    lazy.release()
    assert.isUndefined(Batch.of(seen))
    assert.throws(() => seen[1], /after more records had been asked for/)
    const next = LazyDecoder.make(decoder)
    const other = LazyDecoder.make(decoder)
    const texts = sound.slice(20)
    const [own, others] = [readTexts(next, texts) ?? [], readTexts(other, sound) ?? []]
    assert.deepStrictEqual([...own], records(40).slice(20))
    assert.deepStrictEqual([...others], records(40))
  })

  it("has more layouts than a reader remembers", () => {
    const lazy = LazyDecoder.make(decoder)
    const texts = Array.from(
      { length: 3 * KnownLayouts.most },
      (_, index) => `{"asset":"btc","time":"t","other${index % (2 * KnownLayouts.most)}":${index}}`
    )
    const batch = Batch.of(readTexts(lazy, texts) ?? [])
    assert.isDefined(batch)
    assert.deepStrictEqual(textsOf(batch), texts)
  })

  it("is not made of more bytes than the memory of a reader holds", () => {
    const lazy = LazyDecoder.make(decoder)
    const longest = recordOf(131_072)
    assert.strictEqual(longest.length, 131_072)
    assert.isDefined(Batch.of(readTexts(lazy, [longest]) ?? []))
    assert.isUndefined(Batch.of(readTexts(lazy, [recordOf(131_073)]) ?? []))
    const shortest = Schema.Struct({ "": Schema.Finite })
    const many = LazyDecoder.make(RecordDecoder.make(shortest))
    const texts = Array.from({ length: 131_072 / 7 }, () => `{"":1}`)
    const batch = Batch.of(readTexts(many, texts) ?? [])
    assert.isDefined(batch)
    assert.deepStrictEqual(textsOf(batch), texts)
  })

  it("knows where a value changes without building the records between", () => {
    const lazy = LazyDecoder.make(decoder)
    const all = records(40)
    const changed = (key: string) => Changes.changes(readTexts(lazy, sound) ?? [], key)
    assert.deepStrictEqual(changed("asset"), [all[0], all[20]])
    assert.strictEqual(changed("time").length, 40)
    assert.strictEqual(changed("TxCnt").length, 40)
    assert.deepStrictEqual(changed("none"), [all[0]])
    assert.deepStrictEqual(Changes.changes(all, "asset"), all)
  })

  it("is the same as parsing, whatever byte is changed", () => {
    const lazy = LazyDecoder.make(decoder)
    const { below } = Draw.from(7)
    const alphabet = '{}[]",:\\0123456789.-eEntfu \t\r\né\u0000\u007F'
    const source = records(4).map((record) => JSON.stringify(record))
    let batches = 0
    for (let run = 0; run < TestMode.times(5_000, 400_000); run++) {
      const text = source.join("\n")
      const at = below(text.length)
      const edit = below(3)
      const changed =
        text.slice(0, at) + (edit === 0 ? "" : alphabet[below(alphabet.length)]) + text.slice(edit === 1 ? at : at + 1)
      const bytes = new TextEncoder().encode(changed)
      const seen = lazy.decoder.read(bytes, 0, bytes.length, lineFeed)
      const batch = seen && Batch.of(seen)
      if (seen === undefined || batch === undefined) {
        // After what is no batch a few runs are not tried.
        while (Batch.of(readTexts(lazy, source) ?? []) === undefined);
        continue
      }
      batches++
      const lines = changed.split("\n")
      const expected = lines.map((line): unknown => JSON.parse(line))
      assert.isTrue(Schema.is(Schema.Array(Metrics))(expected), changed)
      assert.strictEqual(lines.join("\n"), expected.map((record) => JSON.stringify(record)).join("\n"))
      assertSame([...seen], expected)
    }
    assert.isAbove(batches, 2_000)
  })
})
