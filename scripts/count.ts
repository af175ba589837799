/**
 * Counts the lines of what is committed and written by hand, each beside its target. Files are those that git tracks.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"

interface Part {
  readonly name: string
  readonly target: number
  readonly has: (file: string) => boolean
}

/** Pages that commands write; of the faults a command writes the results, which are most of the page, and the words are by hand. */
const generated = ["docs/faults.md", "docs/imports.md", "packages/tools/defects.md"]

const isCode = (file: string) => /\.(?:ts|js|wat|css|yaml|service)$/.test(file)

const isTest = (file: string) => /^packages\/\w+\/(?:test|typetest)\//.test(file)

const isFixture = (file: string) => file.includes("/test/fixtures/")

const isSource = (file: string) => isCode(file) && /^(?:packages|scripts)\//.test(file) && !isTest(file)

/** The stand-in is a part of the source, and the fixtures are one of the tests. */
const parts: ReadonlyArray<Part> = [
  { name: "source, scripts and benchmarks", target: 62_000, has: isSource },
  { name: "  the stand-in", target: 9_000, has: (file) => isSource(file) && file.startsWith("packages/sandbox/") },
  { name: "tests", target: 42_000, has: (file) => isFixture(file) || (isCode(file) && isTest(file)) },
  { name: "  fixtures", target: 8_000, has: isFixture },
  { name: "hand-written pages", target: 5_342, has: (file) => file.endsWith(".md") && !generated.includes(file) }
]

const files = execFileSync("git", ["ls-files"], { encoding: "utf8" }).trim().split("\n").filter(existsSync)

/** Code that `snippets` fills in is counted where it is from. */
const filled = /(?<=```ts\n\/\/ packages\/\S+\n\n)[\s\S]*?(?=```)/g

const linesOf = (file: string) => {
  const text = readFileSync(file, "utf8")
  return (file.endsWith(".md") ? text.replaceAll(filled, "") : text).split("\n").length - 1
}

for (const { name, target, has } of parts) {
  const count = files.filter(has).reduce((sum, file) => sum + linesOf(file), 0)
  process.stdout.write(`${name.padEnd(32)}${String(count).padStart(7)} of ${target}\n`)
}
