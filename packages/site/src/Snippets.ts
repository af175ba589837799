/**
 * What pages take from the code. A block whose first line names a file of the repository has the text of that file, and the
 * table of settings has the defaults of the client.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Defaults from "../../core/src/Defaults.ts"
import * as Limit from "../../core/src/internal/wire/Limit.ts"
import * as Pages from "./Pages.ts"

/** A page that is not what the code says now. */
interface Stale {
  readonly page: string
  readonly text: string
}

/** Pages that are out of date, each with the text that it should have. */
export const stale = (root: string): ReadonlyArray<Stale> => {
  const docs = readdirSync(resolve(root, "docs")).map((name) => `docs/${name}`)
  const pages = [...Pages.readmes, ...docs].filter((path) => path.endsWith(".md"))
  return pages.flatMap((page) => {
    const found = readFileSync(resolve(root, page), "utf8")
    const code = withCode(root, found)
    const text = page === "docs/settings.md" ? withDefaults(code) : code
    return text === found ? [] : [{ page, text }]
  })
}

/** A page with the text of each file that it names. */
export const withCode = (root: string, page: string): string =>
  page.replaceAll(/```ts\n\/\/ (packages\/\S+)\n[\s\S]*?```/g, (block, path: string) => {
    const file = resolve(root, path)
    return existsSync(file)
      ? `\`\`\`ts\n// ${path}\n\n${readFileSync(file, "utf8")}\`\`\``
      : `${block} (${path} is missing)`
  })

/** The page with each default in the fourth cell of its row. */
const withDefaults = (page: string) =>
  Object.entries(Defaults).reduce((text, [name, value]) => {
    const row = new RegExp(String.raw`^(\| \`(?:limits\.)?${name}\` \|(?:[^|]*\|){2})[^|]*`, "m")
    if (!row.test(text)) throw new Error(`docs/settings.md has no row for ${name}`)
    return text.replace(row, `$1 ${shown(name, value)} `)
  }, page)

const shown = (name: string, value: string | number | boolean | object) => {
  if (typeof value === "object")
    return Object.entries(value)
      .map((entry) => entry.join(" "))
      .join(", ")
  if (typeof value === "string") return /^\d/.test(value) ? value : `\`"${value}"\``
  return name.endsWith("Bytes") ? Limit.format(Number(value)) : value.toLocaleString("en-US")
}
