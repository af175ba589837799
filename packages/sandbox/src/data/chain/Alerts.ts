/**
 * The states of the alerts of an asset, minute by minute.
 */
import * as Assets from "../Assets.ts"
import { at, nanos, TODAY } from "../../internal/time/Calendar.ts"
import type { Alert } from "../ChainData.ts"
import * as Frequency from "../Frequency.ts"
import { below, seed } from "../../internal/random/Noise.ts"
import * as Rows from "../Rows.ts"
import * as Blocks from "../Blocks.ts"
import * as Feerates from "./Feerates.ts"
import * as Forks from "./Forks.ts"

const minutes = Frequency.find("1m")!

const since = at("2021-06-01")

/** What an alert looks at: blocks are counted among six, most of them on quiet days. */
const valueOf = ({ name }: Alert, asset: Assets.Asset, place: number, height: number): number => {
  if (name === "time_since_last_block_hi") return (minutes.at(place) - Blocks.timeAt(asset, height)) / 1000
  if (name === "mempool_feerate_mean_hi") {
    const waiting = Feerates.at(asset, place)
    const size = waiting.reduce((sum, one) => sum + one.size, 0)
    return waiting.reduce((sum, one) => sum + one.size * one.feerate, 0) / Math.max(1, size)
  }
  const key = seed(`${asset.asset} ${name}`)
  return Math.min(below(key, height, 7), below(key + 1, height, 7))
}

const row = (alert: Alert, asset: Assets.Asset, place: number): string => {
  const ms = minutes.at(place)
  const height = Forks.heightAt(asset, ms)
  const value = valueOf(alert, asset, place, height)
  const threshold = alert.conditions[0]?.threshold
  const isOn = threshold !== undefined && value >= Number(threshold)
  return (
    `{"asset":"${alert.asset}","time":"${nanos(ms)}","alert":"${alert.name}","status":"${isOn ? "on" : "off"}"` +
    `,"block_height":"${height}","value":"${Number(value.toFixed(3))}"` +
    `${threshold === undefined ? "" : `,"threshold":"${threshold}"`}}`
  )
}

/** The rows of alerts of one asset: all of them in each minute. */
export const rows = (alerts: ReadonlyArray<Alert>): Rows.Rows | undefined => {
  const [first] = alerts
  const asset = first === undefined ? undefined : Assets.find(first.asset)
  if (first === undefined || asset === undefined) return undefined
  const count = alerts.length
  const from = (ms: number) => minutes.from(ms) * count
  return {
    entity: first.asset,
    bounds: { first: from(since), last: from(TODAY + 1) - 1 },
    timeAt: (place) => ({ ms: minutes.at(Math.floor(place / count)), nanos: 0 }),
    from: Rows.atWholeMs(from),
    row: (place) => {
      const minute = Math.floor(place / count)
      return row(alerts[place - minute * count] ?? first, asset, minute)
    }
  }
}
