/**
 * The transactions that wait for a block, by fee rate, minute by minute.
 */
import * as Assets from "../Assets.ts"
import * as Blocks from "../Blocks.ts"
import { DAY, MINUTE, nanos } from "../../internal/time/Calendar.ts"
import type { Followed } from "../ChainData.ts"
import * as Frequency from "../Frequency.ts"
import { curve, unit } from "../../internal/random/Noise.ts"
import * as Rows from "../Rows.ts"

const minutes = Frequency.find("1m")!

/** Fee rates rise by a tenth from one to the next. */
const steps = 40

const feerates = Array.from({ length: steps }, (_, step) => Math.round(100 * 1.1 ** step) / 100)

/** The waiting transactions of one fee rate. */
interface Waiting {
  readonly feerate: number
  readonly count: number
  readonly size: number
}

/** What waits in a minute: more, the longer the last block is gone, and on busy days. */
export const at = (asset: Assets.Asset, place: number): ReadonlyArray<Waiting> => {
  const ms = minutes.at(place)
  const block = Blocks.timeAt(asset, Blocks.from(asset, ms + 1) - 1)
  const crowd = 5000 * curve(asset.seed + 93, ms / (2 * DAY)) + (120 * (ms - block)) / MINUTE
  return feerates.flatMap((feerate, step) => {
    const count = Math.floor((crowd / (1 + step)) * (0.5 + unit(asset.seed + step, place)))
    const size = count * (180 + Math.floor(200 * unit(asset.seed + 94 + step, place))) + 0.25
    return count === 0 ? [] : [{ feerate, count, size }]
  })
}

const written = ({ count, feerate, size }: Waiting): string =>
  `{"feerate":"${feerate.toFixed(2)}","count":"${count}","consensus_size":"${size}"` +
  `,"physical_size":"${Math.floor(size * 1.3)}","fees":"${(size * feerate).toFixed(4)}"}`

/** The rows of a chain. */
export const rows = ({ asset: ticker, span }: Followed): Rows.Rows | undefined => {
  const asset = Assets.find(ticker)
  if (asset === undefined) return undefined
  return Rows.onGrid(ticker, minutes, span, (place) => {
    const items = at(asset, place).map(written)
    return `{"asset":"${ticker}","time":"${nanos(minutes.at(place))}","feerates":[${items.join(",")}]}`
  })
}
