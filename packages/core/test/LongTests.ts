/**
 * The tests that try more cases in a long run: those that import `TestMode`, directly or by way of other test files.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import * as Imports from "./Imports.ts"

const mode = "packages/core/test/TestMode"

/** The test files that a long run has, by their paths from the root of the repository. */
export const files = (root: string): ReadonlyArray<string> => {
  const all = fs.readdirSync(path.join(root, "packages")).flatMap((name) => {
    const folder = `packages/${name}/test`
    if (!fs.existsSync(path.join(root, folder))) return []
    return Imports.below(path.join(root, folder)).map((file) => ({
      name: path.posix.join(folder, file.name),
      imports: file.imports.map((imported) => path.posix.join(folder, imported))
    }))
  })
  const users = new Set([mode])
  for (let size = 0; size < users.size;) {
    size = users.size
    for (const { imports, name } of all) if (imports.some((imported) => users.has(imported))) users.add(name)
  }
  return [...users].filter((name) => name.endsWith(".test")).map((name) => `${name}.ts`)
}
