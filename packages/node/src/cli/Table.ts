/**
 * Records as a table: aligned, numbers on the right, cut to the width of the terminal.
 */
import * as Arr from "effect/Array"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { Column } from "../formats/Columns.ts"
import type { Side } from "./Screen.ts"
import * as Style from "./Style.ts"

/** A column with its place on the screen. */
interface Placed {
  readonly column: Column
  readonly width: number
  readonly isNumber: boolean
}

/** How many records the widths are measured by; those that follow are cut, or stand out where nothing is cut. */
const measured = 500

const widest = 60

/** The lines of a table, for each array of records one text. */
export const lines =
  (columns: ReadonlyArray<Column>, side: Side) =>
  <E, R>(records: Stream.Stream<unknown, E, R>): Stream.Stream<string, E, R> =>
    Stream.suspend(() => {
      let placed: ReadonlyArray<Placed> | undefined
      return records.pipe(
        Stream.rechunk(measured),
        Stream.mapArray((batch) => {
          const cells = batch.map((record) => columns.map((column) => cellOf(column, record)))
          const head = placed === undefined
          placed ??= place(columns, cells, side)
          const rows = cells.map((row) => line(placed ?? [], columns, row, side))
          return [`${[...(head ? headOf(placed, side) : []), ...rows].join("\n")}\n`]
        })
      )
    })

/** What stands in a cell: nothing where the record has nothing, `null` where it has that. */
const cellOf = ({ kind, name }: Column, record: unknown): string => {
  const value: unknown = Predicate.isObject(record) ? Reflect.get(record, name) : undefined
  if (value === undefined) return ""
  if (!Predicate.isString(value)) return Style.oneLine(JSON.stringify(value))
  return Style.oneLine(kind === "timestamp" ? short(value) : value)
}

// Nine digits of a fraction that is zero only push other columns off the screen.
const short = (time: string) => time.replace(/\.0+(?=Z?$)/, "")

const isNumber = ({ kind }: Column) => kind === "decimal" || kind === "number"

const place = (columns: ReadonlyArray<Column>, rows: ReadonlyArray<ReadonlyArray<string>>, side: Side) => {
  const all = columns.map((column, index): Placed => {
    const width = Math.max(Style.widthOf(column.name), ...rows.map((row) => Style.widthOf(row[index] ?? "")))
    return { column, width: side.isTerminal ? Math.min(width, widest) : width, isNumber: isNumber(column) }
  })
  // A column that is empty in all that was measured takes room from the others.
  const filled = all.filter((_, index) => rows.some((row) => row[index] !== ""))
  const shown = filled.length > 0 ? filled : all
  return side.isTerminal ? shrink(shown, side.columns) : shown
}

const widthOf = (placed: ReadonlyArray<Placed>) =>
  placed.reduce((sum, { width }) => sum + width, 0) + 2 * Math.max(0, placed.length - 1)

/** Takes from the widest texts first, then leaves columns out from the right. */
const shrink = (placed: ReadonlyArray<Placed>, columns: number): ReadonlyArray<Placed> => {
  const over = widthOf(placed) - columns
  if (over <= 0) return placed
  const [broad] = placed.filter(({ isNumber, width }) => !isNumber && width > 12).toSorted((a, b) => b.width - a.width)
  if (broad !== undefined) {
    const width = Math.max(12, broad.width - over)
    return shrink(
      placed.map((one) => (one === broad ? { ...one, width } : one)),
      columns
    )
  }
  return placed.length > 1 ? shrink(placed.slice(0, -1), columns) : placed
}

const headOf = (placed: ReadonlyArray<Placed>, { columns, isTerminal, style }: Side) => {
  const names = placed.map((one) => pad(one, Style.cut(one.column.name, one.width)))
  const text = names.join("  ").trimEnd()
  return [style.bold(isTerminal ? Style.cut(text, columns) : text)]
}

const pad = ({ isNumber, width }: Placed, text: string) => {
  const room = " ".repeat(Math.max(0, width - Style.widthOf(text)))
  return isNumber ? room + text : text + room
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
