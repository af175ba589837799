/**
 * Records as a table: aligned, numbers on the right, cut to the width of the terminal.
 *
 * `console.table` needs all records at once, and does not know the width of the terminal.
 */
import { harmless } from "@sluice/core/PlainText"
import { type Column, textOf } from "@sluice/files/Format"
import * as Arr from "effect/Array"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { Side } from "./Screen.ts"
import * as Style from "./Style.ts"

/** A column and its width on the screen. */
export interface Placed {
  readonly column: Column
  readonly width: number
}

/** The widths are those of the first records. Later cells are cut, or exceed the width where nothing is cut. */
const measured = 500

/** A table that is written while its records arrive. */
export interface Table {
  /** The lines of the records, several in each text. */
  readonly lines: <E, R>(records: Stream.Stream<unknown, E, R>) => Stream.Stream<string, E, R>
  /** How many non-empty columns did not fit; known after the first lines. */
  readonly hidden: () => number
  readonly isEmpty: () => boolean
}

/**
 * Builds a table of live records, whose lines are written as soon as the records arrive. Columns grow with what they hold,
 * so that nothing is cut because an earlier record was shorter; where a column appears, the names are printed again.
 */
export const makeLive = (columns: ReadonlyArray<Column>, side: Side): Table => {
  let places: Places | undefined
  const widths = columns.map(() => 0)
  const lines: Table["lines"] = (records) =>
    Stream.mapArray(records, (batch) => {
      const cells = batch.map((record) => columns.map((column) => cellOf(column, record)))
      for (const row of cells) {
        for (const [index, text] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, Style.widthOf(text))
      }
      const before = places?.shown.map(({ column }) => column.name).join(" ")
      const { shown } = (places = placeWithin(columns, widths, side))
      const isChanged = before !== shown.map(({ column }) => column.name).join(" ")
      const rows = cells.map((row) => line(shown, columns, row, side))
      return [`${[...(isChanged ? headOf(shown, side) : []), ...rows].join("\n")}\n`]
    })
  return { lines, hidden: () => places?.hidden ?? 0, isEmpty: () => places === undefined }
}

export const make = (columns: ReadonlyArray<Column>, side: Side): Table => {
  let places: Places | undefined
  let days: ReadonlySet<Column> = new Set()
  const cellsOf = (batch: ReadonlyArray<unknown>) =>
    batch.map((record) =>
      columns.map((column) => {
        const text = cellOf(column, record)
        return days.has(column) ? text.replace(midnight, "") : text
      })
    )
  const lines: Table["lines"] = (records) =>
    records.pipe(
      Stream.rechunk(measured),
      Stream.mapArray((batch) => {
        let cells = cellsOf(batch)
        const head = places === undefined
        if (
          head &&
          side.isTerminal &&
          widthOf(place(columns, cells, { ...side, isTerminal: false }).shown) > side.columns
        ) {
          days = daysIn(columns, cells)
          cells = cellsOf(batch)
        }
        const { shown } = (places ??= place(columns, cells, side))
        const rows = cells.map((row) => line(shown, columns, row, side))
        return [`${[...(head ? headOf(shown, side) : []), ...rows].join("\n")}\n`]
      })
    )
  return { lines, hidden: () => places?.hidden ?? 0, isEmpty: () => places === undefined }
}

/** Says that columns did not fit, and what to do; nothing where all did. */
export const hiddenIn = (table: Table, remedy: string): string | undefined => {
  const hidden = table.hidden()
  if (hidden === 0) return undefined
  return `${hidden === 1 ? "One column does" : `${hidden} columns do`} not fit: ${remedy}.`
}

/** The text of a cell: empty where the record lacks the field, `null` for null. */
export const cellOf = ({ kind, name }: Column, record: unknown): string => {
  const value: unknown = Predicate.hasProperty(record, name) ? record[name] : undefined
  if (Array.isArray(value)) return harmless(listOf(value))
  const text = textOf(record, name) ?? ""
  return harmless(kind === "timestamp" ? short(text) : text)
}

/** Of objects only their number: as JSON, a catalog of metrics would fill the line. Other formats have all of them. */
const listOf = (items: ReadonlyArray<unknown>): string =>
  items.some(Predicate.isObjectOrArray)
    ? `${items.length} ${items.length === 1 ? "object" : "objects"}`
    : items.join(", ")

const midnight = /T00:00:00Z$/

/** Columns of times that are all beginnings of days: where a table is too wide, the days say as much. */
const daysIn = (columns: ReadonlyArray<Column>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlySet<Column> =>
  new Set(
    columns.filter(
      ({ kind }, index) =>
        kind === "timestamp" &&
        rows.every((row) => /^(?:null)?$/.test(row[index] ?? "") || midnight.test(row[index] ?? ""))
    )
  )

// A fraction of nine zeros takes room from other columns.
const short = (time: string) => time.replace(/\.0+(?=Z?$)/, "")

/** Whether its cells are numbers, which stand on the right and are never cut. */
const isNumber = ({ kind }: Column) => kind === "decimal" || kind === "integer" || kind === "number"

interface Places {
  readonly shown: ReadonlyArray<Placed>
  readonly hidden: number
}

const place = (columns: ReadonlyArray<Column>, rows: ReadonlyArray<ReadonlyArray<string>>, side: Side): Places =>
  placeWithin(
    columns,
    columns.map((_, index) => Math.max(0, ...rows.map((row) => Style.widthOf(row[index] ?? "")))),
    side
  )

/** Places columns by the widths of their cells; 0 where all are empty. */
const placeWithin = (columns: ReadonlyArray<Column>, widths: ReadonlyArray<number>, side: Side): Places => {
  const all = columns.map((column, index): Placed => ({
    column,
    width: Math.max(Style.widthOf(column.name), widths[index] ?? 0)
  }))
  // A column that is empty in the first records would take room from the others.
  const filled = all.filter((_, index) => widths[index] !== 0)
  const wanted = filled.length > 0 ? filled : all
  const shown = side.isTerminal ? fit(wanted, side.columns) : wanted
  return { shown, hidden: wanted.length - shown.length }
}

/** Columns of a row, with two blanks between its cells. */
export const widthOf = (placed: ReadonlyArray<Placed>): number =>
  placed.reduce((sum, { width }) => sum + width, 0) + 2 * Math.max(0, placed.length - 1)

/** Cuts the longest texts, and leaves out columns from the right, until the table fits. Numbers are never cut. */
const fit = (placed: ReadonlyArray<Placed>, columns: number): ReadonlyArray<Placed> => {
  const short = shrink(placed, columns, 32)
  let count = short.length
  while (count > 2 && widthOf(short.slice(0, count)) > columns) count -= 1
  return shrink(placed.slice(0, count), columns, 8)
}

/** Cuts the widest texts, but none below `least`. */
const shrink = (placed: ReadonlyArray<Placed>, columns: number, least: number): ReadonlyArray<Placed> => {
  const over = widthOf(placed) - columns
  const [broad] = placed
    .filter(({ column, width }) => !isNumber(column) && width > least)
    .toSorted((a, b) => b.width - a.width)
  if (over <= 0 || broad === undefined) return placed
  const width = Math.max(least, broad.width - over)
  return shrink(
    placed.map((one) => (one === broad ? { ...one, width } : one)),
    columns,
    least
  )
}

const headOf = (placed: ReadonlyArray<Placed>, { columns, isTerminal, style }: Side) => {
  const names = placed.map((one) => pad(one, Style.cut(one.column.name, one.width)))
  const text = names.join("  ").trimEnd()
  return [style.bold(isTerminal ? Style.cut(text, columns) : text)]
}

/** A cell as wide as its column. */
export const pad = ({ column, width }: Placed, text: string): string => {
  const room = " ".repeat(Math.max(0, width - Style.widthOf(text)))
  return isNumber(column) ? room + text : text + room
}

const line = (
  placed: ReadonlyArray<Placed>,
  columns: ReadonlyArray<Column>,
  row: ReadonlyArray<string>,
  { isTerminal, style }: Side
) =>
  Arr.map(placed, (one) => {
    const text = row[columns.indexOf(one.column)] ?? ""
    const shown = pad(one, isTerminal ? Style.cut(text, one.width) : text)
    return text === "null" ? style.dim(shown) : shown
  })
    .join("  ")
    .trimEnd()
