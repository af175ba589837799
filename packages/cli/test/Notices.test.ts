import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { wipe } from "../src/terminal/Style.ts"
import * as Style from "../src/terminal/Style.ts"
import { environment, inProcess, services } from "./Process.ts"

/** A message without what differs between two requests. */
const withoutTrace = (text: string) => text.replace(/trace [\w-]+/, "trace")

layer(services, { excludeTestServices: true })("a message", (it) => {
  it("breaks between words at the width of the terminal, with its indent, and not inside code or a URL", () => {
    const text =
      "The service does not know it: `sluice describe timeseries/asset-metrics` lists all, and so does https://example.com/a/long/path."
    assert.deepStrictEqual(Style.fold(text, 40).split("\n"), [
      "The service does not know it:",
      "`sluice describe timeseries/asset-metrics`",
      "lists all, and so does",
      "https://example.com/a/long/path."
    ])
    assert.strictEqual(Style.fold("  one two three", 9), "  one two\n  three")
    assert.strictEqual(Style.fold("as it is,  with   spaces\nand lines\n", 24), "as it is,  with   spaces\nand lines\n")
    assert.strictEqual(Style.fold(`${wipe}one two`, 4), `${wipe}one\ntwo`)
    assert.strictEqual(Style.fold('{"warning":{"message":"one two"}}', 10), '{"warning":{"message":"one two"}}')
    assert.strictEqual(Style.fold("世界世界 世界", 8), "世界世界\n世界")
    // Colours take no room, and coloured code is one word.
    const { cyan, dim } = Style.colours
    assert.strictEqual(Style.fold(dim("one two"), 7), dim("one two"))
    assert.strictEqual(Style.fold(`ab ${cyan("c d e")} fg`, 7), `ab\n${cyan("c d e")}\nfg`)
  })

  it.effect("is broken on a terminal alone, and lines of JSON nowhere", () =>
    Effect.gen(function* () {
      const env = { ...(yield* environment), NO_COLOR: "1" }
      const args = ["get", "timeseries/asset-metrics", "--assets", "btc", "--metrics", "PriceUDS"]
      const run = (more: ReadonlyArray<string>, isErrTerminal: boolean) =>
        Effect.map(inProcess([...args, ...more], env, { isErrTerminal }).run, ({ stderr }) => stderr)
      const plain = yield* run([], false)
      const folded = yield* run([], true)
      assert.isTrue(plain.split("\n").some((line) => line.length > 80))
      assert.isTrue(folded.split("\n").every((line) => line.length <= 80))
      assert.strictEqual(withoutTrace(folded.replaceAll(/\s+/g, " ")), withoutTrace(plain.replaceAll(/\s+/g, " ")))
      assert.lengthOf((yield* run(["--json"], true)).trimEnd().split("\n"), 1)
    })
  )
})
