/**
 * Charts as SVG: a file of its own, on no background, in colours that light and dark pages show. It has no script and no font of its own.
 */
import * as Chart from "./Chart.ts"
import { holesOf } from "./CoverageRows.ts"
import * as Scale from "./Scale.ts"
import * as Times from "./Times.ts"

/** Size of a picture, in pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

const colours = ["#3b82f6", "#d97706", "#16a34a", "#a855f7", "#dc2626", "#0d9488", "#db2777", "#7c8b1f"]

const [up, down, grey] = ["#16a34a", "#dc2626", "#808080"]

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Text that stands for itself. What XML has no character for is left out. */
const escape = (text: string) =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replaceAll(/[&<>"']/g, (letter) => entities[letter]!)

interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const px = (value: number) => String(Number(value.toFixed(2)))

const text = (x: number, y: number, words: string, more = "") =>
  `<text x="${px(x)}" y="${px(y)}"${more}>${escape(words)}</text>`

const rect = ({ height, left, top, width }: Box, fill: string, more = "") =>
  `<rect x="${px(left)}" y="${px(top)}" width="${px(width)}" height="${px(height)}" fill="${fill}"${more}/>`

const line = (x1: number, y1: number, x2: number, y2: number, stroke: string, more = "") =>
  `<path d="M${px(x1)} ${px(y1)}L${px(x2)} ${px(y2)}" stroke="${stroke}"${more}/>`

const faint = ' opacity="0.3"'

/** Pixels that a letter of a text takes, at most. */
const letter = 7

const edge = { top: 34, right: 16, bottom: 40 }

/** Pixels of the bar of an entity. */
const thick = 18

/** Draws a chart with its title, its axes and its legend; nothing where it is empty. */
export const draw = (chart: Chart.Chart, size: Size): string | undefined => {
  const times = Chart.timesOf(chart)
  if (times === undefined) return undefined
  const { body, height, left, top } = bodyOf(chart, times, size)
  const range = `${Times.short(times.from)} to ${Times.short(times.to)} UTC`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${height}" viewBox="0 0 ${size.width} ${height}"` +
      ` role="img" fill="none" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escape(`${chart.title}, ${range}`)}</title>`,
    `<g fill="${grey}">${text(8, 18, chart.title, ' font-size="14" font-weight="600"')}`,
    `${text(size.width - edge.right, height - 6, range, ' text-anchor="end" font-size="11"')}</g>`,
    ...timeAxis(times, { left, top, width: size.width - left - edge.right, height: height - top - edge.bottom }),
    ...body,
    "</svg>\n"
  ].join("\n")
}

interface Body {
  readonly body: ReadonlyArray<string>
  readonly height: number
  /** Pixels before the vertical axis, and above the chart. */
  readonly left: number
  readonly top: number
}

const bodyOf = (chart: Chart.Chart, times: Chart.Range, size: Size): Body => {
  const { height, width } = size
  const boxOf = (left: number, legend = 0): Box => ({
    left,
    top: edge.top + legend,
    width: width - left - edge.right,
    height: Math.max(20, height - edge.top - legend - edge.bottom)
  })
  if (chart._tag === "Coverage") {
    const longest = Math.max(...chart.rows.map(({ name }) => name.length)) * letter + 16
    const left = Math.min(longest, width / 3)
    const box = { ...boxOf(left), height: chart.rows.length * thick }
    return {
      body: chart.rows.flatMap(coverageOf(times, box)),
      height: box.height + edge.top + edge.bottom,
      left,
      top: edge.top
    }
  }
  if (chart._tag === "Lines") {
    const scale = Scale.make(Chart.valuesOf(chart.lines) ?? { low: 0, high: 1 }, chart.isLog)
    const ticks = scale.ticks(Math.max(2, Math.floor(height / 60)))
    const left = leftOf([ticks])
    const legend = chart.lines.length > 1 ? legendOf(chart.lines, width) : { body: [], height: 0 }
    const box = boxOf(left, legend.height)
    const body = [...valueAxis(scale, ticks, box), ...legend.body, ...chart.lines.map(lineOf(scale, times, box))]
    return { body, height, left, top: box.top }
  }
  const scales = chart.markets.map(({ candles }) =>
    Scale.make(Chart.pricesOf(candles) ?? { low: 0, high: 1 }, chart.isLog)
  )
  const ticks = scales.map((scale) => scale.ticks(Math.max(2, Math.floor(height / 60 / scales.length))))
  const left = leftOf(ticks)
  const all = boxOf(left)
  const each = all.height / scales.length
  const body = chart.markets.flatMap((market, index) => {
    const box = {
      ...all,
      top: all.top + index * each + (scales.length > 1 ? 14 : 0),
      height: each - (scales.length > 1 ? 22 : 0)
    }
    const name = scales.length > 1 ? [text(left + 4, box.top - 4, market.name, ` fill="${grey}"`)] : []
    return [...name, ...valueAxis(scales[index]!, ticks[index]!, box), ...candlesOf(market, times, scales[index]!, box)]
  })
  return { body, height, left, top: all.top }
}

const leftOf = (ticks: ReadonlyArray<ReadonlyArray<Scale.Tick>>) =>
  Math.max(...ticks.flatMap((some) => some.map((tick) => tick.text.length)), 2) * letter + 16

const xOf =
  ({ from, to }: Chart.Range, { left, width }: Box) =>
  (at: number) =>
    to === from ? left + width / 2 : left + ((at - from) / (to - from)) * width

const yOf =
  (scale: Scale.Scale, { height, top }: Box) =>
  (value: number) =>
    top + (1 - scale.placeOf(value)) * height

const valueAxis = (scale: Scale.Scale, ticks: ReadonlyArray<Scale.Tick>, box: Box) =>
  ticks.flatMap((tick) => {
    const y = yOf(scale, box)(tick.value)
    return [
      line(box.left, y, box.left + box.width, y, grey, faint),
      text(box.left - 8, y + 4, tick.text, ` fill="${grey}" text-anchor="end"`)
    ]
  })

const timeAxis = (times: Chart.Range, box: Box) => {
  const bottom = box.top + box.height
  const end = box.left + box.width
  let taken = -Infinity
  const ticks = Times.fitting(times, Math.floor(box.width / letter)).flatMap((tick) => {
    const x = xOf(times, box)(tick.at)
    const wide = tick.text.length * letter
    const middle = Math.min(end - wide / 2, x)
    const rule = line(x, box.top, x, bottom + 4, grey, faint)
    if (middle - wide / 2 < taken) return [rule]
    taken = middle + wide / 2 + letter
    return [rule, text(middle, bottom + 16, tick.text, ` fill="${grey}" text-anchor="middle"`)]
  })
  return [line(box.left, bottom, end, bottom, grey), ...ticks]
}

const legendOf = (lines: ReadonlyArray<Chart.Line>, width: number) => {
  let [x, y] = [8, edge.top]
  const body = lines.flatMap(({ name }, index) => {
    const wide = name.length * letter + 40
    if (x > 8 && x + wide > width) [x, y] = [8, y + 18]
    const at = x
    x += wide
    const colour = colours[index % colours.length]!
    return [line(at, y, at + 18, y, colour, ' stroke-width="3"'), text(at + 24, y + 4, name, ` fill="${grey}"`)]
  })
  return { body, height: y - edge.top + 18 }
}

/** A point alone is a dot: a line of no length with round ends. */
const lineOf =
  (scale: Scale.Scale, times: Chart.Range, box: Box) =>
  ({ name, pieces }: Chart.Line, index: number) => {
    const [x, y] = [xOf(times, box), yOf(scale, box)]
    const placeOf = ({ at, value }: Chart.Point) => `${px(x(at))} ${px(y(value))}`
    const path = pieces.map((piece) => `M${piece.map(placeOf).join("L")}${piece.length === 1 ? "h0" : ""}`).join("")
    const stroke = `stroke="${colours[index % colours.length]!}" stroke-width="1.5"`
    return `<path d="${path}" ${stroke} stroke-linejoin="round" stroke-linecap="round"><title>${escape(name)}</title></path>`
  }

const candlesOf = (market: Chart.Market, times: Chart.Range, scale: Scale.Scale, box: Box) => {
  const { each, slots } = Chart.fold(market, times, Math.floor(box.width / 3))
  const y = yOf(scale, box)
  const wide = Math.min(24, (box.width * each) / (times.to - times.from))
  return slots.flatMap((candle, slot) => {
    if (candle === undefined) return []
    const colour = candle.close >= candle.open ? up : down
    const x = xOf(times, box)(times.from + (slot + 0.5) * each)
    const [top, bottom] = [y(Math.max(candle.open, candle.close)), y(Math.min(candle.open, candle.close))]
    const body = { left: x - wide * 0.35, top, width: wide * 0.7, height: Math.max(1, bottom - top) }
    return [line(x, y(candle.high), x, y(candle.low), colour!), rect(body, colour!)]
  })
}

const coverageOf =
  (times: Chart.Range, box: Box) =>
  ({ name, ranges }: Chart.Covered, index: number) => {
    const x = xOf(times, box)
    const top = box.top + index * thick
    const label = text(box.left - 8, top + thick - 5, name, ` fill="${grey}" text-anchor="end"`)
    const bar = (range: Chart.Range, fill: string) =>
      rect(
        { left: x(range.from), top: top + 3, width: Math.max(1, x(range.to) - x(range.from)), height: thick - 6 },
        fill
      )
    // A hole can be seen however short it is.
    return [
      label,
      ...ranges.map((range) => bar(range, colours[0]!)),
      ...holesOf(ranges).map((hole) => bar(hole, down!))
    ]
  }
