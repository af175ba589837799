/**
 * Writes docs/faults.md by running every fault of the table, or says with `--check` whether it is what would be written
 * now. Fails when a run does not end as the library promises, or when the stand-in service knows a fault that the table
 * does not.
 */
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { Fault } from "@sluice/sandbox"
import { attacks } from "./Attacks.ts"
import * as Markdown from "./Markdown.ts"
import * as Row from "./Row.ts"
import * as Run from "./Run.ts"
import { groups } from "./Table.ts"
import * as Verdict from "./Verdict.ts"

const file = "docs/faults.md"

/** Most runs wait for a time limit; more at once would make the short ones late. */
const concurrency = 8

const fail = (sentence: string) => {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

const sorts: ReadonlyArray<{ readonly rows: ReadonlyArray<Row.Row> }> = [...groups, ...attacks]

const all = sorts.flatMap(({ rows }) =>
  rows.flatMap((row) =>
    Row.formatsOf(row).flatMap((format) => Row.whens.map((when) => ({ row, format, when }) as const))
  )
)

const measure = Effect.gen(function* () {
  const clean = { pages: yield* Run.run("pages", undefined), json_stream: yield* Run.run("json_stream", undefined) }
  const cases = yield* Effect.forEach(
    all,
    ({ format, row, when }) =>
      Effect.map(Run.run(format, Row.spec(row, format, when), row), (outcome): Verdict.Case => ({
        row,
        format,
        when,
        outcome,
        comparison: Verdict.compare(clean.pages.records, outcome, row.without)
      })),
    { concurrency }
  )
  const report: Markdown.Report = {
    groups,
    attacks,
    cases,
    total: clean.pages.records.length,
    undisturbed: { pages: clean.pages.sent, json_stream: clean.json_stream.sent }
  }
  return report
})

const known = new Set(sorts.flatMap(({ rows }) => rows.flatMap(Row.kindsOf)))
for (const kind of Fault.kinds) {
  if (!known.has(kind)) fail(`The fault ${kind} has no row in packages/tools/src/faults/Table.ts or Attacks.ts.`)
}

const report = await Effect.runPromise(measure)
for (const one of report.cases) {
  for (const problem of Verdict.problems(one))
    fail(`${Row.spec(one.row, one.format, one.when)}, ${one.format}: ${problem}.`)
}

const page = Markdown.print(report)
if (process.argv.includes("--check")) {
  const found = existsSync(file) ? readFileSync(file, "utf8") : undefined
  if (found !== page) {
    fail(`${file} is not what the faults do now: run \`pnpm faults\` and commit the result.`)
    const known = new Set(found?.split("\n"))
    for (const line of page.split("\n").filter((line) => !known.has(line))) fail(`now: ${line}`)
  }
} else if (process.exitCode === undefined) {
  writeFileSync(file, page)
}
