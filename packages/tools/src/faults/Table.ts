/** The tables of lists: every kind of fault has a row in one of them, and every row is run. */
import { Fault } from "@sluice/sandbox"
import { Effect } from "effect"
import * as List from "./List.ts"
import * as Markdown from "./Markdown.ts"
import type * as Page from "./Page.ts"
import * as Row from "./Row.ts"
import * as Verdict from "./Verdict.ts"

/** Most runs wait for a time limit; more at once would make the short ones late. */
const concurrency = 8

/** The first cell of the head of each. */
export const first = "the service …"

/** The tables of lists among the pieces of a page. */
export const all = (pieces: ReadonlyArray<string | Page.Table>): ReadonlyArray<Page.Table> =>
  pieces.filter((piece) => typeof piece !== "string").filter(({ head }) => head[0] === first)

/** The ways to meet a fault. */
export const ways = (row: Row.Row): ReadonlyArray<Pick<Verdict.Case, "row" | "format" | "when">> =>
  row.formats.flatMap((format) => Row.whens.map((when) => ({ row, format, when }) as const))

/** The results that a kind of a group has instead of a run. */
const without: { readonly [group in Fault.Group]?: ReadonlyArray<string> } = {
  page: ["", "", "", Row.none],
  line: [Row.none]
}

const newRow = ({ doc, example, group }: (typeof Fault.table)[number]) => [
  `sends a reply that ${doc} (\`${example}\`)`,
  "",
  ...(without[group] ?? [])
]

const kindsIn = (table: Page.Table) => Row.all(table).flatMap(Row.kindsOf)

/** The pieces with a row for each kind that had none, at the end of the first table that has a kind of its group. */
export const complete = (pieces: ReadonlyArray<string | Page.Table>): ReadonlyArray<string | Page.Table> => {
  const tables = all(pieces)
  const known = new Set(tables.flatMap(kindsIn))
  const groups = new Map<string, Fault.Group>(Fault.table.map(({ group, kind }) => [kind, group]))
  const missing = Map.groupBy(
    Fault.table.filter(({ kind }) => !known.has(kind)),
    ({ group }) => tables.find((table) => kindsIn(table).some((kind) => groups.get(kind) === group)) ?? tables[0]
  )
  return pieces.map((piece) =>
    typeof piece === "string" ? piece : { ...piece, rows: [...piece.rows, ...(missing.get(piece) ?? []).map(newRow)] }
  )
}

/** Runs the rows of a table, and compares them with the records that come undisturbed. */
export const measure = Effect.fnUntraced(function* (table: Page.Table, clean: ReadonlyArray<List.Row>) {
  const rows = Row.all(table)
  const cases = yield* Effect.forEach(
    rows.flatMap(ways),
    ({ format, row, when }) =>
      Effect.map(List.run(format, Row.spec(row, format, when), row), (outcome): Verdict.Case => ({
        row,
        format,
        when,
        outcome,
        comparison: Verdict.compare(clean, outcome, row.without)
      })),
    { concurrency }
  )
  return {
    rows: rows.flatMap((row) =>
      Markdown.lines(
        row,
        cases.filter((one) => one.row === row)
      )
    ),
    problems: cases.flatMap((one) =>
      Verdict.problems(one).map((problem) => `${Row.spec(one.row, one.format, one.when)}, ${one.format}: ${problem}.`)
    )
  } satisfies Page.Measured
})
