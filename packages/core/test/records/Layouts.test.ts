import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as RecordReader from "../../src/internal/wire/RecordReader.ts"
import * as BatchReader from "../../src/internal/wire/BatchReader.ts"
import * as Json from "../../src/internal/wire/Json.ts"
import * as Draw from "../Draw.ts"
import * as TestMode from "../TestMode.ts"

const keys = Array.from({ length: 6 }, (_, index) => `key${index}`)
const record = Schema.Struct({
  id: Schema.String,
  ...Object.fromEntries(keys.map((key) => [key, Schema.optionalKey(Schema.Union([Schema.Finite, Schema.String]))]))
})
const isValid = Schema.is(record)

/** Records of more layouts than a reader keeps, now and then with a number that no layout takes. */
const linesOf = ({ below, chance }: Draw.Draw, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => {
    const layout = chance(0.8) ? below(10) : below(64)
    const members = keys.flatMap((key, bit) => {
      if ((layout & (1 << bit)) === 0) return []
      return [`"${key}":${chance(layout > 9 ? 0.3 : 0.02) ? "12345678901234567890" : `"${key} of ${index}"`}`]
    })
    return `{${[`"id":"${index}"`, ...members].join(",")}}`
  })

describe("records of more layouts than a reader keeps", () => {
  for (const [name, make] of Object.entries({ RecordReader: RecordReader.make, BatchReader: BatchReader.make })) {
    it(`have the members of their bytes, and no others: ${name}`, () => {
      let read = 0
      for (let seed = 0; seed < TestMode.times(20, 400); seed++) {
        const draw = Draw.from(seed)
        const reader = make(record, isValid)
        for (let run = 0; run < 500; run++) {
          const lines = linesOf(draw, 12)
          const bytes = new TextEncoder().encode(lines.join("\n"))
          const records = reader.read(bytes, 0, bytes.length, 10)
          if (records === undefined) continue
          read += records.length
          for (const [index, line] of lines.entries()) {
            const expected = JSON.stringify(Json.parseExact(line))
            assert.strictEqual(JSON.stringify(records[index]), expected, `seed ${seed}, run ${run}: ${line}`)
          }
        }
      }
      assert.isAbove(read, 1_000)
    })
  }
})
