import { assert, describe, it } from "@effect/vitest"
import { MINUTE } from "../src/internal/time/Calendar.ts"
import * as Frequency from "../src/data/Frequency.ts"
import * as Rows from "../src/data/Rows.ts"

const grid = Frequency.every("1m", MINUTE, 0, "2017-01-01")

const read = (rows: Rows.Rows, start: number, end: number): ReadonlyArray<string> => {
  const all = Rows.within(rows, { start: { ms: start * MINUTE, nanos: 0 }, end: { ms: end * MINUTE, nanos: 0 } })
  return all.rows(0, all.length)
}

describe("rows in a pattern", () => {
  it.each([[[1, 2, 0]], [[0, 1]], [[2, 0, 0, 3]], [[1]], [[1, 0]]])(
    "are at each instant as many as %j says",
    (pattern) => {
      const from = grid.from(grid.since) + 1000
      const span = { from: from * MINUTE, to: (from + 20) * MINUTE }
      const rows = Rows.inPattern("a", grid, span, pattern, (instant, number) => `${instant - from} ${number}`)
      const expected = (start: number, end: number) =>
        Array.from({ length: end - start }, (_, n) => start + n).flatMap((n) =>
          Array.from({ length: pattern[(from + n) % pattern.length]! }, (_, number) => `${n} ${number}`)
        )
      assert.deepStrictEqual(read(rows, from - 5, from + 30), expected(0, 21))
      for (let start = 0; start < 8; start++)
        for (let end = start; end < 12; end++)
          assert.deepStrictEqual(read(rows, from + start, from + end), expected(start, end))
    }
  )
})
