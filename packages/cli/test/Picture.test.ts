import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { stripVTControlCharacters } from "node:util"
import { environment, inProcess, services } from "./Process.ts"

const picture = readFileSync(new URL("../../../docs/terminal.svg", import.meta.url), "utf8")

const lines = [...picture.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, line = ""]) =>
  line
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
)

/** The commands of the picture, each with the lines below it. */
const shown = lines
  .join("\n")
  .replaceAll(/ \\\n +/g, " ")
  .split(/^\$ /m)
  .filter((text) => text !== "")
  .map((text) => text.trimEnd().split("\n"))

layer(services)("the picture of the terminal", (it) => {
  it.effect("shows three commands", () => Effect.sync(() => assert.strictEqual(shown.length, 3)))

  for (const [command = "", ...output] of shown.slice(0, 2)) {
    it.effect(`shows what the command prints: ${command}`, () =>
      Effect.gen(function* () {
        const args = command.split(" ").slice(1)
        const { stdout } = yield* inProcess(args, yield* environment, { isTerminal: true }).run
        const printed = stripVTControlCharacters(stdout).trimEnd().split("\n")
        assert.deepStrictEqual(
          output.map((line) => line.trim()),
          printed.map((line) => line.trim())
        )
      })
    )
  }
})
