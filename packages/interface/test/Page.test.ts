import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { formatsOf } from "@sluice/interface/Operation"
import * as Table from "@sluice/interface/Table"

const page = fs.readFileSync(new URL("../../../docs/interface.md", import.meta.url), "utf8")

const count = (test: (operation: (typeof Table.all)[number]) => boolean) => Table.all.filter(test).length

const pagesFrom = (end: string) => count(({ parameters }) => parameters["paging_from"]?.default === end)

describe("The table of operations", () => {
  it("has every operation once, and as many of each kind as docs/interface.md says", () => {
    assert.strictEqual(new Set(Table.all.map(({ path }) => path)).size, Table.all.length)
    assert.include(
      page,
      `${count(({ roots }) => roots.includes("community"))} of the ${Table.all.length} known operations`
    )
    assert.include(page, `${count((one) => formatsOf(one).includes("json_stream"))} operations offer it`)
    assert.include(page, `${count((one) => formatsOf(one).includes("csv"))} operations offer \`format=csv\``)
    assert.include(page, `\`start\` on ${pagesFrom("start")} operations and to \`end\` on ${pagesFrom("end")}`)
    assert.include(page, `The ${count(({ replacement }) => replacement !== undefined)} operations of 4.5 and 4.7`)
  })

  it("names sections that are there", () => {
    for (const { path, section } of Table.all) assert.match(page, new RegExp(`^#+ ${section} `, "m"), path)
  })
})
