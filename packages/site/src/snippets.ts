/**
 * `pnpm snippets`: brings the code of the pages up to date. A block of code whose first line names a file of the repository
 * gets the text of that file. The tests of `packages/examples` compare the two.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"

const root = resolve(import.meta.dirname, "../../..")
const pages = [
  "README.md",
  "packages/node/README.md",
  ...readdirSync(resolve(root, "docs")).map((name) => `docs/${name}`)
]

for (const page of pages.filter((path) => path.endsWith(".md"))) {
  const text = readFileSync(resolve(root, page), "utf8")
  const changed = text.replaceAll(
    /```ts\n\/\/ (packages\/\S+)\n[\s\S]*?```/g,
    (_, path: string) => `\`\`\`ts\n// ${path}\n\n${readFileSync(resolve(root, path), "utf8")}\`\`\``
  )
  if (changed === text) continue
  writeFileSync(resolve(root, page), changed)
  process.stdout.write(`${page} is brought up to date.\n`)
}
