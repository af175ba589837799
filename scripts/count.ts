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

/** Pages that commands write. */
const generated = ["docs/faults.md", "docs/imports.md"]

const isCode = (file: string) => /\.(?:ts|js|wat|css|yaml|service)$/.test(file)

/** A file belongs to the first part that has it. */
const parts: ReadonlyArray<Part> = [
  { name: "fixtures", target: 8_000, has: (file) => file.includes("/test/fixtures/") },
  { name: "hand-written pages", target: 6_000, has: (file) => file.endsWith(".md") && !generated.includes(file) },
  { name: "tests", target: 42_000, has: (file) => isCode(file) && /^packages\/\w+\/(?:test|typetest)\//.test(file) },
  { name: "stand-in", target: 9_000, has: (file) => isCode(file) && file.startsWith("packages/sandbox/") },
  {
    name: "source, scripts and benchmarks",
    target: 62_000,
    has: (file) => isCode(file) && /^(?:packages|scripts)\//.test(file)
  }
]

const counts = new Map(parts.map((part) => [part, 0]))
for (const file of execFileSync("git", ["ls-files"], { encoding: "utf8" }).trim().split("\n")) {
  const part = parts.find(({ has }) => has(file))
  if (part === undefined || !existsSync(file)) continue
  counts.set(part, (counts.get(part) ?? 0) + readFileSync(file, "utf8").split("\n").length - 1)
}

for (const [{ name, target }, count] of [...counts].toReversed()) {
  process.stdout.write(`${name.padEnd(32)}${String(count).padStart(7)} of ${target}\n`)
}
