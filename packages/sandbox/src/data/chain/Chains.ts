/**
 * The ends of the chains of an asset, minute by minute.
 */
import * as Assets from "../Assets.ts"
import { MINUTE, nanos } from "../../internal/time/Calendar.ts"
import type { Followed } from "../ChainData.ts"
import * as Frequency from "../Frequency.ts"
import * as Rows from "../Rows.ts"
import * as Forks from "./Forks.ts"

const minutes = Frequency.find("1m")!

const written = ({ hash, height, ms }: Forks.Block): string =>
  `{"time":"${nanos(ms)}","hash":"${hash}","height":"${height}"}`

/** The rows of an asset: of each chain the last three blocks. */
export const rows = ({ asset: ticker, span }: Followed): Rows.Rows | undefined => {
  const asset = Assets.find(ticker)
  if (asset === undefined) return undefined
  return Rows.onGrid(ticker, minutes, span, (place) => {
    const ms = minutes.at(place)
    const tips = Forks.tipsAt(asset, ms)
    const below = [2, 1].map((depth) => written(Forks.blockAt(asset, tips[0].height - depth)))
    const chains = tips.map((tip) => `[${below.join(",")},${written(tip)}]`)
    const reorg = Forks.isReorganised(asset, ms - MINUTE, ms) ? `,"reorg":"true","reorg_depth":"1"` : ""
    return (
      `{"asset":"${ticker}","time":"${nanos(ms)}","chains_count":"${tips.length}"` +
      `,"blocks_count_at_tip":"${tips.length}","chains":[${chains.join(",")}]${reorg}}`
    )
  })
}
