/**
 * What assistants read: `llms.txt`, which tells where what is, `llms-full.txt` with the guides and what each operation is, and
 * `SKILL.md`, which tells when and how to use the command and the packages.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Pages from "./Pages.ts"
import * as Snippets from "./Snippets.ts"
import type { Entry, Kind } from "./search/Search.ts"

const titles: ReadonlyArray<readonly [Kind, string]> = [
  ["guide", "Guides"],
  ["reference", "Reference"],
  ["operation", "Operations"],
  ["design", "Design"]
]

const sentenceOf = ({ parts }: Entry) => /^.+?[.:](?=\s|$)/.exec(parts[0]?.text ?? "")?.[0] ?? ""

const lineOf = (entry: Entry) => `- [${entry.title}](${entry.url}): ${sentenceOf(entry)}`

/** The skill, with its programs in it. */
export const skill = (root: string): string =>
  Snippets.withCode(root, readFileSync(resolve(root, "packages/site/SKILL.md"), "utf8"))

export const write = (root: string, folder: string, pages: ReadonlyArray<Entry>): void => {
  const what =
    "> A client in TypeScript for a market and on-chain data service (Coin Metrics API v4): typed endpoints as streams, downloads, " +
    "datasets, live streams, a command line and a stand-in service for tests."
  const lists = titles.map(([kind, title]) => {
    const listed = pages.filter((page) => page.kind === kind)
    return `## ${title}\n\n${listed.map(lineOf).join("\n")}`
  })
  writeFileSync(join(folder, "llms.txt"), `${["# Sluice", what, ...lists].join("\n\n")}\n`)
  writeFileSync(join(folder, "SKILL.md"), skill(root))
  const files = [
    resolve(root, "README.md"),
    ...Pages.paths(resolve(root, "docs")).filter((path) => Pages.isGuide(path)),
    resolve(root, "docs/reference.md")
  ]
  writeFileSync(join(folder, "llms-full.txt"), files.map((file) => readFileSync(file, "utf8")).join("\n\n"))
}
