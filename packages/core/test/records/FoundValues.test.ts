import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fields from "../../src/internal/wire/fields.ts"
import * as Nesting from "../../src/internal/wire/Nesting.ts"
import * as Outline from "../../src/internal/wire/Outline.ts"
import * as RecordReader from "../../src/internal/wire/RecordReader.ts"
import { seeds, times } from "../TestMode.ts"
import * as Draw from "../Draw.ts"

const Named = Schema.Struct({ asset: fields.id, name: fields.text, note: fields.text, count: fields.number })

const make = () => RecordReader.make(Named, Schema.is(Named)).read

const lineFeed = 10
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The lines as JSON, when they are UTF-8 and each is a valid record. */
const parse = (bytes: Uint8Array): ReadonlyArray<unknown> | undefined =>
  Result.getOrUndefined(
    Result.try(() =>
      strict
        .decode(bytes)
        .split("\n")
        .map((line) => Schema.decodeUnknownSync(Named)(JSON.parse(line)))
    )
  )

const many = <A>(random: Draw.Draw, most: number, make: () => A) => Array.from({ length: random.below(most + 1) }, make)

/** Texts as they arrive: characters of each length, and escapes. */
const parts = [
  "a",
  "word ",
  "0.12",
  "x".repeat(14),
  "é",
  "Ξ",
  "₿",
  "🌊",
  "\ufeff",
  "\ufffd",
  "\u2028",
  "\u007f",
  "},{",
  "],[",
  ",",
  "\\u00e9",
  "\\ud83c\\udf0a",
  "\\ud83c",
  "\\n",
  '\\"',
  "\\\\",
  "\\/"
]

/** Bytes that no text may hold where they stand. */
const wrong = [
  [0xff],
  [0xc3],
  [0x80],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x9f],
  [0xc0, 0xaf],
  [0xf5, 0x80, 0x80, 0x80],
  [0x5c, 0xc3, 0xa9],
  [0x5c, 0x80],
  [0x5c, 0x78],
  [0x09],
  [0x00],
  [0x22]
]

const textOf = (random: Draw.Draw) =>
  "x".repeat(random.below(3) * random.below(30)) + many(random, 12, () => random.one(parts)).join("")

const lineOf = (random: Draw.Draw, index: number) => {
  const asset = random.one(["btc", "btc", "währung", "währung", "\\u0062tc", textOf(random)])
  return `{"asset":"${asset}","name":"${textOf(random)}","note":"${textOf(random)}","count":${index}}`
}

describe("FoundValues", () => {
  it("gives every text as JSON.parse does, and none that is not UTF-8 or not JSON", () => {
    let read = 0
    let damaged = 0
    for (const seed of seeds(120, 8_000)) {
      const random = Draw.from(seed)
      const lines = Array.from({ length: 1 + random.below(40) }, (_, index) => lineOf(random, index))
      const sound = new TextEncoder().encode(lines.join("\n"))
      const at = random.below(sound.length)
      const damage = random.below(3) === 0 ? random.one(wrong) : []
      const bytes = Uint8Array.from([...sound.subarray(0, at), ...damage, ...sound.subarray(at)])
      const expected = parse(bytes)
      if (expected === undefined) damaged += 1
      const reader = make()
      for (let run = 0; run < 2; run++) {
        const seen = reader(bytes, 0, bytes.length, lineFeed)
        if (seen === undefined) continue
        assert.deepStrictEqual(seen, expected, `seed ${seed}`)
        read += 1
      }
    }
    assert.isAbove(read, times(120, 8_000))
    assert.isAbove(damaged, times(12, 800))
  })
})

const valueOf = (random: Draw.Draw, depth: number): string => {
  const kind = depth === 3 ? random.below(2) : random.below(4)
  const inner = () => valueOf(random, depth + 1)
  if (kind === 0) return `"${textOf(random)}"`
  if (kind === 1) return " 1 "
  return kind === 2
    ? `[${many(random, 4, inner).join(",")}]`
    : `{${many(random, 4, () => `"${textOf(random)}" : ${inner()}`).join(" , ")}}`
}

describe("Nesting", () => {
  it("finds the end and the commas of every value that a loop over its bytes finds", () => {
    const skip = Nesting.make()
    for (const seed of seeds(30, 1_500)) {
      const random = Draw.from(seed)
      const items = [`"${"y".repeat(random.below(70_000))}"`, ...many(random, 100, () => valueOf(random, 0))]
      const before = " ".repeat(random.below(40))
      const list = `[${Array<string>(20).fill(items.join(",")).join(" ,")}${random.one(["]", "]", "}", ""])}`
      const bytes = new TextEncoder().encode(`${before}${list},"more":[]}${" ".repeat(70_000)}`)
      const [commas, expected]: [Array<number>, Array<number>] = [[], []]
      const end = Outline.skipNested(bytes, before.length, expected)
      assert.strictEqual(skip(bytes, before.length, commas), end, `seed ${seed}`)
      assert.deepStrictEqual(commas, expected, `seed ${seed}`)
    }
  })
})
