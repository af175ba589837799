import { assert, describe, it } from "@effect/vitest"
import * as McpLines from "../src/commands/mcp/McpLines.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The lines of a text that comes in pieces of so many bytes. */
const linesOf = (text: string, size = 7) => {
  const take = McpLines.make()
  const bytes = bytesOf(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size)
  )
  return [...pieces.flatMap((piece) => [...take(piece)]), ...take()]
}

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

const inWords = (lines: ReadonlyArray<McpLines.Line>) =>
  lines.map((line) => (line._tag === "Text" ? line.text : `! ${line.reason}`))

describe("lines of messages", () => {
  it.each([1, 2, 3, 100])(
    "are the text between line feeds, in pieces of %i bytes, the last one without its end",
    (size) => {
      const text = '{"a":"b\u{1f30a}é"}\n\n{"c":1}\r\n[2]'
      assert.deepStrictEqual(inWords(linesOf(text, size)), text.split("\n"))
      assert.deepStrictEqual(inWords(linesOf(`${text}\n`, size)), text.split("\n"))
    }
  )

  it("are as deep as 64 lists and objects, and refused beyond, while what follows is read", () => {
    const refused = "! the message is nested deeper than 64 levels"
    const deep = `{"a":${nested(64)}}`
    assert.deepStrictEqual(inWords(linesOf(`${nested(64)}\n${nested(65)}\n${deep}\n1\n`)), [
      nested(64),
      refused,
      refused,
      "1"
    ])
    assert.deepStrictEqual(inWords(linesOf(nested(1_000_000), 65_536)), [refused])
    // What is closed again is not deeper, and brackets of texts are none.
    const flat = [
      `[${Array(100).fill("[]").join(",")}]`,
      JSON.stringify("[".repeat(100)),
      JSON.stringify('\\"[{'.repeat(100))
    ]
    assert.deepStrictEqual(inWords(linesOf(`${flat.join("\n")}\n`)), flat)
  })

  it("are as long as four mebibytes, and refused beyond, while what follows is read", () => {
    const longest = `"${"x".repeat(McpLines.mostBytes - 2)}"`
    assert.deepStrictEqual(
      linesOf(`${longest}\n${longest}x\n1\n`, 65_536).map((line) =>
        line._tag === "Text" ? line.text.length : line.reason
      ),
      [McpLines.mostBytes, "the message is longer than 4,194,304 bytes", 1]
    )
  })
})
