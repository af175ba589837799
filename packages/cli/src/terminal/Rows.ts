/**
 * A few rows as a table that drops nothing: what does not fit into the width of the terminal stands below its row, by its name.
 */
import type { Column } from "@sluice/files/Format"
import type { Side } from "./Screen.ts"
import * as Style from "./Style.ts"
import * as Table from "./Table.ts"

/** Columns of a text beyond which it stands below its row, where the table is too wide otherwise. */
const most = 16

const margin = "  "

interface Placed extends Table.Placed {
  readonly cells: ReadonlyArray<string>
}

/** The lines of the rows. The first columns are those that matter most. */
export const lines = (
  columns: ReadonlyArray<Column>,
  records: ReadonlyArray<object>,
  side: Pick<Side, "columns" | "style">
): ReadonlyArray<string> => {
  const all = columns.flatMap((column): ReadonlyArray<Placed> => {
    const cells = records.map((record) => cellOf(column, record))
    const width = Math.max(...cells.map(Style.widthOf))
    return width > 0 ? [{ column, cells, width: Math.max(width, Style.widthOf(column.name)) }] : []
  })
  const isWide = Table.widthOf(all) <= side.columns
  const placed = isWide ? all : firstOf(all, side.columns)
  const head = placed.map((one) => Table.pad(one, one.column.name)).join(margin)
  return [
    side.style.bold(head.trimEnd()),
    ...records.flatMap((_, index) => {
      const row = placed.map((one) => Table.pad(one, Style.cut(one.cells[index] ?? "", one.width))).join(margin)
      const below = all.flatMap(({ cells, column }) => {
        const text = cells[index] ?? ""
        const shown = placed.find((one) => one.column === column)
        return text === "" || (shown !== undefined && Style.widthOf(text) <= shown.width)
          ? []
          : [`${column.name} ${text}`]
      })
      return [row.trimEnd(), ...together(below, side.columns).map((line) => side.style.dim(line))]
    })
  ]
}

/** Of a time the second, or the day where it is at its beginning. */
const cellOf = (column: Column, record: object): string => {
  const text = Table.cellOf(column, record)
  return column.kind === "timestamp" ? text.replace(/\.\d+/, "").replace(/T00:00:00Z$|^null$/, "") : text
}

const narrowed = (one: Placed): Placed => ({
  ...one,
  width: one.column.kind === "text" ? Math.min(one.width, Math.max(most, Style.widthOf(one.column.name))) : one.width
})

/** As many of the first columns as fit, the last of them uncut; one in any case. */
const firstOf = (all: ReadonlyArray<Placed>, columns: number): ReadonlyArray<Placed> => {
  const placed = all.map(narrowed)
  const isCut = (index: number) => placed[index]?.width !== all[index]?.width
  let count = placed.length
  while (count > 1 && (Table.widthOf(placed.slice(0, count)) > columns || isCut(count - 1))) count -= 1
  return placed.slice(0, count)
}

/** Several texts in a line where they fit; a longer one in lines of its own. */
const together = (texts: ReadonlyArray<string>, columns: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let room = 0
  for (const text of texts) {
    if (2 + Style.widthOf(text) <= room) {
      found.push(`${found.pop() ?? ""}, ${text}`)
      room -= 2 + Style.widthOf(text)
    } else {
      const [first = "", ...more] = Style.wrap(text, columns - 2 * margin.length)
      found.push(margin + first, ...more.map((line) => margin + margin + line))
      room = more.length > 0 ? 0 : columns - margin.length - Style.widthOf(first)
    }
  }
  return found
}
