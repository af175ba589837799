/**
 * The candles of an index: its levels of every fifteen seconds, folded over a stretch of time.
 */
import { nanos, SECOND } from "../../internal/time/Calendar.ts"
import type { Frequency } from "../Frequency.ts"
import * as Indexes from "../Indexes.ts"
import type { Index } from "../Indexes.ts"
import * as Candles from "../market/Candles.ts"
import * as Rows from "../Rows.ts"
import * as Levels from "./Levels.ts"

const step = 15 * SECOND

const fold = (index: Index, start: number, end: number): Candles.Candle | undefined => {
  const { from, to } = Indexes.spanOf(index)
  let candle: Candles.Candle | undefined
  for (let ms = start; ms < end; ms += step) {
    if (ms >= from && ms <= to) candle = Candles.join(candle, { ...Candles.still(Levels.at(index, ms)), count: 1 })
  }
  return candle
}

const between = Candles.byHours(({ index }: Index) => index, fold)

export const rows = (index: Index, grid: Frequency): Rows.Rows =>
  Rows.perStretch(index.index, grid, Indexes.spanOf(index), (place) => {
    const start = grid.at(place)
    const candle = between(index, start, grid.at(place + 1)) ?? Candles.still(Levels.at(index, start))
    const prices = Candles.prices(candle, Levels.text)
    return `{"index":"${index.index}","time":"${nanos(start)}",${prices},"candle_trades_count":"${candle.count}"}`
  })
