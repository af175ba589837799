/**
 * The states of the alerts of an asset, minute by minute: their values are drawn, and set them off beyond a threshold.
 */
import { at, TODAY } from "../../internal/time/Calendar.ts"
import { below, seed } from "../../internal/random/Noise.ts"
import type { Alert } from "../ChainData.ts"
import * as Drawn from "../Drawn.ts"
import * as Frequency from "../Frequency.ts"
import * as Rows from "../Rows.ts"

const minutes = Frequency.find("1m")!

const since = at("2021-06-01")

const draw = Drawn.recordsOf("/timeseries/asset-alerts")

const row = ({ asset, conditions, name }: Alert, place: number): string => {
  const key = seed(`${asset} ${name}`)
  const threshold = conditions[0]?.threshold
  const value = below(key, place, Math.ceil(1.25 * Number(threshold ?? 1)) + 1)
  const isOn = threshold !== undefined && value >= Number(threshold)
  const own = { asset, alert: name, status: isOn ? "on" : "off", value: String(value), threshold }
  return JSON.stringify({ ...draw(key, minutes.at(place)), ...own })
}

/** The rows of alerts of one asset: all of them in each minute. */
export const rows = (alerts: ReadonlyArray<Alert>): Rows.Rows | undefined => {
  const [first] = alerts
  if (first === undefined) return undefined
  const span = { from: since, to: TODAY }
  return Rows.inPattern(first.asset, minutes, span, [alerts.length], (place, n) => row(alerts[n] ?? first, place))
}
