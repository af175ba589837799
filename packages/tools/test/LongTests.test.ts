import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = path.join(import.meta.dirname, "../../..")

const extent = path.join(root, "packages/core/test/Extent.ts")

/** What `pnpm test:long` runs: beginnings of paths, as Vitest takes them from the root. */
const filters: ReadonlyArray<string> = (() => {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
  return scripts["test:long"].split(" --mode long ")[1].split(" ")
})()

const files: ReadonlyArray<string> = fs.readdirSync(path.join(root, "packages")).flatMap((name) => {
  const folder = path.join(root, "packages", name, "test")
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.join(folder, file))
})

const importsOf = (file: string): ReadonlyArray<string> =>
  [...fs.readFileSync(file, "utf8").matchAll(/(?:\bfrom|^import) "(\.[^"]+)"/gm)].map(([, specifier = ""]) =>
    path.join(path.dirname(file), specifier)
  )

/** Files that import `Extent`, directly or by way of other test files. */
const users: ReadonlySet<string> = (() => {
  const found = new Set([extent])
  for (let size = 0; size < found.size;) {
    size = found.size
    for (const file of files) if (importsOf(file).some((imported) => found.has(imported))) found.add(file)
  }
  return found
})()

const tests = [...users].filter((file) => file.endsWith(".test.ts")).map((file) => path.relative(root, file))

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
