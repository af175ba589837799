/** `pnpm snippets`: brings the code and the defaults on the pages up to date. The tests compare them. */
import { writeFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Snippets from "./Snippets.ts"

const root = resolve(import.meta.dirname, "../../..")

for (const { page, text } of Snippets.stale(root)) {
  writeFileSync(resolve(root, page), text)
  process.stdout.write(`${page} is brought up to date.\n`)
}
