/**
 * Writes docs/faults.md by running every fault of the table, or says with `--check` whether it is what would be written
 * now. Fails when a run does not end as the library promises.
 */
import { Console, Effect, FileSystem } from "effect"
import { Command, Flag } from "effect/cli"
import * as Tool from "../Tool.ts"
import { attacks } from "./Attacks.ts"
import * as Grids from "./Grids.ts"
import * as List from "./List.ts"
import * as LiveStreams from "./LiveStreams.ts"
import * as Markdown from "./Markdown.ts"
import type * as Page from "./Page.ts"
import * as Row from "./Row.ts"
import * as Syncs from "./Syncs.ts"
import { groups } from "./Table.ts"
import * as Verdict from "./Verdict.ts"

const file = "docs/faults.md"

/** Most runs wait for a time limit; more at once would make the short ones late. */
const concurrency = 8

const rows: ReadonlyArray<Row.Row> = [...groups, ...attacks].flatMap(({ rows }): ReadonlyArray<Row.Row> => rows)

const all = rows.flatMap((row) =>
  Row.formatsOf(row).flatMap((format) => Row.whens.map((when) => ({ row, format, when }) as const))
)

const measure = Effect.gen(function* () {
  const clean = { pages: yield* List.run("pages"), json_stream: yield* List.run("json_stream") }
  const cases = yield* Effect.forEach(
    all,
    ({ format, row, when }) =>
      Effect.map(List.run(format, Row.spec(row, format, when), row), (outcome): Verdict.Case => ({
        row,
        format,
        when,
        outcome,
        comparison: Verdict.compare(clean.pages.records, outcome, row.without)
      })),
    { concurrency }
  )
  const section: Page.Section = {
    text: Markdown.print({
      groups,
      attacks,
      cases,
      total: clean.pages.records.length,
      undisturbed: { pages: clean.pages.sent, json_stream: clean.json_stream.sent }
    }),
    problems: cases.flatMap((one) =>
      Verdict.problems(one).map((problem) => `${Row.spec(one.row, one.format, one.when)}, ${one.format}: ${problem}.`)
    )
  }
  return section
})

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
    const sections = yield* Effect.all([measure, Grids.jobs, Grids.families, Syncs.measure, LiveStreams.measure])
    const page = `${sections.map(({ text }) => text).join("\n\n")}\n`
    const found = check && (yield* files.exists(file)) ? yield* files.readFileString(file) : ""
    const problems = [...sections.flatMap(({ problems }) => problems), ...(check ? differences(found, page) : [])]
    for (const problem of problems) yield* Console.error(problem)
    if (problems.length > 0) return yield* new Tool.Found()
    if (!check) yield* files.writeFileString(file, page)
  })
).pipe(Command.withDescription("Runs every fault of the table and writes what a user sees of each"))

Tool.main(command)
