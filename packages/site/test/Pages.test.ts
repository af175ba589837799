import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import * as Pages from "../src/Pages.ts"

const docs = join(import.meta.dirname, "../../../docs")

describe("the navigation", () => {
  it("has every page of docs, in a section, and shows no page that is not there", () => {
    const shown = Pages.paths(docs).map((path) => relative(docs, path))
    const written = readdirSync(docs, { encoding: "utf8", recursive: true }).filter((file) => file.endsWith(".md"))
    assert.deepStrictEqual(
      written.filter((file) => !shown.includes(file)),
      ["imports.md"]
    )
    assert.deepStrictEqual(
      shown.filter((file) => !written.includes(file)),
      []
    )
    for (const file of shown) assert.include(Pages.titles, Pages.sectionOf(file))
  })

  it("refuses a page that no section lists", () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-pages-"))
    try {
      writeFileSync(join(folder, "new.md"), "# New\n")
      assert.throws(() => Pages.paths(folder), "no section of the navigation lists docs/new.md")
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
