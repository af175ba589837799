/** The rows of a list of what there is to read: a table, NDJSON or CSV. */
import type { Column } from "@sluice/files/Format"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as SafeOutput from "../../terminal/SafeOutput.ts"
import { jsonOf, Screen } from "../../terminal/Screen.ts"
import * as Table from "../../terminal/Table.ts"
import type { ListInput } from "../flags/FormatFlags.ts"

export const column = (name: string, kind: Column["kind"]): Column => ({ name, kind, nullable: true })

export const text = (name: string) => column(name, "text")

export const time = (name: string) => column(name, "timestamp")

/** Prints rows in the format that is named, else as a table on a terminal and NDJSON elsewhere. */
export const print = Effect.fnUntraced(function* (
  all: ReadonlyArray<object>,
  columns: ReadonlyArray<Column>,
  { format, limit }: ListInput
) {
  const screen = yield* Screen
  const isJson = yield* GlobalFlags.Json
  const rows = all.slice(0, limit)
  const as = format ?? (screen.out.isTerminal && !isJson ? "table" : "ndjson")
  if (rows.length === 0 && !isJson) yield* screen.say(`${screen.err.style.dim("Nothing found.")}\n`)
  if (as === "csv") {
    const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ name }) => cellOf(row, name)))]
    const csv = Stream.make(new TextEncoder().encode(lines.map((cells) => `${cells.join(",")}\r\n`).join("")))
    return yield* screen.write(screen.out.isTerminal ? SafeOutput.data("csv", csv) : csv)
  }
  if (as === "ndjson") {
    const lines = rows.map((row) => `${jsonOf(row)}\n`)
    return yield* screen.write(Stream.make(lines.join("")))
  }
  if (rows.length === 0) return
  const table = Table.make(columns, screen.out)
  yield* screen.write(table.lines(Stream.fromIterable(rows)))
  const hidden = Table.hiddenIn(table, "widen the terminal, or take --format csv for all")
  if (hidden !== undefined) yield* screen.say(`${screen.err.style.dim(hidden)}\n`)
})

/** A cell of CSV: nothing where there is no value, in quotes where it would be read as something else. */
const cellOf = (row: object, name: string): string => {
  const value: unknown = Predicate.hasProperty(row, name) ? row[name] : undefined
  if (value === undefined || value === null) return ""
  const text = String(value)
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
