/**
 * The candles of an index: its levels of every fifteen seconds, folded over a stretch of time.
 *
 * **Details**
 *
 * Whatever is longer than an hour is made of hours, of which the last few thousand are remembered.
 */
import { HOUR, nanos, SECOND } from "../../internal/time/Calendar.ts"
import type { Frequency } from "../Frequency.ts"
import * as Indexes from "../Indexes.ts"
import type { Index } from "../Indexes.ts"
import * as Remembered from "../Remembered.ts"
import * as Rows from "../Rows.ts"
import * as Levels from "./Levels.ts"

interface Candle {
  readonly open: number
  readonly close: number
  readonly high: number
  readonly low: number
  readonly count: number
}

const step = 15 * SECOND

const join = (before: Candle | undefined, after: Candle): Candle =>
  before === undefined
    ? after
    : {
        open: before.open,
        close: after.close,
        high: Math.max(before.high, after.high),
        low: Math.min(before.low, after.low),
        count: before.count + after.count
      }

const fold = (index: Index, start: number, end: number): Candle | undefined => {
  const { from, to } = Indexes.spanOf(index)
  let candle: Candle | undefined
  for (let ms = start; ms < end; ms += step) {
    if (ms < from || ms > to) continue
    const level = Levels.at(index, ms)
    candle = join(candle, { open: level, close: level, high: level, low: level, count: 1 })
  }
  return candle
}

const hourOf = Remembered.make(
  16_384,
  ({ index }: Index, start: number) => `${index} ${start}`,
  (index, start) => fold(index, start, start + HOUR)
)

const between = (index: Index, start: number, end: number): Candle | undefined => {
  if (end - start < HOUR) return fold(index, start, end)
  let candle: Candle | undefined
  for (let hour = start; hour < end; hour += HOUR) {
    const next = hourOf(index, hour)
    if (next !== undefined) candle = join(candle, next)
  }
  return candle
}

/** The candles of an index as the service writes them. */
export const rows = (index: Index, grid: Frequency): Rows.Rows =>
  Rows.perStretch(index.index, grid, Indexes.spanOf(index), (place) => {
    const start = grid.at(place)
    const level = Levels.at(index, start)
    const still: Candle = { open: level, close: level, high: level, low: level, count: 0 }
    const { close, count, high, low, open } = between(index, start, grid.at(place + 1)) ?? still
    return (
      `{"index":"${index.index}","time":"${nanos(start)}","price_open":"${Levels.text(open)}"` +
      `,"price_close":"${Levels.text(close)}","price_high":"${Levels.text(high)}","price_low":"${Levels.text(low)}"` +
      `,"candle_trades_count":"${count}"}`
    )
  })
