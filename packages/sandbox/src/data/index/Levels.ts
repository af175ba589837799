/**
 * The levels of an index: what it holds, at the prices of the instant.
 */
import * as Assets from "../Assets.ts"
import { nanos } from "../../internal/time/Calendar.ts"
import type { Frequency } from "../Frequency.ts"
import * as Indexes from "../Indexes.ts"
import type { Index } from "../Indexes.ts"
import { hex, seed } from "../../internal/random/Noise.ts"
import * as Rows from "../Rows.ts"
import * as Values from "../Values.ts"
import * as Basket from "./Basket.ts"

const bitcoin = Assets.find("btc")!

// Indexes that follow no assets follow the mining of bitcoin.
const mining: Readonly<Record<string, Values.Model>> = {
  CMBIHASH: Values.activity(600, 91),
  CMBIWORK: Values.activity(55, 92)
}

export const at = (index: Index, ms: number): number =>
  mining[index.index]?.(bitcoin, ms) ?? Basket.worth(Basket.at(index, ms), ms)

export const text = (level: number): string => level.toFixed(12)

const verification = (index: Index, time: string, level: string, ms: number): string =>
  `,"verification":{"signature":"${hex(seed(index.index), Math.floor(ms / 1000), 128)}","timestamp":"${time}","level":"${level}"}`

export const rows = (index: Index, grid: Frequency, thinned: Frequency, isVerified: boolean): Rows.Rows | undefined =>
  Indexes.hasLevels(index, grid.name)
    ? Rows.onGrid(index.index, thinned, Indexes.spanOf(index), (place) => {
        const ms = thinned.at(place)
        const time = nanos(ms)
        const level = text(at(index, ms))
        const proof = isVerified ? verification(index, time, level, ms) : ""
        return `{"index":"${index.index}","time":"${time}","level":"${level}"${proof}}`
      })
    : undefined
