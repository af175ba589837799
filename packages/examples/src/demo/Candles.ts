/**
 * Candles as lines of block characters: a body from open to close, a wick from low to high.
 */
import * as Chart from "./Chart.ts"
import type { Style } from "./Screen.ts"

/** One candle. */
export interface Candle {
  readonly open: number
  readonly close: number
  readonly high: number
  readonly low: number
}

/** A candle as a file has it: exact text, which is precise enough for a chart as a number. */
interface Row {
  readonly price_open: string
  readonly price_close: string
  readonly price_high: string
  readonly price_low: string
}

/** Makes one candle of each so many rows. */
export const fold = (rows: ReadonlyArray<Row>, each: number): ReadonlyArray<Candle> =>
  Array.from({ length: Math.ceil(rows.length / each) }, (_, n) => {
    const part = rows.slice(n * each, (n + 1) * each)
    return {
      open: Number(part[0]?.price_open),
      close: Number(part.at(-1)?.price_close),
      high: Math.max(...part.map(({ price_high }) => Number(price_high))),
      low: Math.min(...part.map(({ price_low }) => Number(price_low)))
    }
  })

/** How a chart is drawn: what stands before its first line, and its size in characters. */
export interface Options {
  readonly label: string
  readonly width: number
  readonly height: number
}

/** Draws candles between their lowest and their highest price; those that fall are empty. */
export const lines = (
  candles: ReadonlyArray<Candle>,
  { height, label, width }: Options,
  style: Pick<Style, "good" | "warn">
): ReadonlyArray<string> => {
  const shown = candles.slice(0, width)
  if (shown.length === 0) return []
  const top = Math.max(...shown.map(({ high }) => high))
  const bottom = Math.min(...shown.map(({ low }) => low))
  const line = (price: number) => Math.min(height - 1, Math.floor(((top - price) / (top - bottom || 1)) * height))
  const cell = ({ close, high, low, open }: Candle, at: number) => {
    const [upper, lower] = [line(Math.max(open, close)), line(Math.min(open, close))]
    if (at >= upper && at <= lower) return close >= open ? style.good("█") : style.warn("░")
    return at >= line(high) && at <= line(low) ? "│" : " "
  }
  return Array.from({ length: height }, (_, at) => {
    const scale = at === 0 ? Chart.short(top) : at === height - 1 ? Chart.short(bottom) : ""
    const before = (at === 0 ? label : "").padEnd(Chart.margin - scale.length) + scale
    return `${before} ${at === 0 || at === height - 1 ? "┤" : "│"}${shown.map((candle) => cell(candle, at)).join("")}`
  })
}
