/** Cells of text to draw on: dots of Braille, eight in a cell, or one mark of a series in each. */

/** Makes text of a series stand out. */
export type Paint = (text: string) => string

/** Dots that are set one by one; those of the first row are above. */
export interface Canvas {
  readonly columns: number
  readonly rows: number
  readonly set: (column: number, row: number, series: number) => void
  /** The lines of text; `paint` colours those of a series. */
  readonly lines: (paint: (series: number) => Paint) => ReadonlyArray<string>
}

const marks = ["*", "+", "o", "x", "#", "@", "%", "&"]

/** The mark of a series that no colour tells from the others. */
export const markOf = (series: number): string => marks[series % marks.length]!

/** The bits of a Braille pattern, by row and column. */
const bits = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]

const make = (
  width: number,
  height: number,
  across: number,
  down: number,
  letter: (bits: number, series: number) => string
) => {
  const dots = new Uint8Array(width * height)
  const series = new Uint8Array(width * height)
  const canvas: Canvas = {
    columns: width * across,
    rows: height * down,
    set: (column, row, of) => {
      const cell = Math.floor(row / down) * width + Math.floor(column / across)
      dots[cell]! |= bits[(row % down) * 2 + (column % across)]!
      series[cell] = of
    },
    lines: (paint) =>
      Array.from({ length: height }, (_, row) => {
        let line = ""
        for (let from = row * width, end = from + width; from < end;) {
          // Cells of one series are painted together.
          let to = from
          let text = ""
          while (
            to < end &&
            (dots[to] === 0) === (dots[from] === 0) &&
            (dots[to] === 0 || series[to] === series[from])
          ) {
            text += dots[to] === 0 ? " " : letter(dots[to]!, series[to]!)
            to += 1
          }
          line += dots[from] === 0 ? text : paint(series[from]!)(text)
          from = to
        }
        return line.trimEnd()
      })
  }
  return canvas
}

/** Makes a canvas of dots, two in a column of text and four in a line. */
export const braille = (width: number, height: number): Canvas =>
  make(width, height, 2, 4, (bits) => String.fromCharCode(0x2800 + bits))

/** Makes a canvas of cells, one in a column of text and one in a line: the mark of its series. */
export const cells = (width: number, height: number): Canvas => make(width, height, 1, 1, (_, series) => markOf(series))

/** A place on a canvas, counted from its upper left. */
export interface Dot {
  readonly column: number
  readonly row: number
}

/** Draws a straight line between two dots, both included. */
export const connect = (canvas: Canvas, from: Dot, to: Dot, series: number): void => {
  const [across, down] = [to.column - from.column, to.row - from.row]
  const steps = Math.max(Math.abs(across), Math.abs(down), 1)
  for (let step = 0; step <= steps; step++) {
    const column = Math.round(from.column + (across * step) / steps)
    canvas.set(column, Math.round(from.row + (down * step) / steps), series)
  }
}
