import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import type { Fields } from "@sluice/interface/Field"
import * as Table from "@sluice/interface/Table"
import * as View from "@sluice/interface/View"
import * as Page from "../../../scripts/interface/Page.ts"

const page = fs.readFileSync(new URL("../../../docs/interface.md", import.meta.url), "utf8")

/** Every field of a record, at any depth, by its name: of which kinds it is. */
const kinds = (() => {
  const found = new Map<string, Set<string>>()
  const add = (fields: Fields): void => {
    for (const [name, { isKey, type }] of Object.entries(fields)) {
      const inner = type._tag === "list" ? type.of : type
      found.set(name, (found.get(name) ?? new Set()).add(type._tag).add(isKey ? "key" : "no key"))
      if (inner._tag === "object" || inner._tag === "either") add(inner.fields)
    }
  }
  for (const operation of Table.all) for (const { fields } of View.of(operation)) add(fields)
  return found
})()

const records = page.slice(page.indexOf("\n## 3 "), page.indexOf("\n## 4 "))

/** What the tables of records on the page say of fields: names, the word that begins the type, and whether they are a key. */
const described = [...records.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| ([[\w]+)[^|]*\| (key|yes|no) \|/gm)].flatMap(
  ([, names = "", type = "", presence = ""]) =>
    [...names.matchAll(/\w+/g)].map(([name]) => ({ name, type, isKey: presence === "key" }))
)

/** The kinds of the table for a word of the page. */
const kindsOf = (type: string) => {
  if (type.startsWith("[")) return ["list"]
  return type === "text" ? ["text", "word", "time"] : [type === "date" ? "time" : type]
}

describe("The table of operations", () => {
  it("has every operation once", () => {
    assert.strictEqual(new Set(Table.all.map(({ path }) => path)).size, Table.all.length)
  })

  it("stands on the page as it is, its counts too, each operation in one place", () => {
    assert.strictEqual(Page.filled(page), page, "`pnpm interface` writes what the table says")
    for (const operation of Table.all) {
      const sections = Object.keys(Page.isIn).filter((section) => Page.isIn[section]!(operation))
      assert.strictEqual(sections.length, 1, operation.path)
      assert.include(page, `<!-- operations ${sections[0]} -->`)
    }
  })

  it("has the fields that the tables of records describe, each of its kind", () => {
    assert.isAbove(described.length, 80)
    for (const { isKey, name, type } of described) {
      const found = kinds.get(name)
      assert.isTrue(
        kindsOf(type).some((kind) => found?.has(kind)),
        `${name} is ${type} on the page`
      )
      assert.isTrue(found?.has(isKey ? "key" : "no key"), `${name} is a key in one place alone`)
    }
  })

  it("names sections that are there", () => {
    for (const { path, section } of Table.all) assert.match(page, new RegExp(`^#+ ${section} `, "m"), path)
  })
})
