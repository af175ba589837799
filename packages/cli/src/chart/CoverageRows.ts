/** Bars of the times that are covered, one for each entity, with holes. */
import type * as Chart from "./Chart.ts"
import * as Frame from "./Frame.ts"

/** Draws a bar for each entity, whose name, cut where it is too long, stands before it. A hole can be seen however short it is. */
export const draw = (
  rows: ReadonlyArray<Chart.Covered>,
  { from, to }: Chart.Range,
  frame: Frame.Frame,
  widthOf: (text: string) => number
): ReadonlyArray<string> => {
  const { bar, cut, full, some } = Frame.lettersOf(frame)
  const room = Frame.roomOf(frame)
  const each = (to - from) / room || 1
  const columnOf = (at: number) => Math.max(0, Math.min(room - 1, Math.floor((at - from) / each)))
  const startOf = (column: number) => from + column * each
  return rows.map(({ marked = [], name, ranges }) => {
    const cells = Array.from({ length: room }, () => " ")
    const fill = (range: Chart.Range, change: (before: string) => string) => {
      const first = columnOf(range.from)
      for (let column = first; column === first || (column < room && startOf(column) < range.to); column++) {
        cells[column] = change(cells[column]!)
      }
    }
    for (const range of ranges) fill(range, () => full)
    for (const hole of [...holesOf(ranges), ...marked]) fill(hole, (before) => (before === " " ? " " : some))
    const isCut = widthOf(name) > frame.margin
    const label = isCut ? [...name].slice(0, frame.margin - 1).join("") + cut : name
    const before = label + " ".repeat(Math.max(0, frame.margin - widthOf(label)))
    return `${before}${frame.dim(` ${bar}`)}${frame.up(cells.join("").trimEnd())}`
  })
}

/** The times between ranges that are in order. */
export const holesOf = (ranges: ReadonlyArray<Chart.Range>): ReadonlyArray<Chart.Range> =>
  ranges.slice(1).map(({ from }, index) => ({ from: ranges[index]!.to, to: from }))
