/** Charts as lines of text. */
import type { Paint } from "./Canvas.ts"
import * as Canvas from "./Canvas.ts"
import * as CandleRows from "./CandleRows.ts"
import * as Chart from "./Chart.ts"
import * as CoverageRows from "./CoverageRows.ts"
import * as Frame from "./Frame.ts"
import * as LineRows from "./LineRows.ts"
import * as Times from "./Times.ts"

/** The sizes and colours of a chart of text, whose margin follows from its labels. */
export interface Look extends Omit<Frame.Frame, "margin"> {
  readonly bold: Paint
  /** Columns that a text takes. */
  readonly widthOf: (text: string) => number
}

interface Body {
  readonly lines: ReadonlyArray<string>
  readonly margin: number
  readonly note?: string | undefined
}

/** Draws a chart with its title, its axes and its legend; nothing where it is empty. */
export const draw = (chart: Chart.Chart, look: Look): ReadonlyArray<string> => {
  const times = Chart.timesOf(chart)
  if (times === undefined) return []
  const { lines, margin, note } = bodyOf(chart, times, look)
  const about = [`${Times.short(times.from)} to ${Times.short(times.to)} UTC`, ...(note === undefined ? [] : [note])]
  return [
    look.bold(chart.title),
    ...lines,
    ...Frame.axis(times, { ...look, margin }),
    look.dim(`${" ".repeat(margin + 2)}${about.join("; ")}`)
  ]
}

const bodyOf = (chart: Chart.Chart, times: Chart.Range, look: Look): Body => {
  if (chart._tag === "Lines") return linesOf(chart.lines, chart.isLog, times, look)
  return chart._tag === "Candles"
    ? candlesOf(chart.markets, chart.isLog, times, look)
    : coverageOf(chart.rows, times, look)
}

const linesOf = (lines: ReadonlyArray<Chart.Line>, isLog: boolean, times: Chart.Range, look: Look): Body => {
  const margin = Frame.marginOf([Frame.labelsOf(LineRows.scaleOf(lines, isLog), look.height)])
  const { isMarked, paintOf } = LineRows.penOf(look, lines.length)
  const legend = lines.map(({ name }, series) => `${paintOf(series)(isMarked ? Canvas.markOf(series) : "━━")} ${name}`)
  const named = lines.length > 1 ? packed(legend, lines, look) : []
  return { lines: [...named, ...LineRows.draw(lines, times, { ...look, margin }, { isLog })], margin }
}

/** Entries of a legend side by side, in as many lines as they take. */
const packed = (entries: ReadonlyArray<string>, lines: ReadonlyArray<Chart.Line>, { width, widthOf }: Look) => {
  const found: Array<Array<string>> = []
  let room = 0
  for (const [index, entry] of entries.entries()) {
    // The sign before the name, and blanks.
    const columns = widthOf(lines[index]!.name) + 6
    if (columns > room) {
      found.push([])
      room = width
    }
    found.at(-1)!.push(entry)
    room -= columns
  }
  return found.map((line) => `  ${line.join("   ")}`)
}

const candlesOf = (markets: ReadonlyArray<Chart.Market>, isLog: boolean, times: Chart.Range, look: Look): Body => {
  const margin = Frame.marginOf(markets.map((market) => Frame.labelsOf(CandleRows.scaleOf(market, isLog), look.height)))
  const frame = { ...look, margin }
  const lines = markets.flatMap((market) => [
    ...(markets.length > 1 ? [`  ${market.name}`] : []),
    ...CandleRows.draw(market, times, frame, { isLog })
  ])
  const [first] = markets
  const each = first === undefined ? 0 : Chart.fold(first, times, Frame.roomOf(frame)).each
  return { lines, margin, note: `a candle is ${lengthOf(each)}` }
}

const units = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"]
] as const

/** A length of time in its largest unit, such as `1.5 hours`. */
export const lengthOf = (milliseconds: number): string => {
  const [size, unit] = units.find(([size]) => milliseconds >= size) ?? [1_000, "second"]
  const count = Number((milliseconds / size).toFixed(1))
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

const coverageOf = (rows: ReadonlyArray<Chart.Covered>, times: Chart.Range, look: Look): Body => {
  const longest = Math.max(2, ...rows.map(({ name }) => look.widthOf(name)))
  const frame = { ...look, margin: Math.min(Math.floor(look.width * 0.4), longest) }
  const holes = rows.reduce((sum, { ranges }) => sum + CoverageRows.holesOf(ranges).length, 0)
  const least = rows.some(({ isCoarse = false }) => isCoarse) ? "at least " : ""
  const note = holes === 0 ? "no holes" : holes === 1 ? "1 hole" : `${least}${holes} holes`
  return { lines: CoverageRows.draw(rows, times, frame, look.widthOf), margin: frame.margin, note }
}
