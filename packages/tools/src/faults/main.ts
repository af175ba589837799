/**
 * Writes docs/faults.md by running every fault of the table, or says with `--check` whether it is what would be written
 * now. Fails when a run does not end as the library promises, or when the stand-in service knows a fault that the table
 * does not.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Runtime from "effect/Runtime"
import { Fault } from "@sluice/sandbox"
import { attacks } from "./Attacks.ts"
import * as Families from "./Families.ts"
import * as Jobs from "./Jobs.ts"
import * as LivePage from "./LivePage.ts"
import * as Markdown from "./Markdown.ts"
import * as Row from "./Row.ts"
import * as Run from "./Run.ts"
import * as Syncs from "./Syncs.ts"
import { groups } from "./Table.ts"
import * as Verdict from "./Verdict.ts"

const file = "docs/faults.md"

/** Most runs wait for a time limit; more at once would make the short ones late. */
const concurrency = 8

/** A promise was broken, or the page is out of date; what was printed says which. */
class Failed extends Data.TaggedError("Failed") {
  override readonly [Runtime.errorReported] = false
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

/** What is wrong with the table and with the runs, a sentence each. */
const problemsOf = (report: Markdown.Report): ReadonlyArray<string> => {
  const known = new Set(sorts.flatMap(({ rows }) => rows.flatMap(Row.kindsOf)))
  const unknown = Fault.kinds
    .filter((kind) => !known.has(kind))
    .map((kind) => `The fault ${kind} has no row in packages/tools/src/faults/Table.ts or Attacks.ts.`)
  const broken = report.cases.flatMap((one) =>
    Verdict.problems(one).map((problem) => `${Row.spec(one.row, one.format, one.when)}, ${one.format}: ${problem}.`)
  )
  return [...unknown, ...broken]
}

/** How the page that is there differs from the one that would be written. */
const differences = (found: string, page: string): ReadonlyArray<string> => {
  if (found === page) return []
  const known = new Set(found.split("\n"))
  const changed = page.split("\n").filter((line) => !known.has(line))
  return [
    `${file} is not what the faults do now: run \`pnpm faults\` and commit the result.`,
    ...changed.map((line) => `now: ${line}`)
  ]
}

const command = Command.make(
  "faults",
  { check: Flag.Boolean("check").pipe(Flag.withDefault(false), Flag.withDescription("Only compare, write nothing")) },
  Effect.fnUntraced(function* ({ check }) {
    const files = yield* FileSystem.FileSystem
    const report = yield* measure
    const jobs = yield* Jobs.measure
    const families = yield* Families.measure
    const syncs = yield* Syncs.measure
    const live = yield* LivePage.measure
    const parts = [
      Markdown.print(report).trimEnd(),
      Jobs.print(jobs),
      Families.print(families),
      Syncs.print(syncs),
      LivePage.print(live)
    ]
    const page = `${parts.join("\n\n")}\n`
    const found = check && (yield* files.exists(file)) ? yield* files.readFileString(file) : ""
    const problems = [
      ...problemsOf(report),
      ...Jobs.problems(jobs),
      ...Families.problems(families),
      ...Syncs.problems(syncs),
      ...live.flatMap(LivePage.problems),
      ...(check ? differences(found, page) : [])
    ]
    for (const problem of problems) yield* Console.error(problem)
    if (problems.length > 0) return yield* new Failed()
    if (!check) yield* files.writeFileString(file, page)
  })
).pipe(Command.withDescription("Runs every fault of the table and writes what a user sees of each"))

command.pipe(Command.run({ version: "0.1.0" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
