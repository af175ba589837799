import { assert, describe, it } from "@effect/vitest"
import { PlainText } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Column } from "@sluice/files/Format"
import * as Amount from "../src/terminal/Amount.ts"
import * as Style from "../src/terminal/Style.ts"
import * as Table from "../src/terminal/Table.ts"

const column = (name: string, kind: Column["kind"] = "text"): Column => ({ name, kind, nullable: true })

const columns = [column("asset"), column("time", "timestamp"), column("price", "decimal"), column("note")]

const records = [
  { asset: "btc", time: "2024-01-01T00:00:00.000000000Z", price: "1.5", note: "first\nline" },
  { asset: "eth", time: "2024-01-01T00:00:00.000000001Z", price: null, note: { a: 1 } },
  { asset: "比特", time: "2024-01-01T00:00:00.000000000Z", price: "12345.678901234567890123" }
]

const print = (isTerminal: boolean, width: number, some: ReadonlyArray<Column> = columns) =>
  Effect.gen(function* () {
    const table = Table.make(some, { isTerminal, columns: width, style: Style.plain })
    const text = yield* Stream.mkString(table.lines(Stream.fromArray(records)))
    return { lines: text.trimEnd().split("\n"), hidden: table.hidden() }
  })

const line = (asset: string, time: string, price: string, note: string) =>
  `${asset}  ${time.padEnd(30)}  ${price.padStart(24)}  ${note}`.trimEnd()

describe("a table", () => {
  it.effect("is aligned, with numbers on the right, null apart from absent, and no line breaks in values", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* print(false, 80)).lines, [
        line("asset", "time", "price", "note"),
        line("btc  ", "2024-01-01T00:00:00Z", "1.5", "first line"),
        line("eth  ", "2024-01-01T00:00:00.000000001Z", "null", '{"a":1}'),
        line("比特 ", "2024-01-01T00:00:00Z", "12345.678901234567890123", "")
      ])
    })
  )

  it.effect("fits the width of a terminal: cuts text before it drops columns, and never cuts a number", () =>
    Effect.gen(function* () {
      for (const width of [120, 70, 64, 50, 40]) {
        const { hidden, lines } = yield* print(true, width)
        for (const line of lines) assert.isAtMost(Style.widthOf(line), width)
        assert.strictEqual(hidden, lines[0]?.includes("note") ? 0 : lines[0]?.includes("price") ? 1 : 2)
      }
      const { lines } = yield* print(true, 40, columns.slice(0, 3).toReversed())
      assert.include(lines[3], "12345.678901234567890123")
    })
  )

  it.effect("has days in the place of midnights where it would not fit otherwise", () =>
    Effect.gen(function* () {
      const daily = [records[0], records[2]]
      for (const [width, time] of [
        [60, "2024-01-01T00:00:00Z"],
        [43, "2024-01-01"]
      ] as const) {
        const table = Table.make(columns.slice(0, 3), { isTerminal: true, columns: width, style: Style.plain })
        const text = yield* Stream.mkString(table.lines(Stream.fromArray(daily)))
        assert.match(text, new RegExp(`^btc    ${time}  +1\\.5$`, "m"))
        assert.strictEqual(table.hidden(), 0)
      }
    })
  )

  it.effect("leaves out a column that is empty", () =>
    Effect.gen(function* () {
      const { hidden, lines } = yield* print(false, 80, [column("nothing"), column("asset")])
      assert.deepStrictEqual([lines[0], hidden], ["asset", 0])
    })
  )
})

describe("text", () => {
  it("cannot move the cursor", () => {
    assert.strictEqual(PlainText.harmless("a\u001B[31mb\r\nc\u0007"), "a\\x1b[31mb  c\\x07")
  })

  it("is cut by columns of the terminal, not by letters", () => {
    assert.deepStrictEqual(
      [Style.cut("abcdef", 4), Style.cut("比特币价格", 5), Style.cut("abc", 3)],
      ["abc…", "比特…", "abc"]
    )
  })

  it("has amounts that are easy to read", () => {
    assert.deepStrictEqual([999, 1_000, 1_234_567, 2_500_000_000].map(Amount.bytes), [
      "999 B",
      "1 kB",
      "1.2 MB",
      "2.5 GB"
    ])
    assert.deepStrictEqual([0, 59_400, 60_000, 3_725_000, 200_000_000].map(Amount.duration), [
      "0 s",
      "59 s",
      "1 min",
      "1 h 2 min",
      "2 d 7 h"
    ])
    assert.deepStrictEqual([Amount.some(1, "part"), Amount.some(2_000, "part")], ["1 part", "2,000 parts"])
  })
})
