import { assert, describe, it } from "@effect/vitest"
import * as Help from "../src/commands/help/Help.ts"
import type { Side } from "../src/terminal/Screen.ts"
import * as Style from "../src/terminal/Style.ts"

const side = (columns: number, isTerminal = true): Side => ({ columns, isTerminal, style: Style.plain })

const words = (lines: ReadonlyArray<string>) =>
  lines
    .join(" ")
    .split(/\s+/)
    .filter((word) => word !== "")

const prose =
  "Lowest block, for `1b`; where a reorganisation is not finished, a block that left the main chain comes too."

const rows = [
  ["--start_height <n>", prose],
  ["--status <all|flash|reviewed|revised>", prose],
  ["-h", "Help"]
] as const

describe("help", () => {
  for (const columns of [24, 40, 60, 80, 200]) {
    it(`breaks at words on ${columns} columns, and is not wider where a word is not`, () => {
      for (const lines of [Help.paragraph(prose, side(columns)), Help.definitions(rows, side(columns))]) {
        for (const line of lines) {
          const longest = Math.max(...words([line]).map((word) => word.length))
          if (!/^ {2}-/.test(line)) assert.isTrue(line.length <= columns || line.trim().length === longest, line)
        }
      }
      assert.deepStrictEqual(words(Help.paragraph(prose, side(columns))), words([prose]))
      assert.deepStrictEqual(words(Help.definitions(rows, side(columns))), words(rows.flat()))
    })

    it(`breaks commands before flags on ${columns} columns, so that a shell reads them as one`, () => {
      const command = "sluice get timeseries/asset-metrics --assets btc,eth --metrics PriceUSD --limit 10 | head -3"
      const lines = Help.commandLines(command, side(columns))
      assert.strictEqual(
        lines
          .join("\n")
          .replaceAll(/ \\\n +/g, " ")
          .trim(),
        command
      )
      for (const line of lines) {
        assert.isTrue(line.length <= columns || !/ (?:--|\| )/.test(line.trim()), line)
        assert.notMatch(line, /--\w+ \\$/)
      }
      for (const line of Help.overview(side(columns)).split("\n")) {
        assert.isTrue(line.length <= columns || !/ .* --/.test(line.trim()), line)
      }
    })
  }

  it("keeps a command on one line in a pipe or a file", () => {
    assert.lengthOf(Help.commandLines(`sluice get ${"--assets btc ".repeat(20)}`, side(80, false)), 1)
  })

  it("cuts a summary behind a word, and says that it is cut", () => {
    assert.strictEqual(Style.cutWords("Reads metrics of assets, over time.", 25), "Reads metrics of assets…")
    assert.strictEqual(Style.cutWords("Reads metrics", 13), "Reads metrics")
    assert.strictEqual(Style.cutWords("Indistinguishable", 8), "Indisti…")
  })
})
