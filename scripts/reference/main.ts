/**
 * Writes docs/reference.md and the data the command line shows, or says with `--check` whether they are what would be
 * written now.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as Descriptions from "./Descriptions.ts"
import * as Markdown from "./Markdown.ts"
import * as Model from "./Model.ts"
import { Unresolved } from "./Unresolved.ts"

const files = {
  "docs/reference.md": Markdown.print,
  "packages/cli/src/endpoints/descriptions.json": Descriptions.print
}

const fail = (sentence: string) => {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

const run = (isCheck: boolean) => {
  const reference = Model.make()
  for (const [file, print] of Object.entries(files)) {
    const text = print(reference)
    if (!isCheck) {
      writeFileSync(file, text)
      continue
    }
    const found = existsSync(file) ? readFileSync(file, "utf8") : undefined
    if (found !== text) fail(`${file} is not what the sources say now: run \`pnpm reference\` and commit the result.`)
  }
}

try {
  run(process.argv.includes("--check"))
} catch (error) {
  if (!(error instanceof Unresolved)) throw error
  fail(error.message)
}
