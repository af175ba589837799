/**
 * Fills in docs/faults.md by running every fault on it, or says with `--check` whether it is what would be written now. Fails when
 * a run does not end as the library promises.
 */
import { Console, Effect, FileSystem } from "effect"
import { Command, Flag } from "effect/cli"
import * as Tool from "../Tool.ts"
import * as Grids from "./Grids.ts"
import * as List from "./List.ts"
import * as LiveStreams from "./LiveStreams.ts"
import * as Page from "./Page.ts"
import * as Row from "./Row.ts"
import * as Run from "./Run.ts"
import * as Syncs from "./Syncs.ts"
import * as Table from "./Table.ts"

const file = "docs/faults.md"

type Measure = (table: Page.Table) => Effect.Effect<Page.Measured, Error>

/** Of a table that no run says anything of. */
const keep: Measure = ({ rows }) => Effect.succeed({ rows, problems: [] })

/** Measures everything on the page: what it then says, and what is wrong. */
const measure = Effect.fnUntraced(function* (found: string) {
  const pages = yield* List.run("pages")
  const stream = yield* List.run("json_stream")
  /** What measures a table, by the first cell of its head. */
  const measures: Readonly<Record<string, Measure>> = {
    "you get": keep,
    [Table.first]: (table) => Table.measure(table, pages.records),
    "to a job, the service …": Grids.jobs,
    family: Grids.families,
    "what goes wrong": Syncs.measure,
    "the connection …": () => LiveStreams.measure
  }
  const pieces = Table.complete(Page.pieces(found))
  const names = pieces.flatMap((piece) => (typeof piece === "string" ? [] : piece.head.slice(0, 1)))
  const problems = [
    ...Object.keys(measures).flatMap((name) => (names.includes(name) ? [] : [`${file} has no table "${name}".`])),
    ...names.flatMap((name) => (name in measures ? [] : [`Nothing measures the table "${name}" of ${file}.`]))
  ]
  const filled = yield* Effect.forEach(
    pieces,
    Effect.fnUntraced(function* (piece) {
      if (typeof piece === "string") return piece
      const measured = yield* (measures[piece.head[0] ?? ""] ?? keep)(piece)
      problems.push(...measured.problems)
      return { ...piece, rows: measured.rows }
    })
  )
  const numbers = {
    runs: Table.all(pieces).flatMap(Row.all).flatMap(Table.ways).length,
    records: pages.records.length,
    "page size": List.pageSize,
    "requests for pages": pages.sent,
    "requests for json_stream": stream.sent,
    attempts: Run.attempts,
    "silent seconds": Run.limit.silent,
    seconds: Run.limit.other,
    "first page": Row.firstPage,
    "records before": (Row.firstPage - 1) * List.pageSize
  }
  return { page: Page.withNumbers(Page.join(filled), numbers), problems }
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
    const found = yield* files.readFileString(file)
    const measured = yield* measure(found)
    const problems = [...measured.problems, ...(check ? differences(found, measured.page) : [])]
    for (const problem of problems) yield* Console.error(problem)
    if (problems.length > 0) return yield* new Tool.Found()
    if (!check) yield* files.writeFileString(file, measured.page)
  })
).pipe(Command.withDescription("Runs every fault of the table and writes what a user sees of each"))

Tool.main(command)
