/**
 * The blocks that mining pools work on, minute by minute.
 */
import * as Assets from "../Assets.ts"
import { nanos, SECOND } from "../../internal/time/Calendar.ts"
import type { Followed } from "../ChainData.ts"
import * as Frequency from "../Frequency.ts"
import { below } from "../../internal/random/Noise.ts"
import * as Rows from "../Rows.ts"
import * as Forks from "./Forks.ts"

const minutes = Frequency.find("1m")!

const pools = 15

/** How long it takes until the last pool works on a new block. */
const slowest = 30 * SECOND

/** The rows of a chain: every pool works on one block, and a few on one that has been passed or will not be kept. */
export const rows = ({ asset: ticker, span }: Followed): Rows.Rows | undefined => {
  const asset = Assets.find(ticker)
  if (asset === undefined) return undefined
  return Rows.onGrid(ticker, minutes, span, (place) => {
    const ms = minutes.at(place)
    const tips = Forks.tipsAt(asset, ms)
    const isNew = tips.length === 1 && ms - tips[0].ms < slowest
    const worked = isNew ? [tips[0], Forks.blockAt(asset, tips[0].height - 1)] : tips
    const others = worked.length === 1 ? 0 : 1 + below(asset.seed + 98, place, 4)
    const items = worked.map(({ hash, height, ms: made }, n) => {
      const seen = Math.max(made, ms - below(asset.seed + 99 + n, place, 30_000))
      const count = n === 0 ? pools - others : others
      return `{"last_time":"${nanos(seen)}","height":"${height}","hash":"${hash}","pool_count":"${count}"}`
    })
    return (
      `{"asset":"${ticker}","time":"${nanos(ms)}","tips_count":"${worked.length}"` +
      `,"block_hashes_at_tip":"${tips.length}","tips":[${items.join(",")}]}`
    )
  })
}
