/** The programs of the pages of operations: each must compile with the sources of the packages. */
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"

/** A sentence for each error that the compiler has. */
export const broken = (root: string): ReadonlyArray<string> => {
  const pages = resolve(root, "out/reference")
  const folder = join(pages, "programs")
  // Those of pages that are no more would be compiled too.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const page of readdirSync(pages).filter((name) => name.endsWith(".md"))) {
    for (const [index, program] of programsOf(readFileSync(join(pages, page), "utf8")).entries()) {
      writeFileSync(join(folder, `${basename(page, ".md")}.${index}.ts`), program)
    }
  }
  const sources = (name: string) => [`./packages/${name}/src/index.ts`].map((path) => resolve(root, path))
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: resolve(root, "tsconfig.base.json"),
      compilerOptions: {
        composite: false,
        declaration: false,
        declarationMap: false,
        noEmit: true,
        types: [resolve(root, "node_modules/@types/node")],
        paths: {
          "@sluice/core": sources("core"),
          "@sluice/node": sources("node"),
          "@sluice/promise": sources("promise"),
          "@effect/platform-node": [resolve(root, "node_modules/@effect/platform-node")]
        }
      },
      include: ["*.ts"]
    })
  )
  const tsc = resolve(root, "node_modules/.bin/tsc")
  const { status, stdout } = spawnSync(tsc, ["--project", folder], { encoding: "utf8" })
  const errors = stdout.split("\n").filter((line) => line.includes("error TS"))
  return status === 0 ? [] : [...errors, `the programs in ${folder} do not compile`]
}

const programsOf = (page: string) => [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, program = ""]) => program)
