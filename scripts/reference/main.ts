/**
 * Writes the pages that are built (docs/reference.md and its neighbours, and one for each operation in out/reference) and the data that the command line shows. With `--check`
 * it writes nothing: it fails where an export has no sentence, and where the data of the command line is out of date.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Descriptions from "./Descriptions.ts"
import * as Faults from "./Faults.ts"
import * as Markdown from "./Markdown.ts"
import * as Model from "./Model.ts"
import * as Operations from "./Operations.ts"
import * as Python from "./Python.ts"
import * as Questions from "./Questions.ts"
import * as Samples from "./Samples.ts"
import { Unresolved } from "./Doc.ts"

/** Not committed. */
const pages = {
  "docs/reference.md": Markdown.print,
  "docs/python-members.md": Python.print,
  "docs/stand-in-faults.md": Faults.print,
  "docs/service-questions.md": Questions.print
}

const descriptions = "packages/cli/src/endpoints/descriptions.json"

const fail = (sentence: string) => {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

const run = async (isCheck: boolean) => {
  const reference = Model.make()
  for (const [file, print] of Object.entries(pages)) {
    const text = print(reference)
    if (!isCheck) writeFileSync(file, text)
  }
  if (!isCheck) await writeOperations(reference)
  const text = Descriptions.print(reference)
  if (!isCheck) return writeFileSync(descriptions, text)
  if (!existsSync(descriptions) || readFileSync(descriptions, "utf8") !== text) {
    fail(`${descriptions} is out of date: run \`pnpm reference\` and commit the result.`)
  }
}

/** A page for each operation and each section. */
const writeOperations = async (reference: Model.Reference) => {
  rmSync(Operations.folder, { recursive: true, force: true })
  mkdirSync(Operations.folder, { recursive: true })
  const samples = await Samples.make()
  for (const [name, text] of Operations.print(reference, samples))
    writeFileSync(`${Operations.folder}/${name}.md`, text)
}

try {
  await run(process.argv.includes("--check"))
} catch (error) {
  if (!(error instanceof Unresolved)) throw error
  fail(error.message)
}
