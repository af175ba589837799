import { assert, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "../../..")

it("the published command has what our packages take of undici when they run", () => {
  const has = readFileSync(resolve(root, "scripts/command/Bundle.ts"), "utf8")
  const packages = resolve(root, "packages")
  const sources = readdirSync(packages).flatMap((name) => {
    const folder = join(packages, name, "src")
    const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : []
    return files.filter((file) => file.endsWith(".ts")).map((file) => join(folder, file))
  })
  const imports = sources.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => /platform-node\/Undici"/.test(line) && !line.startsWith("import type"))
  )
  assert.isNotEmpty(imports)
  for (const line of imports) {
    const [, names] = /const \{ (.+) \} = .*import\(/.exec(line) ?? []
    assert.isDefined(names, line)
    for (const name of names?.split(", ") ?? []) assert.include(has, `export { default as ${name} }`)
  }
})
