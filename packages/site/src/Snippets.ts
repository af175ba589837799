/**
 * Code of the pages. A block whose first line names a file of the repository has the text of that file.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"

/** A page whose code is not what the files say now. */
interface Stale {
  readonly page: string
  readonly text: string
}

/** Pages with code that is out of date, each with the text that it should have. */
export const stale = (root: string): ReadonlyArray<Stale> => {
  const docs = readdirSync(resolve(root, "docs")).map((name) => `docs/${name}`)
  const pages = ["README.md", "packages/core/README.md", "packages/promise/README.md", ...docs].filter((path) =>
    path.endsWith(".md")
  )
  return pages.flatMap((page) => {
    const found = readFileSync(resolve(root, page), "utf8")
    const text = found.replaceAll(/```ts\n\/\/ (packages\/\S+)\n[\s\S]*?```/g, (block, path: string) => {
      const file = resolve(root, path)
      return existsSync(file)
        ? `\`\`\`ts\n// ${path}\n\n${readFileSync(file, "utf8")}\`\`\``
        : `${block} (${path} is missing)`
    })
    return text === found ? [] : [{ page, text }]
  })
}
