import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const text = fs.readFileSync(path.join(import.meta.dirname, "../../../CHANGELOG.md"), "utf8")

const entries = [...text.matchAll(/^- .*(?:\n {2}.*)*/gm)].map(([entry]) => entry)

describe("The changelog", () => {
  it("has each entry once, which merging two lists does not keep", () => {
    assert.isAbove(entries.length, 50)
    assert.deepStrictEqual(
      entries.filter((entry, index) => entries.indexOf(entry) !== index),
      []
    )
  })
})
