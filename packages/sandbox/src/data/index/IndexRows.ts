/**
 * The levels, the candles and the constituents of an index as the service writes them: what it holds, at the prices of the instant.
 */
import * as Assets from "../Assets.ts"
import { nanos, SECOND } from "../../internal/time/Calendar.ts"
import type { Frequency } from "../Frequency.ts"
import * as Indexes from "../Indexes.ts"
import { hex, seed } from "../../internal/random/Noise.ts"
import * as Candles from "../market/Candles.ts"
import * as Rows from "../Rows.ts"
import * as Values from "../Values.ts"
import * as Basket from "./Basket.ts"

const bitcoin = Assets.find("btc")!

// Indexes that follow no assets follow the mining of bitcoin.
const mining: Readonly<Record<string, Values.Model>> = {
  CMBIHASH: Values.activity(600, 91),
  CMBIWORK: Values.activity(55, 92)
}

const levelAt = (index: Indexes.Index, ms: number): number =>
  mining[index.index]?.(bitcoin, ms) ?? Basket.worth(Basket.at(index, ms), ms)

const text = (level: number): string => level.toFixed(12)

const verification = (index: Indexes.Index, time: string, level: string, ms: number): string =>
  `,"verification":{"signature":"${hex(seed(index.index), Math.floor(ms / 1000), 128)}","timestamp":"${time}","level":"${level}"}`

export const levels = (
  index: Indexes.Index,
  grid: Frequency,
  thinned: Frequency,
  isVerified: boolean
): Rows.Rows | undefined =>
  Indexes.hasLevels(index, grid.name)
    ? Rows.onGrid(index.index, thinned, Indexes.spanOf(index), (place) => {
        const ms = thinned.at(place)
        const time = nanos(ms)
        const level = text(levelAt(index, ms))
        const proof = isVerified ? verification(index, time, level, ms) : ""
        return `{"index":"${index.index}","time":"${time}","level":"${level}"${proof}}`
      })
    : undefined

/** Candles are folded from levels so far apart. */
const step = 15 * SECOND

const fold = (index: Indexes.Index, start: number, end: number): Candles.Candle | undefined => {
  const { from, to } = Indexes.spanOf(index)
  let candle: Candles.Candle | undefined
  for (let ms = start; ms < end; ms += step) {
    if (ms >= from && ms <= to) candle = Candles.join(candle, { ...Candles.still(levelAt(index, ms)), count: 1 })
  }
  return candle
}

const between = Candles.byHours(({ index }: Indexes.Index) => index, fold)

export const candles = (index: Indexes.Index, grid: Frequency): Rows.Rows =>
  Rows.perStretch(index.index, grid, Indexes.spanOf(index), (place) => {
    const start = grid.at(place)
    const candle = between(index, start, grid.at(place + 1)) ?? Candles.still(levelAt(index, start))
    const prices = Candles.prices(candle, text)
    return `{"index":"${index.index}","time":"${nanos(start)}",${prices},"candle_trades_count":"${candle.count}"}`
  })

/** The assets of an index on a grid; nothing where it follows none. Without a grid, those that change, at the time they do. */
export const constituents = (index: Indexes.Index, grid: Frequency | undefined): Rows.Rows | undefined => {
  const span = Indexes.spanOf(index)
  if (Basket.at(index, span.to).length === 0) return undefined
  const places = grid ?? Basket.changes(index)
  return Rows.onGrid(index.index, places, grid === undefined ? Basket.changing(index) : span, (place) => {
    const ms = places.at(place)
    const holdings = Basket.at(index, ms)
    const total = Basket.worth(holdings, ms)
    const before = grid === undefined && ms > span.from ? Basket.at(index, ms - 1) : []
    const changed = holdings.filter(
      ({ asset, quantity }) => !before.some((one) => one.asset === asset && one.quantity === quantity)
    )
    const items = changed.map(({ asset, quantity }) => {
      const price = Values.price(asset, ms)
      return (
        `{"asset":"${asset.asset}","weight":"${((quantity * price) / total).toFixed(15)}","price":"${price.toFixed(15)}"` +
        `,"quantity":"${quantity.toFixed(15)}","weight_basis_value":"${Basket.basis(asset, ms).toFixed(2)}"}`
      )
    })
    return `{"index":"${index.index}","time":"${nanos(ms)}","constituents":[${items.join(",")}]}`
  })
}
