/** What stands around a chart of text: its axes, and the letters it is made of. */
import type { Paint } from "./Canvas.ts"
import type { Range } from "./Chart.ts"
import type { Scale } from "./Scale.ts"
import * as Times from "./Times.ts"

/** The sizes of a chart of text, and how its parts are coloured. */
export interface Frame {
  readonly width: number
  /** Lines of the chart, without its axis. */
  readonly height: number
  /** Columns before the vertical axis, and the blank that is before it. */
  readonly margin: number
  /** Whether no letters are used but those of ASCII. */
  readonly isAscii: boolean
  /** Colours of series, in turn; none where the output has none. */
  readonly paints: ReadonlyArray<Paint>
  /** Of what rises or is covered, and of what falls. */
  readonly up: Paint
  readonly down: Paint
  /** Of the axes. */
  readonly dim: Paint
}

/** The letters that charts are made of. */
export const lettersOf = ({ isAscii }: Pick<Frame, "isAscii">) =>
  isAscii
    ? { bar: "|", tick: "+", corner: "+", rule: "-", mark: "+", full: "#", some: "=", fallen: "o", cut: "~" }
    : { bar: "│", tick: "┤", corner: "└", rule: "─", mark: "┬", full: "█", some: "▒", fallen: "░", cut: "…" }

/** Columns of a chart, where its margin leaves fewer. */
const least = 10

/** Columns between the vertical axis and the end of the line. */
export const roomOf = ({ margin, width }: Pick<Frame, "margin" | "width">): number =>
  Math.max(least, width - margin - 2)

/** Labels by the number of their line, the first one above. */
export type Labels = ReadonlyMap<number, string>

/** A label for each line that has a round value; of values that would share a line each second, third and so on. */
export const labelsOf = (scale: Scale, height: number): Labels => {
  const ticks = scale.ticks(Math.max(1, Math.min(height - 1, Math.max(3, Math.floor(height / 3)))))
  for (let each = 1; ; each++) {
    const some = ticks.filter((_, index) => index % each === 0)
    const labels = some.map(({ text, value }) => [Math.round((1 - scale.placeOf(value)) * (height - 1)), text] as const)
    const found = new Map(labels)
    if (found.size === labels.length) return found
  }
}

/** Columns of text that the longest label takes. */
export const marginOf = (all: ReadonlyArray<Labels>): number =>
  Math.max(2, ...all.flatMap((labels) => [...labels.values()].map(({ length }) => length)))

/** Puts the vertical axis before lines, and a name before the first of them. */
export const framed = (
  lines: ReadonlyArray<string>,
  labels: Labels,
  frame: Frame,
  name = ""
): ReadonlyArray<string> => {
  const { bar, tick } = lettersOf(frame)
  return lines.map((line, row) => {
    const label = labels.get(row) ?? ""
    const before = (row === 0 ? name : "").padEnd(frame.margin - label.length) + label
    return frame.dim(`${before} ${label === "" ? bar : tick}`) + line
  })
}

/** Draws the horizontal axis: a rule, and round times below it. */
export const axis = (times: Range, frame: Frame): ReadonlyArray<string> => {
  const { corner, mark, rule } = lettersOf(frame)
  const room = roomOf(frame)
  const columns = Array.from({ length: room }, () => rule)
  let labels = ""
  for (const { at, text } of Times.fitting(times, room)) {
    const column = Math.round(((at - times.from) / (times.to - times.from || 1)) * (room - 1))
    const start = Math.max(0, Math.min(column, room - text.length))
    if (labels !== "" && start < labels.length + 2) continue
    columns[column] = mark
    labels = labels.padEnd(start) + text
  }
  const before = " ".repeat(frame.margin + 1)
  return [before + corner + columns.join(""), `${before} ${labels}`].map(frame.dim)
}
