import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Imports from "../../core/test/Imports.ts"

const root = path.join(import.meta.dirname, "../../..")

const mode = "packages/core/test/TestMode"

/** What `pnpm test:long` runs: beginnings of paths, as Vitest takes them from the root. */
const filters: ReadonlyArray<string> = (() => {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
  return scripts["test:long"].split(" --mode long ")[1].split(" ")
})()

/** Every file of the tests, by its path from the root, and the files it imports. */
const files = fs.readdirSync(path.join(root, "packages")).flatMap((name) => {
  const folder = `packages/${name}/test`
  if (!fs.existsSync(path.join(root, folder))) return []
  return Imports.below(path.join(root, folder)).map((file) => ({
    name: path.posix.join(folder, file.name),
    imports: file.imports.map((imported) => path.posix.join(folder, imported))
  }))
})

/** Files that import `TestMode`, directly or by way of other test files. */
const users: ReadonlySet<string> = (() => {
  const found = new Set([mode])
  for (let size = 0; size < found.size;) {
    size = found.size
    for (const { imports, name } of files) if (imports.some((imported) => found.has(imported))) found.add(name)
  }
  return found
})()

const tests = [...users].filter((file) => file.endsWith(".test"))

describe("test:long", () => {
  it("runs every test that tries more cases there", () => {
    assert.isAbove(tests.length, 5)
    const left = tests.filter((file) => !filters.some((filter) => file.startsWith(filter)))
    assert.deepStrictEqual(left, [])
  })

  it.each(filters)("%s stands for tests that try more cases there", (filter) => {
    assert.isTrue(
      tests.some((file) => file.startsWith(filter)),
      filter
    )
  })
})
