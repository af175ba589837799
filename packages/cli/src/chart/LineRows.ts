/** Lines as dots of Braille, or as the marks of their series. */
import * as Canvas from "./Canvas.ts"
import * as Chart from "./Chart.ts"
import * as Frame from "./Frame.ts"
import * as Scale from "./Scale.ts"

/** How series are told apart. */
export interface Pen {
  /** Whether each has a mark of its own, as series of one colour need. */
  readonly isMarked: boolean
  readonly paintOf: (series: number) => Canvas.Paint
}

/** How so many series are told apart. */
export const penOf = ({ isAscii, paints }: Pick<Frame.Frame, "isAscii" | "paints">, series: number): Pen => ({
  isMarked: isAscii || (paints.length === 0 && series > 1),
  paintOf: (index) => paints[index % paints.length] ?? ((text) => text)
})

/** The scale of all lines, from their lowest to their highest value. */
export const scaleOf = (lines: ReadonlyArray<Chart.Line>, isLog: boolean): Scale.Scale =>
  Scale.make(Chart.valuesOf(lines) ?? { low: 0, high: 1 }, isLog)

/** Draws lines between their lowest and their highest value; `name` stands before the first row. */
export const draw = (
  lines: ReadonlyArray<Chart.Line>,
  times: Chart.Range,
  frame: Frame.Frame,
  { isLog = false, name }: { readonly isLog?: boolean; readonly name?: string } = {}
): ReadonlyArray<string> => {
  const scale = scaleOf(lines, isLog)
  const { isMarked, paintOf } = penOf(frame, lines.length)
  const canvas = (isMarked ? Canvas.cells : Canvas.braille)(Frame.roomOf(frame), frame.height)
  const length = times.to - times.from
  const dotOf = ({ at, value }: Chart.Point): Canvas.Dot => ({
    column: Math.round((length === 0 ? 0.5 : (at - times.from) / length) * (canvas.columns - 1)),
    row: Math.round((1 - scale.placeOf(value)) * (canvas.rows - 1))
  })
  for (const [series, { pieces }] of lines.entries()) {
    for (const dots of pieces.map((piece) => piece.map(dotOf))) {
      for (const [index, dot] of dots.entries()) Canvas.connect(canvas, dots[index - 1] ?? dot, dot, series)
    }
  }
  return Frame.framed(canvas.lines(paintOf), Frame.labelsOf(scale, frame.height), frame, name)
}
