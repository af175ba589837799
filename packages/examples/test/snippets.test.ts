import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import * as Pages from "../../site/src/Pages.ts"

const root = new URL("../../..", import.meta.url)

const read = (path: string) => readFileSync(new URL(path, root), "utf8")

/** The pages that users read. */
const docs = readdirSync(new URL("docs", root)).filter((name) => name.endsWith(".md"))
const pages = [...Pages.readmes, ...docs.map((name) => `docs/${name}`)]

/** Programs of a page: code whose first line names its file. */
const programsOf = (text: string) => [...text.matchAll(/```ts\n\/\/ (packages\/\S+)\n\n([\s\S]*?)```/g)]

describe("the code of the pages", () => {
  for (const page of pages) {
    const text = read(page)
    const programs = programsOf(text)
    if (!/```(?:ts|js|tsx|typescript|javascript)\b/.test(text)) continue

    it(`${page} shows files of this repository, word for word, and no other code`, () => {
      for (const [, path = "", code] of programs) assert.strictEqual(code, read(path), path)
      const blocks = [...text.matchAll(/```(?:ts|js|tsx|typescript|javascript)\b/g)]
      assert.strictEqual(blocks.length, programs.length)
    })
  }

  it("includes every example or links to it, so that none is hidden", () => {
    const linked = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(\.\.\/(packages\/examples\/\S+\.ts)\)/g)].map(([, path]) => path)
    )
    const shown = new Set([...linked, ...pages.flatMap((page) => programsOf(read(page)).map(([, path]) => path))])
    const examples = ["", "/first", "/guides", "/live"].flatMap((folder) =>
      readdirSync(new URL(`packages/examples/src${folder}`, root))
        .filter((name) => name.endsWith(".ts"))
        .map((name) => `packages/examples/src${folder}/${name}`)
    )
    assert.deepStrictEqual(
      examples.filter((path) => !shown.has(path)),
      []
    )
  })
})
