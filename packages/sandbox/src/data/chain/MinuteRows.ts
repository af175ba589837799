/**
 * What is followed of assets minute by minute: the ends of their chains, the states of their alerts, and what is drawn from the table.
 */
import * as Assets from "../Assets.ts"
import { at, MINUTE, nanos, TODAY } from "../../internal/time/Calendar.ts"
import { below, seed } from "../../internal/random/Noise.ts"
import type * as ChainData from "../ChainData.ts"
import * as Drawn from "../Drawn.ts"
import * as Frequency from "../Frequency.ts"
import * as Rows from "../Rows.ts"
import * as Forks from "./Forks.ts"

const minutes = Frequency.find("1m")!

const written = ({ hash, height, ms }: Forks.Block): string =>
  `{"time":"${nanos(ms)}","hash":"${hash}","height":"${height}"}`

/** The rows of an asset: of each chain the last three blocks. */
export const chains = ({ asset: ticker, span }: ChainData.Followed): Rows.Rows | undefined => {
  const asset = Assets.find(ticker)
  if (asset === undefined) return undefined
  return Rows.onGrid(ticker, minutes, span, (place) => {
    const ms = minutes.at(place)
    const tips = Forks.tipsAt(asset, ms)
    const below = [2, 1].map((depth) => written(Forks.blockAt(asset, tips[0].height - depth)))
    const ends = tips.map((tip) => `[${below.join(",")},${written(tip)}]`)
    const reorg = Forks.isReorganised(asset, ms - MINUTE, ms) ? `,"reorg":"true","reorg_depth":"1"` : ""
    return (
      `{"asset":"${ticker}","time":"${nanos(ms)}","chains_count":"${tips.length}"` +
      `,"blocks_count_at_tip":"${tips.length}","chains":[${ends.join(",")}]${reorg}}`
    )
  })
}

const alertedSince = at("2021-06-01")

const drawAlert = Drawn.recordsOf("/timeseries/asset-alerts")

const alert = ({ asset, conditions, name }: ChainData.Alert, place: number): string => {
  const key = seed(`${asset} ${name}`)
  const threshold = conditions[0]?.threshold
  const value = below(key, place, Math.ceil(1.25 * Number(threshold ?? 1)) + 1)
  const isOn = threshold !== undefined && value >= Number(threshold)
  const own = { asset, alert: name, status: isOn ? "on" : "off", value: String(value), threshold }
  return JSON.stringify({ ...drawAlert(key, minutes.at(place)), ...own })
}

export const alerts = (asked: ReadonlyArray<ChainData.Alert>): Rows.Rows | undefined => {
  const [first] = asked
  if (first === undefined) return undefined
  const span = { from: alertedSince, to: TODAY }
  return Rows.inPattern(first.asset, minutes, span, [asked.length], (place, n) => alert(asked[n] ?? first, place))
}

export const drawn = (path: string) => {
  const draw = Drawn.recordsOf(path)
  return ({ asset, span }: ChainData.Followed): Rows.Rows =>
    Rows.onGrid(asset, minutes, span, (place) => JSON.stringify({ ...draw(seed(asset), minutes.at(place)), asset }))
}
