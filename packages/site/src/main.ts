/**
 * `pnpm run docs`: builds the site from `docs/`, the README and the doc comments into `out/site`. Fails on a link that
 * leads nowhere, on code or a default that differs from its file, on a program that does not compile, on a public export or a
 * field of one without a sentence, and on a page that the navigation does not list.
 */
import { resolve } from "node:path"
import * as Fields from "./Fields.ts"
import * as Links from "./Links.ts"
import * as Programs from "./Programs.ts"
import * as Site from "./Site.ts"
import * as Snippets from "./Snippets.ts"

const root = resolve(import.meta.dirname, "../../..")
const folder = resolve(root, "out/site")

const stale = Snippets.stale(root).map(({ page }) => `${page}: is out of date; run \`pnpm snippets\``)
const problems = [
  ...Fields.silent(),
  ...stale,
  ...Programs.broken(root),
  ...(await Site.build(root, folder)),
  ...Links.broken(folder)
]
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.stdout.write(problems.length === 0 ? `The site is in ${folder}.\n` : `${problems.length} problems.\n`)
process.exitCode = problems.length === 0 ? 0 : 1
