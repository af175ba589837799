import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as fields from "../../src/internal/wire/fields.ts"
import * as RecordReader from "../../src/internal/wire/RecordReader.ts"
import * as Target from "../fuzz/Target.ts"
import { assertSame } from "../Same.ts"
import * as TestMode from "../TestMode.ts"

const Metrics = Schema.Struct({
  asset: fields.id,
  time: fields.id,
  PriceUSD: fields.decimal,
  TxCnt: fields.decimal,
  count: fields.number,
  flag: fields.flag
})

const make = (schema: Schema.Codec<unknown> = Metrics) => RecordReader.make(schema, Schema.is(schema)).read

const [comma, lineFeed] = [44, 10]

/** Reads texts of records as the list of a page has them. */
const readTexts = (read: RecordReader.Read, texts: ReadonlyArray<string>, between = comma) => {
  const bytes = new TextEncoder().encode(`[${texts.join(String.fromCharCode(between))}]`)
  return read(bytes, 1, bytes.length - 1, between)
}

const records = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    asset: index < count / 2 ? "btc" : "a-long-name-of-an-asset",
    time: `2024-01-01T00:00:00.${String(index).padStart(9, "0")}Z`,
    PriceUSD: index % 7 === 0 ? null : `${index}.000000000000001`,
    TxCnt: `${index}`
  }))

const write = (rows: ReadonlyArray<unknown>) => rows.map((row) => JSON.stringify(row))

/** What is read in place of some records. */
const assertRead = (texts: ReadonlyArray<string>, between = comma, read = make()) => {
  for (let time = 0; time < 2; time++) {
    const seen = readTexts(read, texts, between)
    const expected = texts.map((text): unknown => JSON.parse(text))
    assertSame(seen, expected)
    assert.strictEqual(JSON.stringify(seen), JSON.stringify(expected))
    for (const record of seen ?? []) assert.strictEqual(Object.getPrototypeOf(record), Object.prototype)
  }
}

const assertLeft = (texts: ReadonlyArray<string>, between = comma) => {
  const read = make()
  assert.isDefined(readTexts(read, write(records(200)), between))
  assert.isUndefined(readTexts(read, texts, between))
}

const sound = write(records(40))
/** Sound records with another in their midst. */
const among = (text: string) => [...sound.slice(0, 20), text, ...sound.slice(20)]

/** Whether a record is ASCII without escapes. */
const isPlain = (text: string) => /^[ -[\]-~]*$/.test(text)

/** Whether a record holds no list or object. */
const isFlat = (text: string) => text.lastIndexOf("{") === 0 && !text.includes("[")

/** Whether a byte means something in JSON. */
const isMeant = (code = 0) => '{}[]",:-.'.includes(String.fromCharCode(code))

/** Where a text is cut: beside each byte with a meaning, and at some places in names and values; in a long run anywhere. */
const isCut = (bytes: Uint8Array, at: number) =>
  TestMode.isLong || at % 32 === 0 || isMeant(bytes[at]) || isMeant(bytes[at - 1])

const first = `"asset":"btc","time":"t"`

const Book = Schema.Struct({
  market: fields.id,
  asks: fields.many(Schema.Struct({ price: fields.decimal, size: fields.decimal })),
  words: fields.texts,
  deep: fields.many(Schema.Struct({ name: fields.text, sizes: fields.many(Schema.Struct({ size: fields.number })) })),
  about: Schema.optionalKey(Schema.Struct({ flag: fields.flag, at: fields.timestamp }))
})

const book = (index: number) => ({
  market: index % 5 === 0 ? "kraken" : "coinbase",
  asks: Array.from({ length: index % 4 }, (_, level) => ({
    price: `${index}.${level}`,
    size: level === 2 ? null : "1"
  })),
  words: Array.from({ length: 1 + (index % 3) }, (_, word) => `w${word}`),
  deep: [
    { name: "a", sizes: [{ size: 1 }, { size: index }] },
    { name: null, sizes: [] },
    { name: "c", sizes: [{ size: -0.5 }] }
  ],
  about: { flag: index % 2 === 0, at: "2024-01-01" }
})

const books = (count: number) => write(Array.from({ length: count }, (_, index) => book(index)))

describe("a first value that repeats", () => {
  it.each([
    ["null", null],
    ["a number", 7]
  ])("is read behind %s", (_, other) => {
    const record = Schema.Struct({
      side: Schema.NullOr(Schema.Union([Schema.String, Schema.Finite])),
      id: Schema.String
    })
    const sides = ["buy", "buy", other, "buy", "buy", "sell", other, "sell"]
    assertRead(write(sides.map((side, index) => ({ side, id: `${index}` }))), lineFeed, make(record))
  })
})

describe("RecordReader", () => {
  it("reads the list of a page, and lines", () => {
    assertRead(write(records(300)))
    assertRead(write(records(300)), lineFeed)
  })

  it("reads records that are longer than the text decoded at a time", () => {
    assertRead(among(`{${first},"PriceUSD":"${"1".repeat(9_000)}","TxCnt":"1"}`))
    assertRead(write(records(20).map((record) => ({ ...record, TxCnt: "long ".repeat(500) }))))
  })

  it("leaves a run that is longer than its memory to be parsed", () => {
    assertLeft(write(records(20).map((record) => ({ ...record, TxCnt: "long ".repeat(2_000) }))))
  })

  it("reads nothing where WebAssembly is forbidden", () => {
    const module = Object.getOwnPropertyDescriptor(WebAssembly, "Module")!
    Object.defineProperty(WebAssembly, "Module", { configurable: true, value: undefined })
    try {
      assert.isUndefined(readTexts(make(), write(records(40))))
    } finally {
      Object.defineProperty(WebAssembly, "Module", module)
    }
    assert.isDefined(readTexts(make(), write(records(40))))
  })

  it("reads layouts in turns: absent keys, nulls, another order, blanks", () => {
    const layouts = [
      (index: number) => `{${first},"PriceUSD":"${index}"}`,
      (index: number) => `{${first},"TxCnt":"${index}"}`,
      (index: number) => `{"time":"t${index}","asset":"a"}`,
      (index: number) => `{ "asset": "b", "time": "${index}", "TxCnt": null }`,
      (index: number) => `{${first},"unknown":"${index}"}`,
      (index: number) => ` {${first},"unknown":null,"other":${index}} `
    ]
    assertRead(Array.from({ length: 200 }, (_, index) => layouts[index % layouts.length]!(index)))
  })

  it("reads numbers as they are, and those a double cannot hold as their text", () => {
    const numbers = ["0", "-0", "7", "-1.5", "123456789012345", "0.1", "0.00000000000001", "1e3", "-2E-2", "100.500"]
    assertRead(numbers.map((number) => `{${first},"count":${number}}`))
    const read = make()
    const long = ["9007199254740993", "0.12345678901234567890", "1e999"]
    const texts = ["1", "2", ...long].map((number) => `{${first},"count":${number}}`)
    const seen = readTexts(read, [...sound, ...texts]) as ReadonlyArray<{ readonly count: unknown }>
    assert.deepStrictEqual(
      seen.slice(sound.length).map(({ count }) => count),
      [1, 2, ...long]
    )
  })

  it("reads true and false", () => {
    assertRead([true, false, true, null].map((flag) => `{${first},"flag":${flag}}`))
  })

  it("parses a record that is unlike the others, and no more than that", () => {
    for (const value of ['"\\u0041"', '"Ξ→₿ 🌊"', '"a\\"b"', '"\u007f"']) {
      assertRead(among(`{${first},"PriceUSD":${value},"TxCnt":"1"}`))
    }
    assertRead(among(`{${first},"nested":[{"a":"},{"}],"deeper":{"a":{"b":[]}}}`))
    assertRead(among(`{${first},"PriceUSD":"1","PriceUSD":"2"}`))
    assertRead(among(`{${first},"10":"b","9":"a"}`))
    assertRead(among(`{${first},"constructor":"b","toString":"a"}`))
  })

  it("looks at every byte of a text, whatever stands beside it", () => {
    for (const [index] of [..."0123456789"].entries()) {
      const read = make()
      for (let code = 0; code < 256; code++) {
        // A character without a meaning of its own is tried at each tenth place, another one each time.
        const isMeant = code < 37 || code === 92 || (code > 125 && code < 130) || code === 255
        if (!TestMode.isLong && !isMeant && (code + index) % 10 > 0) continue
        const value = [..."0123456789"].with(index, String.fromCharCode(code)).join("")
        const text = `{${first},"PriceUSD":"${value}","TxCnt":"1"}`
        const isJson = code > 31 && !['"', "\\"].includes(String.fromCharCode(code))
        if (isJson) assertRead(among(text), comma, read)
        else assertLeft(among(text))
      }
    }
  })

  it("reads nested lists and objects, with blanks or without", () => {
    for (const between of [comma, lineFeed]) {
      const read = make(Book)
      for (let run = 0; run < 3; run++) {
        for (const texts of [books(40), books(40).map((text) => text.replaceAll(/[,:[\]{}]/g, " $& ").trim())]) {
          const seen = readTexts(read, texts, between)
          const expected = texts.map((text): unknown => JSON.parse(text))
          assert.deepStrictEqual(seen, expected)
          assert.strictEqual(JSON.stringify(seen), JSON.stringify(expected))
        }
      }
    }
  })

  it("gives each record and each item lists and objects of its own", () => {
    const read = make(Book)
    readTexts(read, books(40))
    // Type boundary: a test of these records.
    const seen = readTexts(read, Array(3).fill(books(1)[0])) as unknown as ReadonlyArray<ReturnType<typeof book>>
    assert.notStrictEqual(seen[0]?.asks, seen[1]?.asks)
    assert.notStrictEqual(seen[0]?.deep[0], seen[1]?.deep[0])
    assert.notStrictEqual(seen[0]?.deep[0]?.sizes[0], seen[0]?.deep[0]?.sizes[1])
    assert.notStrictEqual(seen[0]?.about, seen[2]?.about)
  })

  it("leaves to parsing nested values that are damaged or invalid", () => {
    const text = JSON.stringify(book(7))
    const wrong = [
      text.replace('"asks":[', '"asks":['.padEnd(9, ",")),
      text.replace("},{", "}{"),
      text.replace("},{", "},,{"),
      text.replace("}]", "},]"),
      text.replace("}]", "}}"),
      text.replace("}]", "]"),
      text.replace('"price":"7.0"', '"price":7'),
      text.replace('"price":"7.0"', '"price":["7"]'),
      text.replace('"size":-0.5', '"size":{}'),
      text.replace('["w0"', '["w0" "w1"'),
      text.replace('["w0"', "[1"),
      text.replace('"asks":[', '"asks":[[').replace("}],", "}]],"),
      text.replace('"about":{', '"about":[{').replace("}}", "}]}"),
      text.slice(0, -1),
      `${text}]`
    ]
    for (const damaged of wrong) {
      const read = make(Book)
      assert.isDefined(readTexts(read, books(40)))
      assert.isUndefined(readTexts(read, [...books(40), damaged, text]), damaged)
    }
  })

  it("takes no record for a nested one that is cut anywhere", () => {
    const texts = books(3)
    const bytes = new TextEncoder().encode(`[${texts.join(",")}]`)
    for (let to = 1; to < bytes.length - 1; to++) {
      if (!isCut(bytes, to)) continue
      const read = make(Book)
      readTexts(read, texts)
      const seen = read(bytes, 1, to, comma)
      const whole = [...texts.keys()].slice(1).find((count) => texts.slice(0, count).join(",").length + 1 === to)
      // Type boundary: each text is JSON.
      if (whole !== undefined)
        assert.deepStrictEqual(
          seen,
          texts.slice(0, whole).map((text) => JSON.parse(text) as unknown),
          `${to}`
        )
      else assert.isTrue(seen === undefined || seen.length === 0, `${to}`)
    }
  })

  it("makes no prototype of a key", () => {
    const text = `{${first},"__proto__":"a"}`
    const seen = readTexts(make(), [text, text, text])
    assert.strictEqual(JSON.stringify(seen?.[2]), text)
  })

  it("leaves to parsing whatever is damaged or invalid", () => {
    const wrong = [
      `{${first},"PriceUSD":1}`,
      `{"asset":"btc"}`,
      `{"asset":null,"time":"t"}`,
      `{${first},"PriceUSD":"1","TxCnt":"\u0001"}`,
      `{${first},"PriceUSD":"1","TxCnt":"\t"}`,
      `{${first},"PriceUSD":"1","TxCnt":"\\"}`,
      `{${first},"PriceUSD":"1","TxCnt":"1"`,
      `{${first},"PriceUSD":"1","TxCnt":"1"}}`,
      `{${first},"PriceUSD":"1","TxCnt":1"}`,
      `{${first},"PriceUSD":"1""TxCnt":"1"}`,
      `{${first},"count":01}`,
      `{${first},"count":-}`,
      `{${first},"count":1.}`,
      `{${first},"count":.5}`,
      `{${first},"flag":tru}`,
      `{${first},"flag":nul}`,
      `{${first},}`,
      "",
      " ",
      "1",
      "null",
      "[]"
    ]
    for (const text of wrong) {
      assertLeft(among(text))
      assertLeft([...sound, text])
      assertLeft([text, ...sound])
      assertLeft(among(text), lineFeed)
    }
  })

  it("takes no bytes for a record that reach beyond its list", () => {
    const bytes = new TextEncoder().encode(`[${sound.slice(0, 5).join(",")}]`)
    for (let to = 1; to < bytes.length - 1; to++) {
      if (!isCut(bytes, to)) continue
      // A reader of its own: one that has met so much damage leaves all to parsing.
      const read = make()
      readTexts(read, sound)
      const seen = read(bytes, 1, to, comma)
      const isBorder = bytes[to] === comma && bytes[to - 1] === 125
      assert.strictEqual(seen !== undefined && seen.length > 0, isBorder, `${to}`)
    }
  })

  it("gives nothing for characters cut in the middle, and bytes that are no UTF-8", () => {
    for (const wrong of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f]]) {
      const read = make()
      assert.isDefined(readTexts(read, sound))
      const before = new TextEncoder().encode(`[${sound[1]},{${first},"PriceUSD":"`)
      const after = new TextEncoder().encode(`","TxCnt":"1"},${sound[2]}]`)
      const bytes = Uint8Array.from([...before, ...wrong, ...after])
      assert.isUndefined(read(bytes, 1, bytes.length - 1, comma))
    }
  })

  it("reads nothing by a schema that asks more of a value than its type", () => {
    const Refined = Schema.Struct({ asset: Schema.String.check(Schema.isMinLength(2)) })
    const read = make(Refined)
    assert.isUndefined(readTexts(read, ['{"asset":"a"}']))
    const whole = make(Schema.Struct({ asset: Schema.String }).check(Schema.makeFilter(({ asset }) => asset !== "a")))
    assert.isUndefined(readTexts(whole, ['{"asset":"b"}']))
  })

  it("reads the records of every endpoint whose record has a fixed set of keys, nested ones included", () => {
    let read = 0
    let nested = 0
    for (const { endpoint, name, params, reply } of Target.all) {
      const texts = reply.data.map((record) => JSON.stringify(record))
      // Type boundary: records need no services; endpoints known as data only do not say so.
      const record = endpoint.record(params) as Schema.Codec<unknown>
      const hasOpenKeys = record.ast._tag === "Objects" && record.ast.indexSignatures.length > 0
      if (texts.length === 0 || hasOpenKeys || !texts.every(isPlain)) continue
      // More than one record of a layout, and each layout more than once.
      const seen = readTexts(make(record), [...texts, ...texts])
      const expected = [...reply.data, ...reply.data]
      if (seen === undefined && !texts.every(isFlat)) continue
      assert.deepStrictEqual(seen, expected, name)
      assert.strictEqual(JSON.stringify(seen), JSON.stringify(expected), name)
      read += 1
      if (!texts.every(isFlat)) nested += 1
    }
    assert.isAbove(read, 150)
    assert.isAbove(nested, 30)
  })

  it("gives the same records where code may not be generated", () => {
    const { Function: original } = globalThis
    const refuse = new Proxy(original, {
      construct: () => {
        throw new EvalError("Code generation from strings disallowed for this context")
      }
    })
    try {
      globalThis.Function = refuse
      assertRead(write(records(300)))
    } finally {
      globalThis.Function = original
    }
  })

  it("still reads known layouts after replies that had none", () => {
    const read = make()
    assert.isDefined(readTexts(read, sound))
    for (let run = 0; run < 100; run++) readTexts(read, Array(50).fill(`{${first},"nested":"\\\\"}`))
    const runs = Array.from({ length: 40 }, () => readTexts(read, sound))
    assert.deepStrictEqual(
      runs.at(-1),
      sound.map((text): unknown => JSON.parse(text))
    )
  })
})
