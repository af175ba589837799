import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Links from "../src/Links.ts"

/** The problems of a site of these pages. */
const brokenOf = (pages: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-links-"))
  try {
    for (const [path, text] of Object.entries(pages)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    return Links.broken(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const guide = '<h2 id="a-place">A place</h2><a href="../index.html">back</a>'

describe("the links of the site", () => {
  it("may lead to files, to places in them, and to other sites", () => {
    const index =
      '<a href="guides/One.html#a-place"></a><a class="x" href="#here"></a><b id="here"></b><a href="https://example.org/#x"></a>'
    assert.deepStrictEqual(brokenOf({ "index.html": index, "guides/One.html": guide }), [])
  })

  it.each([
    ['<a href="guides/Two.html"></a>', "index.html: guides/Two.html: no such file"],
    ['<img src="picture.svg">', "index.html: picture.svg: no such file"],
    ['<a href="guides/One.html#no-place"></a>', "index.html: guides/One.html#no-place: no such place in that page"],
    ['<a href="#nowhere"></a>', "index.html: #nowhere: no such place in that page"]
  ])("are broken where they lead nowhere: %s", (index, problem) => {
    assert.deepStrictEqual(brokenOf({ "index.html": index, "guides/One.html": guide }), [problem])
  })
})
