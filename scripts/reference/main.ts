/**
 * Writes docs/reference.md, or says with `--check` whether it is what would be written now.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as Markdown from "./Markdown.ts"
import * as Model from "./Model.ts"
import { Unresolved } from "./Unresolved.ts"

const file = "docs/reference.md"

const fail = (sentence: string) => {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

const run = (isCheck: boolean) => {
  const page = Markdown.print(Model.make())
  if (!isCheck) return writeFileSync(file, page)
  const found = existsSync(file) ? readFileSync(file, "utf8") : undefined
  if (found !== page) fail(`${file} is not what the sources say now: run \`pnpm reference\` and commit the result.`)
}

try {
  run(process.argv.includes("--check"))
} catch (error) {
  if (!(error instanceof Unresolved)) throw error
  fail(error.message)
}
